"""Honey over a head on a table, from a script: the picture of docs/blender.md.

    blender -b --addons rivulet_liquid --python examples/blender/honey.py -- honey.png
"""
import math
import os
import sys

import bpy
from mathutils import Vector

OUT = os.path.abspath(sys.argv[sys.argv.index("--") + 1] if "--" in sys.argv else "honey.png")


def aim(thing, at, target):
    """Puts a camera or a lamp somewhere, looking at a point."""
    bpy.context.scene.collection.objects.link(thing)
    thing.location = at
    thing.rotation_euler = (Vector(target) - Vector(at)).to_track_quat("-Z", "Y").to_euler()


def paint(thing, name, colour):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    made.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*colour, 1)
    thing.data.materials.append(made)


for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)
scene = bpy.context.scene
scene.unit_settings.scale_length = 0.01  # a unit is a centimetre
scene.unit_settings.length_unit = "CENTIMETERS"

bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -0.5), scale=(36, 24, 1))
table = bpy.context.object
table.modifiers.new("Edge", "BEVEL").width = 0.2
paint(table, "Wood", (0.5, 0.28, 0.12))
bpy.ops.mesh.primitive_monkey_add(size=7, location=(0.5, 1.5, 2.6), rotation=(math.radians(-35), 0, math.radians(20)))
head = bpy.context.object
head.scale = (1, 1.1, 0.95)
head.modifiers.new("Smooth", "SUBSURF").levels = 2
bpy.ops.object.shade_smooth()
paint(head, "Clay", (0.75, 0.72, 0.68))

table.select_set(True)
bpy.ops.rivulet.quick_spill()
domain = bpy.context.object
domain.location, domain.scale = (0, 0, 4.4), (17.8, 11.8, 5.0)
own = domain.rivulet
own.liquid, own.cell, own.first, own.last = "honey", 0.2, 1, 72
own.folder = os.path.join(os.path.dirname(OUT), "honey_cache")
source = bpy.data.objects["Source"]
source.location, source.scale, source.rivulet.rate = (0.6, 1.2, 8.2), (0.6, 0.6, 0.6), 60
bpy.context.view_layer.update()
bpy.ops.rivulet.bake(domain=domain.name)

scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
scene.camera.data.lens = 48
aim(scene.camera, (4, -31, 20), (0.5, 0.2, 1.2))
for at, size, power in (((-20, 12, 26), 14, 16000), ((22, 10, 16), 8, 7000), ((0, 40, 18), 20, 6000)):
    lamp = bpy.data.lights.new("Area", "AREA")
    lamp.size, lamp.energy = size, power
    aim(bpy.data.objects.new("Area", lamp), at, (0, 0, 0))
scene.render.engine, scene.cycles.device, scene.cycles.samples = "CYCLES", "CPU", 32
scene.cycles.use_denoising = False  # Debian's Blender has none
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 480, 270, 100
scene.render.filepath = OUT
scene.frame_set(72)
bpy.ops.render.render(write_still=True)
