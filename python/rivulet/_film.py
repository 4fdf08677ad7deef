"""Pictures and films as files."""
import os

import numpy as np

from . import _rivulet


def _pixels(picture, channels):
    array = np.asarray(picture)
    if array.ndim != 3 or array.shape[2] not in (3, 4) or array.dtype != np.uint8:
        raise ValueError(f"a picture is uint8 of (height, width, 3 or 4), not {array.dtype} of {array.shape}")
    return np.ascontiguousarray(array[:, :, :channels])


def write_picture(path, picture):
    """Writes a .png from an array of (height, width, 3 or 4) bytes."""
    array = _pixels(picture, 4)
    _rivulet.write_picture(os.fspath(path), array, array.shape[1], array.shape[0], array.shape[2])


class Film:
    """A film, written by ffmpeg: pictures of one size, `rate` of them a second. It appears when it is finished.

        with rivulet.Film("out.mp4", rate=30) as film:
            for _ in range(90):
                world.step(1 / 30)
                film.push(world.picture(640, 400))
    """

    def __init__(self, path, rate=30.0):
        self.path, self.rate, self.frames = os.fspath(path), float(rate), 0
        self._film = None

    def push(self, picture):
        """The next picture."""
        array = _pixels(picture, 3)
        if self._film is None:
            self._film = _rivulet.film(self.path, array.shape[1], array.shape[0], self.rate)
        self._film.push(array)
        self.frames += 1

    def finish(self):
        """Ends the film and gives it its name."""
        if self._film is None:
            raise _rivulet.Error(f"{self.path}: a film without pictures")
        self._film.finish()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            self.finish()
        elif self._film is not None:
            self._film.abort()
