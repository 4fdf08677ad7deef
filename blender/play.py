"""Frames of the cache as meshes: what the scene shows changes with its frame, by a handler that stays with the file."""
import bpy
import numpy as np
from bpy.app.handlers import persistent
from mathutils import Matrix

from . import gather, looks, meshes
from .cache import Cache

WET = 1e-4  # m of depth at which the attribute wetness is 1


def ensure_objects(scene, domain):
    """The objects that show a domain's liquid and drops, made where they are not there."""
    own = domain.rivulet
    for name, title in (("mesh", "Liquid"), ("drops", "Droplets")):
        thing = getattr(own, name)
        if thing is None:
            label = f"{domain.name} {title}"
            thing = bpy.data.objects.new(label, bpy.data.meshes.new(label))
            thing.data.materials.append(looks.material(own.liquid, scene.unit_settings.scale_length))
            setattr(own, name, thing)
            if name == "drops":
                looks.drops_as_spheres(thing)
        if thing.name not in scene.objects:
            (domain.users_collection or [scene.collection])[0].objects.link(thing)


def _put(items, name, values):
    items.foreach_set(name, np.ascontiguousarray(values).reshape(-1))


def fill(mesh, vertices, triangles, attributes, normals=None):
    """Makes a mesh these triangles, or points where there are none, with attributes of its vertices."""
    mesh.clear_geometry()
    mesh.vertices.add(len(vertices))
    _put(mesh.vertices, "co", vertices.astype(np.float32))
    if len(triangles):
        count = len(triangles)
        mesh.loops.add(3 * count)
        _put(mesh.loops, "vertex_index", triangles.astype(np.int32))
        mesh.polygons.add(count)
        _put(mesh.polygons, "loop_start", np.arange(0, 3 * count, 3, dtype=np.int32))
        if not bpy.types.MeshPolygon.bl_rna.properties["loop_total"].is_readonly:  # later Blenders know it by the starts
            _put(mesh.polygons, "loop_total", np.full(count, 3, np.int32))
        _put(mesh.polygons, "use_smooth", np.ones(count, bool))
    mesh.update(calc_edges=True)
    for name, values in attributes.items():
        kind, field = ("FLOAT_VECTOR", "vector") if values.ndim == 2 else ("FLOAT", "value")
        attribute = mesh.attributes.get(name) or mesh.attributes.new(name, kind, "POINT")
        if len(values):
            _put(attribute.data, field, values.astype(np.float32))
    if normals is not None and len(triangles):
        if hasattr(mesh, "use_auto_smooth"):  # before 4.1
            mesh.use_auto_smooth = True
        mesh.normals_split_custom_set_from_vertices(normals)


def show(scene, domain):
    """Shows the scene's frame of a domain's cache: the last one after the end, none before the start."""
    own = domain.rivulet
    if own.mesh is None:
        return
    cache = Cache(gather.folder_of(domain))
    baked, now = cache.frames(), scene.frame_current
    arrays = cache.read(min(now, baked[-1])) if baked and now >= baked[0] else None
    if arrays is None:
        nothing = np.empty((0, 3), np.float32)
        arrays = {name: nothing for name in ("vertices", "normals", "triangles", "velocity", "drops", "drops_velocity")}
        arrays.update(depth=np.empty(0, np.float32), radii=np.empty(0, np.float32))
    if own.close and own.solver != "splat":
        meshes.closed_liquid(arrays, own.sink * own.cell * scene.unit_settings.scale_length)
    # Velocities are in the object's own space, a second; Cycles makes motion blur of an attribute with this name.
    rest = own.speed if baked and now <= baked[-1] else 0.0
    fill(own.mesh.data, arrays["vertices"], arrays["triangles"],
         {"velocity": rest * arrays["velocity"], "depth": arrays["depth"],
          "wetness": np.clip(arrays["depth"] / WET, 0, 1)}, arrays["normals"])
    if own.drops:
        fill(own.drops.data, arrays["drops"], (), {"velocity": rest * arrays["drops_velocity"],
                                                   "radius": arrays["radii"]})
    into_scene = gather.frame_of(domain)[0] @ Matrix.Scale(1 / scene.unit_settings.scale_length, 4)
    for thing in filter(None, (own.mesh, own.drops)):
        thing.matrix_world = into_scene  # from metres of the domain's frame


def show_all(scene):
    for domain in scene.objects:
        if domain.rivulet.role == "DOMAIN":
            show(scene, domain)


@persistent
def on_frame(scene, *_):
    show_all(scene)


@persistent
def on_load(*_):
    for scene in bpy.data.scenes:
        show_all(scene)


_HANDLERS = ((bpy.app.handlers.frame_change_post, on_frame), (bpy.app.handlers.load_post, on_load))


def register():
    for handlers, handler in _HANDLERS:
        handlers.append(handler)


def unregister():
    for handlers, handler in _HANDLERS:
        handlers.remove(handler)
