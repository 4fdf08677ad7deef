"""Triangles in numpy: sheets made solid, liquid closed below, maps seen from above. Knows nothing of Blender."""
import numpy as np


def border(triangles, count):
    """The directed edges (a, b) of triangles that have no other side, of a mesh of so many vertices."""
    if not len(triangles):
        return np.empty((0, 2), np.int64)
    triangles = triangles.astype(np.int64)
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    key = edges[:, 0] * count + edges[:, 1]
    other = edges[:, 1] * count + edges[:, 0]
    return edges[~np.isin(key, other)]


def walled(triangles, count):
    """Triangles of a sheet, its other side (vertices numbered on from count, in the same order), and walls between."""
    triangles = triangles.astype(np.int64)
    open_edges = border(triangles, count)
    a, b = open_edges[:, 0], open_edges[:, 1]
    walls = np.concatenate([np.stack([b, a, a + count], axis=1), np.stack([b, a + count, b + count], axis=1)])
    return np.concatenate([triangles, triangles[:, ::-1] + count, walls]).astype(np.int32)


def joined(points, triangles):
    """Vertices in the same place as one: what a modifier left apart is no border."""
    places, index = np.unique(points, axis=0, return_inverse=True)
    triangles = index.reshape(-1)[triangles]
    whole = (triangles[:, 0] != triangles[:, 1]) & (triangles[:, 1] != triangles[:, 2]) & \
            (triangles[:, 2] != triangles[:, 0])
    return places, triangles[whole]


def plate(points, triangles, thickness):
    """A sheet made solid on the side that its faces turn away from, so that liquid stands on the faces themselves."""
    corners = points[triangles]
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(points)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], faces)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    return np.concatenate([points, points - thickness * normals]), walled(triangles, len(points))


def closed_liquid(frame, sink):
    """A frame whose surface is a sheet over columns, closed by the bed under it, `sink` metres below where it is.

    In place: vertices, normals, triangles, velocity, depth. The bed is the sheet less its depth.
    """
    count = len(frame["vertices"])
    below = frame["vertices"].copy()
    below[:, 2] -= frame["depth"] + np.float32(sink)
    frame["triangles"] = walled(frame["triangles"], count)
    frame["vertices"] = np.concatenate([frame["vertices"], below])
    frame["normals"] = np.concatenate([frame["normals"], -frame["normals"]])
    for name in ("velocity", "depth"):
        frame[name] = np.concatenate([frame[name]] * 2)


def _inside(k):
    """Places over a triangle as shares of its corners, k along each side."""
    i, j = np.meshgrid(np.arange(k), np.arange(k))
    keep = i + j < k
    second, third = (i[keep] + 1 / 3) / k, (j[keep] + 1 / 3) / k
    return np.stack([1 - second - third, second, third], axis=1)


class Map:
    """Numbers over a grid as seen from above: of what is put in, the highest counts in each cell."""

    def __init__(self, nx, ny, dx, missing=0.5):
        self.nx, self.ny, self.dx = nx, ny, dx
        self.value = np.full(nx * ny, missing, np.float32)
        self.height = np.full(nx * ny, -np.inf)

    def put(self, corners, values):
        """corners (m, 3, 3) in metres around the grid's middle; values: a function of corners' shares.

        values(which, shares) gives (len(which), len(shares)) numbers: of triangles at places in them.
        """
        flat = corners[:, :, :2]
        longest = np.linalg.norm(flat - np.roll(flat, 1, axis=1), axis=2).max(axis=1)
        # Half a cell apart, in powers of two, so that there are few sizes to go through.
        sizes = 2 ** np.ceil(np.log2(np.clip(2 * longest / self.dx, 1, 2048))).astype(int)
        for size in np.unique(sizes):
            shares = _inside(size)
            of_size = np.flatnonzero(sizes == size)
            at_once = max(1, 2_000_000 // len(shares))
            for first in range(0, len(of_size), at_once):
                which = of_size[first:first + at_once]
                self._scatter(np.einsum("sc,mcd->msd", shares, corners[which]).reshape(-1, 3),
                              values(which, shares).reshape(-1))

    def _scatter(self, points, values):
        x = np.floor(points[:, 0] / self.dx + 0.5 * self.nx).astype(np.int64)
        y = np.floor(points[:, 1] / self.dx + 0.5 * self.ny).astype(np.int64)
        inside = (x >= 0) & (x < self.nx) & (y >= 0) & (y < self.ny)
        cell, z, values = (y * self.nx + x)[inside], points[inside, 2], values[inside]
        order = np.lexsort((z, cell))
        last = np.flatnonzero(np.append(np.diff(cell[order]) > 0, True)) if len(order) else order
        top = order[last]
        top = top[z[top] > self.height[cell[top]]]
        self.height[cell[top]] = z[top]
        self.value[cell[top]] = values[top]

    def picture(self):
        """(ny, nx) with its first row at the far side, as the library's maps are."""
        return self.value.reshape(self.ny, self.nx)[::-1].copy()


def of_vertices(weights):
    """Values for Map.put from a number at each corner, (m, 3)."""
    return lambda which, shares: weights[which] @ shares.T


def of_picture(uv, pixels):
    """Values for Map.put from a picture (rows from below, columns) over corners' places in it, (m, 3, 2)."""
    rows, columns = pixels.shape

    def values(which, shares):
        at = np.einsum("sc,mcd->msd", shares, uv[which]) % 1.0
        return pixels[(at[..., 1] * rows).astype(int) % rows, (at[..., 0] * columns).astype(int) % columns]
    return values
