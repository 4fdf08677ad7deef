"""Pictures and films as files."""
import contextlib
import os
import subprocess
import tempfile

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
        place = os.path.realpath(self.path)  # a link is followed, not replaced
        if os.path.exists(place) and not os.path.isfile(place):
            raise _rivulet.Error(f"{self.path}: is no regular file; a film can only be one")
        self._child, self._shape, self._place, self._part = None, None, place, f"{place}.part{os.getpid()}"

    def _start(self, shape):
        words = ["ffmpeg", "-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pixel_format", "rgb24",
                 "-video_size", f"{shape[1]}x{shape[0]}", "-framerate", f"{self.rate:g}", "-i", "pipe:0", "-an",
                 "-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0", "-c:v", "libx264", "-preset", "fast", "-crf", "18",
                 "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", f"file:{self._part}"]
        self._said = tempfile.TemporaryFile()
        try:
            self._child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._said)
        except FileNotFoundError:
            raise _rivulet.Error(f"{self.path}: a film needs the program ffmpeg, and there is none in PATH") from None
        self._shape = shape

    def push(self, picture):
        """The next picture."""
        array = _pixels(picture, 3)
        if self._shape is None:
            self._start(array.shape)
        if self._child is None:
            raise _rivulet.Error(f"{self.path}: the film is over")
        if array.shape != self._shape:
            raise ValueError(f"{self.path}: its pictures are of {self._shape}, not {array.shape}")
        try:
            self._child.stdin.write(array)
        except BrokenPipeError:
            self.finish()
        self.frames += 1

    def finish(self):
        """Ends the film and gives it its name."""
        if self._child is None:
            raise _rivulet.Error(f"{self.path}: a film without pictures, or one that is over")
        # ffmpeg ends with 0 when the disk was full for its last words: what it said and wrote counts
        if self._end() == 0 and not self._lines:
            try:
                _rivulet.check_film(self._part, self.frames)
                os.replace(self._part, self._place)
                return
            except (_rivulet.Error, OSError) as error:
                self._lines = [str(error)]
        lines = self._lines
        self.abort()
        raise _rivulet.Error(f"{self.path}: ffmpeg failed: {lines[-1] if lines else 'no reason given'}")

    def _end(self):
        child, self._child = self._child, None
        with contextlib.suppress(BrokenPipeError):
            child.stdin.close()
        code = child.wait()
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        self._lines = [line for line in lines if not line.startswith("ERROR: ld.so")]
        self._said.close()
        return code

    def abort(self):
        """Throws the film away."""
        if self._child is not None:
            self._child.terminate()
            self._end()
        with contextlib.suppress(FileNotFoundError):
            os.remove(self._part)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            self.finish()
        else:
            self.abort()
