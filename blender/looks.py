"""Materials of the liquids, and the nodes that make spheres of droplets.

Light is refracted at the surface and absorbed in the volume, by the library's measured coefficients. What scatters, milk
or blood, has too many bounces for a path tracer: where the attribute depth says that little light comes through, the
surface is painted with what a deep layer throws back.
"""
import bpy

from . import module

DROPS = "Rivulet Droplets"


def thrown_back(absorption, scattering):
    """The share of light that a deep layer throws back: Kubelka and Munk with K/S = 3 absorption / reduced scattering."""
    ratio = 3 * absorption / max(scattering, 1e-9)
    return 1 + ratio - (ratio * ratio + 2 * ratio) ** 0.5


def _math(tree, operation, first, second, at):
    node = tree.nodes.new("ShaderNodeMath")
    node.operation, node.location = operation, at
    for socket, value in zip(node.inputs, (first, second)):
        if isinstance(value, (int, float)):
            socket.default_value = value
        elif value is not None:
            tree.links.new(value, socket)
    return node.outputs[0]


def _node(tree, kind, at):
    node = tree.nodes.new(kind)
    node.location = at
    return node


def _attribute(tree, name, at):
    node = _node(tree, "ShaderNodeAttribute", at)
    node.attribute_name = name
    return node.outputs["Fac"]


def material(name, metres):
    """The material of a liquid, made once for a file; metres: in a unit of the scene."""
    title = f"Rivulet {name.capitalize()}"
    found = bpy.data.materials.get(title)
    if found:
        return found
    made = bpy.data.materials.new(title)
    made.use_nodes = True
    for setting in ("use_screen_refraction", "use_raytrace_refraction"):  # Eevee before 4.2, and after
        if hasattr(made, setting):
            setattr(made, setting, True)
    liquid = module.load().liquids()[name]
    deep = tuple(thrown_back(a, s) for a, s in zip(liquid["absorption"], liquid["scattering"]))
    made.diffuse_color = (*(max(0.02, d) for d in deep), 1.0) if liquid["scattering"][0] > 1 else (0.6, 0.75, 0.85, 1.0)
    tree = made.node_tree
    tree.nodes.clear()
    output = _node(tree, "ShaderNodeOutputMaterial", (900, 0))
    if min(liquid["absorption"]) > 1e6:  # 1/m: a metal
        metal = _principled(tree, (0.78, 0.78, 0.79, 1.0), (300, 0))
        metal.inputs["Metallic"].default_value = 1.0
        tree.links.new(metal.outputs[0], output.inputs["Surface"])
        return made
    _clear_and_deep(tree, liquid, deep, output)
    most = max(liquid["absorption"])  # Volume Absorption takes density × (1 − colour) in a unit of the scene
    absorb = _node(tree, "ShaderNodeVolumeAbsorption", (560, -200))
    absorb.inputs["Density"].default_value = most * metres
    absorb.inputs["Color"].default_value = (*(1 - a / most for a in liquid["absorption"]), 1.0)
    tree.links.new(absorb.outputs[0], output.inputs["Volume"])
    return made


def _principled(tree, colour, at):
    node = _node(tree, "ShaderNodeBsdfPrincipled", at)
    node.inputs["Base Color"].default_value = colour
    node.inputs["Roughness"].default_value = 0.02
    return node


def _clear_and_deep(tree, liquid, deep, output):
    """Clear where light comes through, painted where it does not, and faded out by wetness where a film ends."""
    clear = _node(tree, "ShaderNodeBsdfGlass", (300, 200))
    clear.inputs["IOR"].default_value = liquid["index"]
    clear.inputs["Roughness"].default_value = 0.0
    painted = _principled(tree, (*deep, 1.0), (300, 0))
    painted.inputs["IOR"].default_value = liquid["index"]
    hides = _math(tree, "MULTIPLY", _attribute(tree, "depth", (-500, 100)), -max(liquid["scattering"]), (-300, 100))
    hidden = _math(tree, "SUBTRACT", 1.0, _math(tree, "EXPONENT", hides, None, (-120, 100)), (60, 100))
    body, film = (_node(tree, "ShaderNodeMixShader", (x, 100)) for x in (560, 730))
    nothing = _node(tree, "ShaderNodeBsdfTransparent", (560, 260))
    # Rays to lamps go straight through: what refraction would focus is noise at any sensible number of samples.
    ray = _node(tree, "ShaderNodeLightPath", (200, 560))
    through = _math(tree, "SUBTRACT", 1.0, hidden, (230, 300))
    lit = _math(tree, "MULTIPLY", through, ray.outputs["Is Shadow Ray"], (400, 380))
    seen = _math(tree, "SUBTRACT", _attribute(tree, "wetness", (380, 560)), lit, (560, 420))
    for mix, parts in ((body, (hidden, clear.outputs[0], painted.outputs[0])),
                       (film, (seen, nothing.outputs[0], body.outputs[0]))):
        for part, socket in zip(parts, mix.inputs):
            tree.links.new(part, socket)
    tree.links.new(film.outputs[0], output.inputs["Surface"])


def _sockets(group):
    for name, side in (("Geometry", "INPUT"), ("Material", "INPUT"), ("Geometry", "OUTPUT")):
        if hasattr(group, "interface"):  # Blender 4
            group.interface.new_socket(name, in_out=side, socket_type=f"NodeSocket{name}")
        else:
            (group.inputs if side == "INPUT" else group.outputs).new(f"NodeSocket{name}", name)


def _spheres():
    """The node group: a smooth sphere on every vertex, as large as its attribute radius."""
    group = bpy.data.node_groups.get(DROPS)
    if group:
        return group
    group = bpy.data.node_groups.new(DROPS, "GeometryNodeTree")
    _sockets(group)
    kinds = {"in": "NodeGroupInput", "out": "NodeGroupOutput", "ball": "GeometryNodeMeshIcoSphere",
             "smooth": "GeometryNodeSetShadeSmooth", "paint": "GeometryNodeSetMaterial",
             "wet": "GeometryNodeStoreNamedAttribute", "deep": "GeometryNodeStoreNamedAttribute",
             "put": "GeometryNodeInstanceOnPoints", "radius": "GeometryNodeInputNamedAttribute"}
    nodes = {name: group.nodes.new(kind) for name, kind in kinds.items()}
    for i, node in enumerate(nodes.values()):
        node.location = (200 * i, 0)
    nodes["radius"].data_type = "FLOAT"
    nodes["radius"].inputs[0].default_value = "radius"
    nodes["ball"].inputs["Radius"].default_value = 1.0
    nodes["ball"].inputs["Subdivisions"].default_value = 3
    # The material asks for these; a drop counts as a centimetre deep.
    for name, attribute, value in (("wet", "wetness", 1.0), ("deep", "depth", 0.01)):
        nodes[name].inputs["Name"].default_value = attribute
        next(s for s in nodes[name].inputs if s.enabled and s.name == "Value").default_value = value
    radius = next(s for s in nodes["radius"].outputs if s.enabled and s.name == "Attribute")
    for start, end in ((nodes["in"].outputs["Geometry"], nodes["put"].inputs["Points"]),
                       (nodes["ball"].outputs["Mesh"], nodes["smooth"].inputs["Geometry"]),
                       (nodes["smooth"].outputs[0], nodes["paint"].inputs["Geometry"]),
                       (nodes["in"].outputs["Material"], nodes["paint"].inputs["Material"]),
                       (nodes["paint"].outputs[0], nodes["wet"].inputs["Geometry"]),
                       (nodes["wet"].outputs[0], nodes["deep"].inputs["Geometry"]),
                       (nodes["deep"].outputs[0], nodes["put"].inputs["Instance"]),
                       (radius, nodes["put"].inputs["Scale"]),
                       (nodes["put"].outputs[0], nodes["out"].inputs[0])):
        group.links.new(start, end)
    return group


def drops_as_spheres(thing):
    """Gives an object of points the nodes that show them."""
    thing.modifiers.new(DROPS, "NODES").node_group = _spheres()
    drops_material(thing)


def drops_material(thing):
    """Hands the nodes the object's material."""
    modifier = thing.modifiers.get(DROPS)
    if modifier is None or modifier.node_group is None or not thing.data.materials:
        return
    group = modifier.node_group
    sockets = group.interface.items_tree if hasattr(group, "interface") else group.inputs
    modifier[next(s.identifier for s in sockets if s.name == "Material")] = thing.data.materials[0]
