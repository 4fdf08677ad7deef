"""The cache of a bake: a file for each frame, info.json, and the state to go on from. Knows nothing of Blender.

Files appear whole or not at all: they are written under another name first.
"""
import glob
import json
import os

import numpy as np

ARRAYS = ("vertices", "normals", "triangles", "velocity", "depth", "drops", "radii", "drops_velocity")


class Cache:
    def __init__(self, folder):
        self.folder = folder

    def _path(self, name):
        return os.path.join(self.folder, name)

    def _write(self, name, put):
        os.makedirs(self.folder, exist_ok=True)
        path = self._path(name)
        with open(path + ".new", "wb") as file:
            put(file)
        os.replace(path + ".new", path)

    def frames(self):
        """The numbers of the frames that are there, in order."""
        names = glob.glob(os.path.join(glob.escape(self.folder), "frame_*.npz"))
        return sorted(int(os.path.basename(name)[6:-4]) for name in names)

    def _name(self, frame):
        return f"frame_{frame:06d}.npz"

    def write(self, frame, arrays):
        self._write(self._name(frame), lambda file: np.savez(file, **arrays))

    def read(self, frame):
        """The arrays of a frame; None where it is not baked or the file is damaged."""
        try:
            with np.load(self._path(self._name(frame))) as stored:
                return {name: stored[name] for name in ARRAYS}
        except (OSError, ValueError, KeyError, EOFError):
            return None

    def info(self):
        """What is known of the bake, {} where there is none."""
        try:
            with open(self._path("info.json"), encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return {}

    def write_info(self, info):
        self._write("info.json", lambda file: file.write(json.dumps(info, indent=1).encode()))

    def write_state(self, frame, snapshot, info):
        """The state after a frame, and info that names it; the state of before goes last."""
        self._write(f"state_{frame:06d}.bin", lambda file: file.write(snapshot))
        info["state"] = frame
        self.write_info(info)
        for path in self._states():
            if path != self._path(f"state_{frame:06d}.bin"):
                os.remove(path)

    def _states(self):
        return glob.glob(os.path.join(glob.escape(self.folder), "state_*.bin"))

    def read_state(self):
        """(frame, bytes) to go on from; (None, None) where there is none."""
        frame = self.info().get("state")
        try:
            with open(self._path(f"state_{frame:06d}.bin"), "rb") as file:
                return frame, file.read()
        except (OSError, TypeError, ValueError):
            return None, None

    def forget(self, after=None):
        """Removes all that a bake left, or the frames after one; nothing else in the folder is touched."""
        for frame in self.frames():
            if after is None or frame > after:
                os.remove(self._path(self._name(frame)))
        if after is not None:
            return
        for path in [*self._states(), self._path("info.json")]:
            if os.path.exists(path):
                os.remove(path)
        if os.path.isdir(self.folder) and not os.listdir(self.folder):
            os.rmdir(self.folder)
