"""The bake: a thread that makes a world, steps it and writes frames. It is given arrays and knows nothing of Blender's
data; Python's lock is free while the library works, so nothing in Blender waits."""
import hashlib
import json
import threading
import warnings
from dataclasses import dataclass, field

import numpy as np
from mathutils import Quaternion, Vector

from . import meshes, module
from .cache import Cache

SAVE_EVERY = 25  # frames between states on disk, for going on after a crash


@dataclass
class Job:
    """All that a bake needs. Lengths in metres, in the domain's frame; z is up along the domain."""
    folder: str
    scene: dict             # of the library, with arrays in its solids
    settings: dict          # further parameters
    maps: list              # (corners (m, 3, 3), values or None) of all solids, where one has a map
    drills: list            # (vertices, triangles) around the drill's origin at the first frame
    first: int
    last: int
    seconds: float          # of a frame
    tracks: list = field(default_factory=list)  # a dict for each frame: what moves, as gather.track has it
    particles: bool = False
    threads: int = 0

    def signature(self):
        """Of all that must be the same to go on with a bake: everything but the last frame and the threads."""
        total = hashlib.sha256()

        def add(value):
            if isinstance(value, np.ndarray):
                total.update(np.ascontiguousarray(value).tobytes())
                return f"array {value.shape}"
            return repr(value)
        total.update(json.dumps([self.scene, self.settings, self.drills, self.first, self.seconds, self.particles,
                                 [corners for corners, _ in self.maps]], default=add, sort_keys=True).encode())
        if self.maps:
            total.update(self.affinity().tobytes())
        return total.hexdigest()

    def past(self, frame):
        """Of the motion up to a frame."""
        return hashlib.sha256(repr(self.tracks[:frame - self.first + 1]).encode()).hexdigest()

    def affinity(self):
        """The map of wetting over the grid; None where no solid has one."""
        if not self.maps:
            return None
        grid = self.scene["grid"]
        found = meshes.Map(grid["nx"], grid["ny"], grid["dx"])
        for corners, values in self.maps:
            found.put(corners, values or (lambda which, shares: np.full((len(which), len(shares)), 0.5)))
        return found.picture()


class Work(threading.Thread):
    """Bakes a job from its start, or from the state in its folder. Look at frame, error, text; set cancel."""

    def __init__(self, job, resume=False):
        super().__init__(name="rivulet bake", daemon=True)
        self.job, self.resume = job, resume
        self.cache = Cache(job.folder)
        self.cancel = threading.Event()
        self.frame = job.first - 1  # the last that is on disk
        self.text, self.error, self.warnings, self.done = "Preparing", None, [], False

    def run(self):
        try:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                self._bake()
            self.warnings = list(dict.fromkeys(str(w.message) for w in said))
        except Exception as error:  # whatever it is, the user is told and Blender goes on
            self.error = str(error) or type(error).__name__
        finally:
            self.done = True

    def _bake(self):
        job = self.job
        before, state = self.cache.read_state() if self.resume else (None, None)
        signature = job.signature()
        info = self.cache.info() if state else {}
        if state and (info.get("signature") != signature or info.get("past") != job.past(before)):
            raise ValueError("something was changed since this was baked; free the cache and bake anew")
        self.world = module.load().World(job.scene, job.settings, affinity=job.affinity(), threads=job.threads or None)
        if state:
            self.world.restore(state)
            self.frame = before
            self.cache.forget(after=before)
        else:
            self.cache.forget()
            info = {"signature": signature, "first": job.first, "volumes": {}}
            self._keep(job.first, info)
        self.text = "Baking"
        for frame in range(self.frame + 1, job.last + 1):
            if self.cancel.is_set():
                break
            self._step(frame)
            self._keep(frame, info)
        self._save(info)
        self.world.close()

    def _keep(self, frame, info):
        info["volumes"][str(frame)] = self.world.volume
        self.cache.write(frame, self._arrays())
        self.frame = frame
        if (frame - self.job.first) % SAVE_EVERY == 0:
            self._save(info)

    def _save(self, info):
        info["past"] = self.job.past(self.frame)
        info["volumes"] = {k: v for k, v in info["volumes"].items() if int(k) <= self.frame}
        self.cache.write_state(self.frame, self.world.snapshot(), info)

    def _arrays(self):
        surface = self.world.surface()
        arrays = {name: np.array(surface[name]) for name in ("vertices", "normals", "velocity", "depth")}
        arrays["triangles"] = np.array(surface.triangles, np.int32)
        at, speed, radius = [np.empty((0, 3))], [np.empty((0, 3))], [np.empty(0)]
        if self.job.scene["solver"] != "splat":
            drops = self.world.droplets()
            at.append(drops.at.copy()), speed.append(drops.velocity.copy()), radius.append(drops.radius.copy())
        elif self.job.particles:
            p = self.world.particles()
            at.append(np.stack([p.x, p.y, p.z], axis=1)), speed.append(np.stack([p.u, p.v, p.w], axis=1))
            radius.append(np.cbrt(0.75 / np.pi * np.asarray(p.volume)))
        arrays.update(drops=np.concatenate(at).astype(np.float32), radii=np.concatenate(radius).astype(np.float32),
                      drops_velocity=np.concatenate(speed).astype(np.float32))
        return arrays

    # ---- A frame, in parts that are short for what moves ------------------------------------------

    def _step(self, frame):
        job, world = self.job, self.world
        if not job.tracks:
            world.step(job.seconds)
            return
        before, after = job.tracks[frame - job.first - 1], job.tracks[frame - job.first]
        for number, source in after["sources"].items():
            world.sources.set(number, **source)
        for number, rate in after["drains"].items():
            world.drains.set(number, rate=rate)
        parts = max(1, int(np.ceil(job.seconds / world.params["time.step"])))
        for part in range(parts):
            self._move(before, after, part / parts, (part + 1) / parts)
            world.step(job.seconds / parts)

    def _move(self, before, after, begin, end):
        for number, now in after["movers"].items():
            place, turn = between(before["movers"][number], now, end)
            self.world.move(number, shift=tuple(place), rotate=tuple(turn.to_euler("XYZ")))
        for number, now in enumerate(after["drills"]):
            start, _ = between(before["drills"][number], now, begin)
            place, turn = between(before["drills"][number], now, end)
            vertices, triangles = self.job.drills[number]
            turned = vertices @ np.array(turn.to_matrix()).T
            path = [tuple(start), tuple(place)] if (place - start).length > 0 else [tuple(place)]
            self.world.carve({"vertices": turned.astype(np.float32), "triangles": triangles}, path=path)


def between(before, after, share):
    """(place, turn) between two of them."""
    place = Vector(before[0]).lerp(Vector(after[0]), share)
    return place, Quaternion(before[1]).slerp(Quaternion(after[1]), share)
