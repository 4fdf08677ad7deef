"""From Blender's objects to what the library takes. All is read here, in the main thread, before a bake begins.

The domain's own frame, its place and rotation without its scale, becomes the library's: metres, z up, the middle of the
domain at 0. A scene's unit scale (metres in a unit) is in the matrix between the two.
"""
import os

import bpy
import numpy as np
from mathutils import Matrix, Vector

from . import meshes, module
from .work import Job

MOST_CELLS = 16_000_000
MOST_MOVERS = 16


def box_of(thing):
    """The corners (8, 3) of an object in its own space; an empty counts as a cube of its display size."""
    if thing.type == "EMPTY":
        size = thing.empty_display_size
        return np.array([(x, y, z) for x in (-size, size) for y in (-size, size) for z in (-size, size)])
    return np.array(thing.bound_box)


def placed(points, matrix):
    matrix = np.array(matrix)
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def frame_of(domain):
    """The domain's frame in the scene, a matrix without scale, and its size, in units of the scene."""
    place, turn, scale = domain.matrix_world.decompose()
    corners = box_of(domain)
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle = domain.matrix_world @ Vector((low + high) / 2)
    return Matrix.Translation(middle) @ turn.to_matrix().to_4x4(), np.abs((high - low) * np.array(scale))


def parts_of(scene, role):
    """The objects of a scene with a role, that are not hidden from renders."""
    return [thing for thing in scene.objects if thing.rivulet.role == role and not thing.hide_render]


def mesh_of(thing, into, depsgraph, cell):
    """Points (n, 3) in metres and triangles of an object with its modifiers, solid inside; corners with a map's values."""
    own = thing.rivulet
    evaluated = thing.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
    try:
        mesh.calc_loop_triangles()
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        triangles = np.empty(3 * len(mesh.loop_triangles), np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
        triangles = triangles.reshape(-1, 3)
        values = map_of(thing, mesh, triangles)
    finally:
        evaluated.to_mesh_clear()
    if not len(triangles):
        raise ValueError(f"{thing.name}: a mesh without faces cannot be a solid")
    matrix = into @ evaluated.matrix_world
    points = placed(points.reshape(-1, 3).astype(np.float64), matrix)
    corners = points[triangles]
    if matrix.determinant() < 0:  # mirrored: the faces turn inward
        triangles = triangles[:, ::-1]
    points, triangles = meshes.joined(points, triangles)
    thickness = own.thickness * into.median_scale
    is_open = own.body == "AUTO" and len(meshes.border(triangles, len(points))) > 0
    if is_open or own.body == "PLATE":
        points, triangles = meshes.plate(points, triangles, 2 * cell if is_open else thickness)
    return points.astype(np.float32), triangles.astype(np.int32), corners, values


def map_of(thing, mesh, triangles):
    """Values for meshes.Map of an object's map of wetting; None where it has none."""
    own = thing.rivulet
    if own.map == "GROUP":
        group = thing.vertex_groups.get(own.group)
        if not group:
            raise ValueError(f"{thing.name}: no vertex group '{own.group}'")
        weights = np.zeros(len(mesh.vertices))
        for vertex in mesh.vertices:
            for entry in vertex.groups:
                if entry.group == group.index:
                    weights[vertex.index] = entry.weight
        return meshes.of_vertices(0.5 + (own.affinity - 0.5) * weights[triangles])
    if own.map == "IMAGE":
        if not own.image or not own.image.size[0]:
            raise ValueError(f"{thing.name}: choose an image as the map of wetting")
        if not mesh.uv_layers.active:
            raise ValueError(f"{thing.name}: the mesh has no UV map to lay the image on")
        loops = np.empty(triangles.size, np.int32)
        mesh.loop_triangles.foreach_get("loops", loops)
        uv = np.empty(2 * len(mesh.loops), np.float32)
        mesh.uv_layers.active.data.foreach_get("uv", uv)
        width, height = own.image.size
        pixels = np.empty(width * height * own.image.channels, np.float32)
        own.image.pixels.foreach_get(pixels)
        pixels = pixels.reshape(height, width, -1)[:, :, :3].mean(axis=2)
        return meshes.of_picture(uv.reshape(-1, 2)[loops].reshape(-1, 3, 2), pixels)
    return None


def source_of(thing, into):
    """A source's keys: a disk as wide as the object is across."""
    box = placed(box_of(thing), into @ thing.matrix_world)
    middle, size = (box.min(axis=0) + box.max(axis=0)) / 2, np.ptp(box, axis=0)
    return {"at": middle.tolist(), "radius": 0.5 * float(max(size[0], size[1])),
            "rate": 1e-6 * thing.rivulet.rate}


def region_of(thing, into):
    """The keys of the box around an object, and what its role has besides."""
    box = placed(box_of(thing), into @ thing.matrix_world)
    keys = {"from": box.min(axis=0).tolist(), "to": box.max(axis=0).tolist()}
    if thing.rivulet.role == "FILL":
        return {**keys, "kind": "level", "level": keys["to"][2]}
    return {**keys, "rate": 1e-6 * thing.rivulet.rate} if thing.rivulet.limited else keys


def solids_of(solids, into, depsgraph, cell):
    """The solids of the library's scene, and what maps are made from."""
    found, maps, movers = [], [], 0
    for thing in solids:
        own = thing.rivulet
        points, triangles, corners, values = mesh_of(thing, into, depsgraph, cell)
        solid = {"vertices": points, "triangles": triangles}
        if own.own_angle:
            solid.update(advancing=own.advancing, receding=min(own.receding, own.advancing), contact=own.advancing)
        if own.motion == "MOVES":
            movers += 1
            solid["mover"] = movers
        found.append(solid)
        maps.append((corners, values))
    if movers > MOST_MOVERS:
        raise ValueError(f"{movers} solids move; the library has room for {MOST_MOVERS}")
    return found, maps if any(values for _, values in maps) else []


def extra_of(text):
    """`key=value; key=value` as a dict."""
    pairs = [pair.split("=", 1) for pair in text.replace("\n", ";").split(";") if pair.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"More: '{text}': key=value is expected, and a semicolon between")
    return {key.strip(): value.strip() for key, value in pairs}


def folder_of(domain):
    """The folder of a domain's cache; without a saved file one that goes with this run of Blender."""
    folder = domain.rivulet.folder or "//rivulet_cache"
    if folder.startswith("//") and not bpy.data.filepath:
        folder = os.path.join(bpy.app.tempdir, folder[2:])
    return os.path.join(bpy.path.abspath(folder), bpy.path.clean_name(domain.name))


class Gatherer:
    """Makes the job of a domain: at once, and where things move by one frame of the scene after the other, so that
    the caller may draw between them: for share in gatherer.frames(): …; then gatherer.job."""

    def __init__(self, scene, domain):
        self.scene, self.domain, self.job = scene, domain, None
        own = domain.rivulet
        if own.last < own.first:
            raise ValueError(f"{domain.name}: the last frame, {own.last}, comes before the first, {own.first}")
        solids = parts_of(scene, "SOLID")
        self.movers = [s for s in solids if s.rivulet.motion == "MOVES"]
        self.drills = [s for s in solids if s.rivulet.motion == "DRILL"]
        self.solids = [s for s in solids if s.rivulet.motion != "DRILL"]
        self.sources, self.drains, self.fills = (parts_of(scene, role) for role in ("SOURCE", "DRAIN", "FILL"))

    def frames(self):
        own, name = self.domain.rivulet, self.scene.name  # an undo meanwhile leaves no other hold
        now = (self.scene.frame_current, self.scene.frame_subframe)
        try:
            if now != (own.first, 0.0):
                self.scene.frame_set(own.first)
            yield 0.0
            self._begin()
            follow = any(t.rivulet.follow for t in self.sources + self.drains)
            count = own.last - own.first if self.movers or self.drills or follow else -1
            for i in range(count + 1):
                self.scene.frame_set(own.first + i)
                self.job.tracks.append(self._track())
                yield i / max(1, count)
        finally:
            if name in bpy.data.scenes:
                bpy.data.scenes[name].frame_set(now[0], subframe=now[1])

    def _begin(self):
        own, scene = self.domain.rivulet, self.scene
        depsgraph = bpy.context.evaluated_depsgraph_get()
        frame, size = frame_of(self.domain)
        metres = scene.unit_settings.scale_length
        self.into = Matrix.Scale(metres, 4) @ frame.inverted()
        dx, size = own.cell * metres, size * metres
        nx, ny = (max(1, int(round(s / dx))) for s in size[:2])
        if nx * ny > MOST_CELLS:
            raise ValueError(f"{self.domain.name}: {nx} × {ny} cells; make the cells larger")
        solids, maps = solids_of(self.solids, self.into, depsgraph, dx)
        self.start = {t.name: self._matrix(t) for t in self.movers + self.drills}
        seconds = own.speed * scene.render.fps_base / scene.render.fps
        viscosity = module.load().liquids()[own.liquid]["viscosity"] * own.thicker
        gravity = frame.to_3x3().inverted() @ scene.gravity if scene.use_gravity else Vector((0, 0, 0))
        made = {
            "solver": own.solver, "gravity": list(gravity),
            "grid": {"nx": nx, "ny": ny, "dx": dx, "bottom": -size[2] / 2, "top": size[2] / 2},
            "time": {"step": min(0.01, seconds)},
            "liquid": {"preset": own.liquid, "viscosity": viscosity},
            "border": {side: own.border for side in ("west", "east", "south", "north")},
            "solids": solids,
            "sources": [source_of(t, self.into) for t in self.sources],
            "drains": [region_of(t, self.into) for t in self.drains],
            "fills": [region_of(t, self.into) for t in self.fills],
        }
        if own.solver != "splat":
            made.update(spray={"on": own.spray}, surface={"curtain": not own.close})
        made = {key: value for key, value in made.items() if value != []}
        self.job = Job(folder_of(self.domain), made, extra_of(own.extra), maps,
                       [self._drill(t, depsgraph, dx) for t in self.drills], own.first, own.last, seconds,
                       particles=own.particles, threads=own.threads)

    def _matrix(self, thing):
        return self.into @ thing.matrix_world

    def _drill(self, thing, depsgraph, dx):
        points, triangles, _, _ = mesh_of(thing, self.into, depsgraph, dx)
        return points - np.array(self._matrix(thing).translation, np.float32), triangles

    def _track(self):
        """Where everything is at the frame the scene is at, as plain numbers: repr of them tells whether two differ."""
        follow = [(i, t) for i, t in enumerate(self.sources) if t.rivulet.follow]
        drains = [(i, t) for i, t in enumerate(self.drains) if t.rivulet.follow and t.rivulet.limited]
        return {"movers": {i + 1: self._rigid(t, about_origin=False) for i, t in enumerate(self.movers)},
                "drills": [self._rigid(t, about_origin=True) for t in self.drills],
                "sources": {i: source_of(t, self.into) for i, t in follow},
                "drains": {i: 1e-6 * t.rivulet.rate for i, t in drains}}

    def _rigid(self, thing, about_origin):
        """Shift and turn (quaternion) from the first frame; of a drill its place and turn."""
        now = self._matrix(thing)
        change = now @ self.start[thing.name].inverted_safe()
        place, turn, scale = change.decompose()
        if max(abs(s - 1) for s in scale) > 0.01:
            raise ValueError(f"{thing.name}: its scale is animated; a moving solid can only be shifted and turned")
        return tuple(now.translation if about_origin else place), tuple(turn)
