"""The world: what the C half does, with arrays, attributes and defaults."""
import math
import os
from collections.abc import Mapping

import numpy as np

from . import _rivulet
from ._arrays import Numbers, Table, view
from ._params import Params
from ._progress import Progress
from ._solids import flat, form, grid_of_box, grid_of_heights, scene_text

_KINDS = ("source", "drain", "emitter", "press", "body")


def _layout(name):
    size, fields = _rivulet.layouts()[name]
    return np.dtype({"names": [f[0] for f in fields], "formats": [f[2] for f in fields],
                     "offsets": [f[1] for f in fields], "itemsize": size})


def _points(points, across=3):
    array = np.ascontiguousarray(points, np.float64)
    if array.shape[-1:] != (across,):
        raise ValueError(f"points: the last axis must be {across} long, not of {array.shape}")
    return array


class Things(Mapping):
    """The sources of a world, or its drains, emitters, presses or bodies, by their numbers.

    add(**keys) makes one and returns its number, which is not used again; things[number] is a dict of its keys;
    set(number, **keys) changes some of them; `del things[number]` ends it. rivulet.keys("source") lists the keys; for
    `from`, a word of Python's own, write from_.
    """

    def __init__(self, world, kind):
        self._world, self._kind = world, kind

    def add(self, **keys):
        """Makes one and returns its number."""
        return self._world._things(self._kind, "add", 0, {k.rstrip("_"): v for k, v in keys.items()})

    def set(self, number, **keys):
        """Changes keys of one, from the next step on."""
        self._world._things(self._kind, "set", number, {k.rstrip("_"): v for k, v in keys.items()})

    def __getitem__(self, number):
        return self._world._things(self._kind, "get", number, {})

    def __delitem__(self, number):
        self._world._things(self._kind, "remove", number, {})

    def __iter__(self):
        for number in range(self._world._things(self._kind, "count", 0, {})):
            try:
                self[number]
            except KeyError:
                continue
            yield number

    def __len__(self):
        return sum(1 for _ in self)

    def __repr__(self):
        return f"<{_KINDS[self._kind]}: {dict(self)}>"


class Bodies(Things):
    """The bodies of a world by their numbers: things that fall in, float, sink and push back."""

    def set(self, number, **keys):
        """What a body is does not change; move() puts it elsewhere."""
        raise TypeError("what a body is does not change; move() puts it elsewhere")

    def state(self, number):
        """at, velocity, spin, turn (quaternion x y z w), and what the liquid did to it: force, torque, submerged, resting."""
        return Numbers(self._world._body(number))

    def move(self, number, at=None, velocity=None, spin=None, turn=None):
        """Puts a body somewhere and gives it a motion; None: as it is."""
        now, wanted = self._world._body(number), (at, velocity, spin, turn)
        pairs = zip(("at", "velocity", "spin", "turn"), wanted)
        self._world._body(number, *(now[name] if value is None else tuple(value) for name, value in pairs))


class World(_rivulet.World):
    """Liquid on solid things.

    World("coffee")                                 a shipped scene (rivulet.scenes()) or a scene file
    World({"grid": {...}, "solids": [...]})         a dict with the keys of a scene file; solids may have arrays
    World(heights=array, dx=0.001)                  the bed's height in each cell, (ny, nx) metres from low y
    World(vertices=v, triangles=t, dx=0.001)        a mesh as the solid, with a grid around it

    settings     parameters, {"liquid.viscosity": 1e-5, "grid.dx": "2 mm"}; they go before all else
    affinity     (rows, columns) of 0 … 1 over the grid, the first row at the far side (high y): where liquid is drawn
    threads      all cores where it is None; the result is the same for any number
    progress     True, or a function of a share and a text, told while the terrain is prepared
    """

    def __init__(self, scene=None, settings=None, *, heights=None, dx=None, vertices=None, triangles=None,
                 affinity=None, threads=None, progress=None):
        given, forms, text, width = {}, {}, None, 0
        if heights is not None:
            heights = np.ascontiguousarray(heights, np.float32)
            if heights.ndim != 2 or dx is None:
                raise TypeError("heights: an array of two axes and dx, the side of a cell in metres, are expected")
            given = grid_of_heights(heights, float(dx))
        elif vertices is not None:
            if dx is None or isinstance(scene, (str, os.PathLike)):
                raise TypeError("vertices: dx, the side of a cell in metres, is expected, and no scene file")
            solid = form(vertices, triangles)
            given = grid_of_box(solid.report["low"], solid.report["high"], float(dx))
            scene = {**(scene or {}), "solids": [{"form": solid}, *(scene or {}).get("solids", ())]}
        elif scene is None:
            raise TypeError("a scene, heights or vertices are expected")
        elif dx is not None:
            given["grid.dx"] = dx
        if scene is None or isinstance(scene, dict):
            text, forms = scene_text(scene or {})
            stated = flat(scene or {})
            given = {k: v for k, v in given.items() if k not in stated}
        if affinity is not None:
            affinity = np.ascontiguousarray(affinity, np.float32)
            width = affinity.shape[-1]
        if threads is not None and not 1 <= threads <= 1024:
            raise ValueError("threads: 1 to 1024 are expected")
        bar = Progress() if progress is True else progress or None
        self._make(text, "dict" if text is not None else os.fspath(scene), {**given, **flat(settings)}, forms,
                   int(threads or _rivulet.cores), heights, affinity, width, bar)

    # ---- Running ---------------------------------------------------------------------------------

    def step(self, seconds=None, *, progress=None):
        """Advances by seconds, in frames of the parameter time.step; without them, by one frame.

        The lock of the interpreter is released: other threads run, and step other worlds. `progress` is True for a
        bar, or a function that is told the share done and may return False to stop there. Ctrl-C stops too.
        """
        if progress is None:
            self._run(seconds, None)
            return
        bar = Progress(title=self.info["name"]) if progress is True else progress
        try:
            self._run(seconds, bar)
        finally:
            if isinstance(bar, Progress):
                bar.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    # ---- Changing --------------------------------------------------------------------------------

    def pour(self, at, radius, volume):
        """Pours volume (m³) on the first column below `at`, over a disk. Returns what found room."""
        return self._pour(at, radius, volume)

    def throw(self, at, velocity, volume):
        """Throws a droplet (with spray.on). Returns its volume, 0 where it cannot be."""
        return self._throw(at, velocity, volume)

    def stir(self, start, end, radius, dt):
        """Moves a rod of the radius from one point to another in dt seconds, and the liquid with it."""
        self._stir(start, end, radius, dt)

    def paint(self, at, radius, affinity):
        """Gives the cells of a disk an affinity for the liquid: 0 repels it, 1 draws it, 0.5 leaves the angles as they are."""
        self._paint(at, radius, affinity)

    def tilt(self, angle, toward=0.0):
        """Tilts the whole scene by an angle (rad) so that its side in direction `toward` (rad, from +x to +y) goes down."""
        strength = math.hypot(*self.params["gravity"])
        side = strength * math.sin(angle)
        self.params["gravity"] = (side * math.cos(toward), side * math.sin(toward), -strength * math.cos(angle))

    def edit(self, kind, tool, path=()):
        """Carves a tool out of the terrain, "carve", or puts it in, "add", along points joined by straight lines.

        The tool is a solid or a list of them, as in a scene file; without points it stands where it says. Liquid stays,
        is pushed aside, or falls into what opens. Returns a report: cells, changed, displaced, held.
        """
        event = {"kind": kind, "tool": tool, **({"path": _points(path).tolist()} if len(path) else {})}
        text, forms = scene_text({"events": [event]})
        return Numbers(self._edit(text, forms, int('"file"' in text)))

    def carve(self, tool, path=()):
        """edit("carve", …): drills, cuts."""
        return self.edit("carve", tool, path)

    def move(self, mover, shift=(0, 0, 0), rotate=(0, 0, 0), pivot=(0, 0, 0)):
        """Puts a moving solid (`mover`: its number) where it is, seen from where it was defined: turned about pivot
        (rad about x, then y, then z), then shifted."""
        return Numbers(self._move(mover, shift, rotate, pivot))

    # ---- Numbers ---------------------------------------------------------------------------------

    @property
    def params(self):
        """The parameters, world.params["liquid.viscosity"] or world.params.liquid.viscosity; see Params."""
        return Params(self)

    @property
    def stats(self):
        """Everything that is counted and measured: volume, wet, deepest, fastest, substeps, ms, …"""
        return Numbers(self._stats())

    @property
    def volume(self):
        """m³ of liquid now, without what flies."""
        return self._stats()["volume"]

    sources = property(lambda self: Things(self, 0), doc="what gives liquid; see Things and rivulet.keys('source')")
    drains = property(lambda self: Things(self, 1), doc="what takes liquid; see Things and rivulet.keys('drain')")
    emitters = property(lambda self: Things(self, 2), doc="what gives particles and drops; see Things")
    presses = property(lambda self: Things(self, 3), doc="pressure and wind on columns; see Things")
    bodies = property(lambda self: Bodies(self, 4), doc="things that fall in and float; see Bodies")

    # ---- Arrays ----------------------------------------------------------------------------------

    def columns(self):
        """The columns as a table, as a state file has them: x y layer min base max depth level u v. A copy; it stays."""
        p = self.params
        dx = p["grid.dx"]
        arrays = {k: np.asarray(b) for k, b in self._ask("columns").items()}
        return Table("columns", arrays, dx=dx, x0=p["grid.x"] - 0.5 * p["grid.nx"] * dx,
                     y0=p["grid.y"] - 0.5 * p["grid.ny"] * dx, time=self.time)

    def layers(self):
        """The columns where they lie, a table for each layer from below: min base max depth flux_x flux_y, and speed_x
        speed_y where the solver has them, as [y - y0, x - x0] over the cells that the layer covers. Views. A cell with
        max <= base has no column."""
        def table(layer):
            facts = {k: layer.pop(k) for k in ("x0", "y0")}
            return Table("layer", {k: view(b) for k, b in layer.items()}, **facts)
        return [table(layer) for layer in self._ask("layers").values()]

    def map(self, name, layer=0, missing=np.nan):
        """One of the columns' numbers over the whole grid, (ny, nx) from low y: map("level"), map("u"). A copy."""
        columns = self.columns()
        here = columns.layer == layer
        whole = np.full((self.params["grid.ny"], self.params["grid.nx"]), missing, np.float32)
        whole[columns.y[here], columns.x[here]] = columns[name][here]
        return whole

    def depth(self, layer=0):
        """The depth of a layer over the whole grid, (ny, nx) metres from low y; 0 where there is none. A copy."""
        return self.map("depth", layer, 0)

    def surface(self):
        """The liquid's surface: vertices, normals, velocity (n, 3), opacity, depth (n), triangles (m, 3), and with a
        meniscus contact (n, 4). No copy, and they stay: the next surface is made elsewhere while these are in use."""
        return Table("surface", {k: np.asarray(b) for k, b in self._ask("surface").items()}, time=self.time)

    def terrain(self):
        """The solids' surface: vertices, normals (n, 3), materials (n), triangles (m, 3)."""
        return Table("terrain", {k: np.asarray(b) for k, b in self._ask("terrain").items()})

    def particles(self):
        """The particles of solver splat, the drops of solver glass: x y z u v w volume. Views."""
        found = self._ask("particles")
        count, at, each = found.pop("count"), found.pop("at"), found.pop("each")
        same = dict(zip("xyzuvw", (*at, 0.0, 0.0, 0.0)), volume=each)
        arrays = {k: view(found[k]) if k in found else np.broadcast_to(np.float32(v), count) for k, v in same.items()}
        return Table("particles", arrays, each=each)

    def density(self):
        """The density that particles make, value[z, y, x], 1 as at rest, with dx and low, the corner of the grid. A view."""
        found = self._ask("density")
        return Table("density", {"value": view(found.pop("value"))}, **found)

    def pane(self):
        """The pane of solver glass: height, mist, affinity and drop as [y, x] from the lower edge. Views."""
        found = self._ask("pane")
        arrays = {k: view(found.pop(k)) for k in ("height", "mist", "affinity", "drop")}
        return Table("pane", arrays, **found)

    def droplets(self):
        """Droplets in the air: at, velocity (n, 3), radius (n), hangs (n). Views."""
        return Table("droplets", {k: view(b) for k, b in self._ask("droplets").items()})

    def beads(self):
        """What hangs at edges that drip: at (n, 3), radius, height, flow, thread, head, foot (n). A copy."""
        rows = np.asarray(self._ask("beads")["rows"])
        names = ("radius", "height", "flow", "thread", "head", "foot")
        return Table("beads", {"at": rows[:, :3], **{n: rows[:, 3 + i] for i, n in enumerate(names)}})

    # ---- Questions -------------------------------------------------------------------------------

    def sample(self, points):
        """The liquid at points (…, 3), in the layer at or below each: inside wet layer base level depth ceiling head u v,
        each (…), and normal (…, 3)."""
        points = _points(points)
        found = np.asarray(self._sample(points)).view(_SAMPLE).reshape(points.shape[:-1])
        return Table("sample", {name: found[name] for name in _SAMPLE.names})

    def cast(self, origins, directions):
        """Where rays first meet the liquid and the terrain: liquid terrain liquid_distance terrain_distance liquid_depth,
        each (…), and liquid_point terrain_point liquid_normal terrain_normal, each (…, 3)."""
        origins, directions = np.broadcast_arrays(_points(origins), _points(directions))
        rays = np.concatenate([origins, directions], axis=-1)
        found = np.asarray(self._cast(_points(rays, 6))).view(_HIT).reshape(rays.shape[:-1])
        return Table("hits", {name: found[name] for name in _HIT.names})

    def distance(self, points):
        """Signed distance to the solid at points (…, 3), negative inside."""
        points = _points(points)
        return np.asarray(self._distance(points)).reshape(points.shape[:-1])

    # ---- Pictures and files ----------------------------------------------------------------------

    def picture(self, width=None, height=None, **look):
        """A picture, uint8 (height, width, 4). Keywords are parameters view.* for this picture alone: azimuth=1.0,
        elevation="30 deg", zoom=2, mode="depth"; and look, of the liquid."""
        params = self.params
        width, height = width or params["view.width"], height or params["view.height"]
        changes = {"liquid.look" if k == "look" else k if "." in k else "view." + k: v for k, v in look.items()}
        return np.asarray(self._picture(int(width), int(height), changes))

    def write_mesh(self, path):
        """The liquid's surface, and drops on solids, as .ply, .obj, .glb, .vtp or .stl."""
        self._file("mesh", os.fspath(path))

    def write_terrain(self, path):
        """The solids' surface in the same formats."""
        self._file("terrain", os.fspath(path))

    def write_state(self, path):
        """The columns, particles or drops as .npz or .csv."""
        self._file("state", os.fspath(path))

    def save(self, path):
        """A snapshot as a file, to go on from with load()."""
        self._file("save", os.fspath(path))

    def load(self, path):
        """Goes on from a snapshot of a world made in the same way, bit for bit."""
        self._file("load", os.fspath(path))

    def __repr__(self):
        if self.closed:
            return "<rivulet.World, closed>"
        return f"<rivulet.World {self.info['name']}: {self.time:g} s, {1e6 * self.volume:.4g} ml>"


_SAMPLE, _HIT = _layout("sample"), _layout("hit")
