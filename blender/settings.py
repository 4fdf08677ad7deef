"""What objects say of themselves: Object.rivulet. Lengths are in the scene's units, as Blender keeps and shows them."""
import bpy
from bpy.props import (BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty,
                       StringProperty)

ROLES = [
    ("NONE", "None", "No part in the liquid"),
    ("DOMAIN", "Domain", "The box in which liquid is simulated; its rotation tilts the columns, its floor is solid"),
    ("SOLID", "Solid", "Liquid runs on this mesh, with modifiers, parents and any scale"),
    ("SOURCE", "Source", "Liquid flows out of a flat disk here"),
    ("DRAIN", "Drain", "Liquid in the box around this object is taken away"),
    ("FILL", "Liquid", "Liquid fills the box around this object at the start, wherever its bed is inside"),
]

LIQUIDS = ("water", "blood", "coffee", "milk", "paint", "honey", "oil", "mercury")

SOLVERS = [
    ("pipes", "Films", "Columns in layers: films, puddles, overhangs, full passages"),
    ("swe", "Shallow water", "The same columns for waves that nothing damps and very fast sheets"),
    ("splat", "Particles", "Particles in space, for splashes and jets; slower, and no films"),
]


class RivuletObject(bpy.types.PropertyGroup):
    role: EnumProperty(name="Type", items=ROLES, default="NONE", description="What the object is to the liquid")

    # Domain
    cell: FloatProperty(name="Cell Size", default=0.01, min=1e-6, soft_min=1e-4, precision=4, subtype="DISTANCE",
                        unit="LENGTH", description="Side of a cell; half of it takes about eight times as long")
    solver: EnumProperty(name="Solver", items=SOLVERS, default="pipes")
    liquid: EnumProperty(name="Liquid", default="water", items=[(n, n.capitalize(), "") for n in LIQUIDS],
                         description="Viscosity, density, surface tension, contact angles and light, as measured")
    thicker: FloatProperty(name="Viscosity Factor", default=1.0, min=0.0, soft_max=100.0,
                           description="Times the viscosity of the liquid")
    border: EnumProperty(name="Border", default="open", items=[
        ("open", "Open", "Liquid runs out over the sides of the domain"),
        ("wall", "Walls", "The sides of the domain hold the liquid")])
    spray: BoolProperty(name="Droplets", default=True,
                        description="What splashes or falls over an edge flies as droplets")
    particles: BoolProperty(name="Show Particles", default=False,
                            description="With solver Particles: show each particle as a sphere too")
    speed: FloatProperty(name="Speed", default=1.0, min=0.001, soft_max=10.0,
                         description="Simulated seconds in a second of the animation")
    first: IntProperty(name="Start", default=1, description="Frame of the liquid's start")
    last: IntProperty(name="End", default=100, description="Last frame to bake")
    threads: IntProperty(name="Threads", default=0, min=0, max=256, description="0: all cores; the result is the same")
    extra: StringProperty(name="More", description="Other parameters of the library, as in "
                          "liquid.tension=0.05; spray.drag=1")
    folder: StringProperty(name="Cache", subtype="DIR_PATH", default="//rivulet_cache",
                           description="Where frames are kept, in a folder with the name of the domain")
    close: BoolProperty(name="Close Below", default=True,
                        description="Close the liquid by the bed, as refraction and absorption need it")
    sink: FloatProperty(name="Sink", default=0.25, min=0.0, max=2.0,
                        description="How far the underside goes into the solid, in cells, so that no gap shows")
    mesh: PointerProperty(name="Surface", type=bpy.types.Object, poll=lambda _, thing: thing.type == "MESH")
    drops: PointerProperty(name="Drops", type=bpy.types.Object, poll=lambda _, thing: thing.type == "MESH")

    # Solid
    body: EnumProperty(name="Inside", default="AUTO", items=[
        ("AUTO", "Automatic", "Solid inside if the mesh is closed, else a plate two cells thick"),
        ("CLOSED", "Closed", "What the mesh encloses is solid; holes are closed"),
        ("PLATE", "Plate", "A plate of the given thickness behind the faces")])
    thickness: FloatProperty(name="Thickness", default=0.01, min=1e-6, precision=4, subtype="DISTANCE", unit="LENGTH")
    motion: EnumProperty(name="Animation", default="STILL", items=[
        ("STILL", "Still", "As it is at the start frame"),
        ("MOVES", "Moves", "Shift and rotation are followed; no bending or growing"),
        ("DRILL", "Drill", "Takes its shape out of the solids that are still, along its way")])
    own_angle: BoolProperty(name="Own Contact Angle", default=False)
    advancing: FloatProperty(name="Advancing", default=1.0, min=0.0, max=3.1415, subtype="ANGLE",
                             description="Angle at which liquid begins to wet the solid")
    receding: FloatProperty(name="Receding", default=0.4, min=0.0, max=3.1415, subtype="ANGLE",
                            description="Angle at which liquid draws back")
    map: EnumProperty(name="Map", default="NONE", items=[
        ("NONE", "None", "The same everywhere"),
        ("GROUP", "Vertex Group", "As much as the weight, liquid is drawn or repelled"),
        ("IMAGE", "Image", "Black repels liquid, white draws it, middle grey leaves it as it is")])
    group: StringProperty(name="Group")
    affinity: FloatProperty(name="Affinity", default=0.0, min=0.0, max=1.0, subtype="FACTOR",
                            description="Where the weight is 1: 0 repels liquid as wax does, 1 draws it")
    image: PointerProperty(name="Image", type=bpy.types.Image)

    # Source and drain
    rate: FloatProperty(name="Rate (ml/s)", default=10.0, min=0.0, soft_max=1000.0, precision=3,
                        description="Millilitres a second; may be animated")
    limited: BoolProperty(name="Limited", default=False, description="Take no more than a rate")
    follow: BoolProperty(name="Animated", default=False,
                         description="Follow the animation of place and rate, frame by frame")


def register():
    bpy.utils.register_class(RivuletObject)
    bpy.types.Object.rivulet = PointerProperty(type=RivuletObject)


def unregister():
    del bpy.types.Object.rivulet
    bpy.utils.unregister_class(RivuletObject)
