"""From arrays and dicts to what a scene file says, and the forms that go with it."""
import json
import os

import numpy as np

from . import _rivulet


def _floats(array, axes, what):
    array = np.ascontiguousarray(array, np.float32)
    if array.ndim != axes:
        raise ValueError(f"{what}: {axes} axes are expected, not {array.ndim}")
    return array


def form(vertices=None, triangles=None, *, heights=None, size=None, volume=None, first=(0, 0, 0), step=(1, 1, 1),
         file=None, **keys):
    """Makes a solid from data, to be used as {"form": it} in worlds and edits.

    vertices, triangles   (n, 3) places in metres and (m, 3) indices; without triangles each three vertices are one
    heights, size         (ny, nx) heights in metres from low y, over size = (width, length) metres
    volume, first, step   (nz, ny, nx) values, the middle of the first voxel, and the edges of a voxel in metres
    file, size            a mesh, a volume, or a height map of `size`
    keys                  those of the table "form": fit, origin, thickness, threshold, … (rivulet.keys("form"))

    The lock of the interpreter is released meanwhile. `report` of what comes out tells what was found and mended.
    """
    if sum(x is not None for x in (vertices, heights, volume, file)) != 1:
        raise TypeError("one of vertices, heights, volume and file is expected")
    kind, across, corners = 3, (1, 1), None
    if vertices is not None:
        kind, data = 0, _floats(vertices, 2, "vertices")
        corners = None if triangles is None else np.ascontiguousarray(triangles, np.uint32).reshape(-1, 3)
    elif heights is not None:
        kind, data = 1, _floats(heights, 2, "heights")
        across = (data.shape[1], data.shape[0])
        if size is None:
            raise TypeError("size: (width, length) in metres is expected with heights")
    elif volume is not None:
        kind, data = 2, _floats(volume, 3, "volume")
        across = (data.shape[2], data.shape[1])
    else:
        data = os.fspath(file)
    return _rivulet.form(kind, data, corners, across, (0.0, 0.0) if size is None else tuple(size)[:2], first, step, keys)


# Keys of a solid in a dict that make a form of it.
_DATA = ("vertices", "triangles", "heights", "volume", "first", "step")


def _solid(solid, forms):
    """A solid without arrays: those become forms, under names that stand for files."""
    solid = dict(solid)
    data = {k: solid.pop(k) for k in _DATA if k in solid}
    made = solid.pop("form", None)
    if data:
        shape = "volume" if "volume" in data else "heights" if "heights" in data else "mesh"
        data.update((k, solid.pop(k)) for k in _rivulet_form_keys() if k in solid)
        if shape == "heights" and "size" in solid:
            data["size"] = solid.pop("size")
        made = form(**data)
    if made is not None:
        name = next((n for n, f in forms.items() if f is made), f"array-{len(forms)}")
        forms[name] = made
        solid.update(shape=made.shape, file=name)
    if "solids" in solid:
        solid["solids"] = [_solid(s, forms) for s in solid["solids"]]
    return solid


def _rivulet_form_keys():
    return [row["key"] for row in _rivulet.table("form")]


def _jsonable(value):
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a scene cannot hold {type(value).__name__}: {value!r}")


def scene_text(scene):
    """A dict as the text of a scene file, which JSON is, and the forms that it names."""
    scene, forms = dict(scene), {}
    if "solids" in scene:
        scene["solids"] = [_solid(s, forms) for s in scene["solids"]]
    if "events" in scene:
        scene["events"] = [dict(e) for e in scene["events"]]
        for event in scene["events"]:
            if "tool" in event:
                tool = event["tool"]
                event["tool"] = [_solid(s, forms) for s in ([tool] if isinstance(tool, dict) else tool)]
    return json.dumps(scene, default=_jsonable), forms


def flat(settings, before=""):
    """{"grid": {"dx": 1}} and {"grid.dx": 1} as the latter."""
    found = {}
    for key, value in (settings or {}).items():
        if isinstance(value, dict):
            found.update(flat(value, before + key + "."))
        else:
            found[before + key] = value.tolist() if isinstance(value, np.ndarray) else value
    return found


def grid_of_heights(heights, dx):
    """The grid that a height field is, with room above it."""
    low, high = float(np.min(heights)), float(np.max(heights))
    room = max(high - low, 20 * dx, 0.02)
    return {"grid.nx": heights.shape[1], "grid.ny": heights.shape[0], "grid.dx": dx, "grid.bottom": low - dx,
            "grid.top": high + room}


def grid_of_box(low, high, dx):
    """A grid over a box, a few cells larger, with room above it."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    cells = np.ceil((high - low)[:2] / dx).astype(int) + 8
    room = max(0.25 * (high[2] - low[2]), 10 * dx)
    return {"grid.nx": int(cells[0]), "grid.ny": int(cells[1]), "grid.dx": dx, "grid.x": float(low[0] + high[0]) / 2,
            "grid.y": float(low[1] + high[1]) / 2, "grid.bottom": float(low[2]), "grid.top": float(high[2]) + room}
