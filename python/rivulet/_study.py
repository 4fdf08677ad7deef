"""Studies: many worlds from one scene, on all cores (docs/study.md)."""
import json
import os
import warnings

import numpy as np

from . import _rivulet
from ._arrays import Numbers
from ._progress import Progress


def _plain(value):
    """What json does not know: numbers and arrays of numpy, paths."""
    return value.tolist() if hasattr(value, "tolist") else os.fspath(value)


class Study:
    """Runs of one scene with parameters that differ: `rivulet study` from Python.

        study = rivulet.Study("reach.yaml")
        study.run(progress=True)
        table = study.table()

    Instead of a file a dict with the same keys may be given; it needs `folder`. What is finished is not made again.
    """

    def __init__(self, source, folder=None):
        if isinstance(source, dict):
            self._text, self._path = json.dumps(source, default=_plain), "dict"
        else:
            self._text, self._path = None, os.fspath(source)
        self._folder = None if folder is None else os.fspath(folder)
        self.folder, self.scene, self.time, rows = self._call()
        self.runs = [values for values, _ in rows]

    def _call(self, jobs=0, threads=1, first=0, last=0, again=False, make=False, told=None):
        return _rivulet.study(self._text, self._path, self._folder, jobs, threads, first, last, again, make, told)

    def __len__(self):
        return len(self.runs)

    def __repr__(self):
        return f"<rivulet.Study of {self.scene}, {len(self)} runs in {self.folder}>"

    @property
    def states(self):
        """How each run is on the disk: 'to do', 'done', 'not finite', 'failed', 'stopped', 'other settings'."""
        return [state for _, state in self._call()[3]]

    def run(self, jobs=None, threads=1, only=None, again=False, progress=None):
        """Makes the runs that are not finished, or `only` run 3, or (3, 7), and the table of those that have ended.

        jobs: runs at the same time; by default one for each core. progress: True for a bar, or a function of the share
        that is done, the runs that have ended, and those there are to make; where it returns False, they stop.
        Returns the numbers of runs that were made, are done, not finite or failed. A run that failed is a warning.
        """
        first, last = (0, 0) if only is None else only if isinstance(only, tuple) else (only, only)
        bar = Progress(title="study") if progress is True else None

        def told(share, ended, runs):
            return bar(share, f"{ended} of {runs} runs") if bar else progress(share, ended, runs)

        try:
            ended = self._call(jobs or 0, threads, first, last, again, True, told if progress else None)
        finally:
            if bar:
                bar.close()
        for number, state, why in ended:
            if state in ("failed", "not finite"):
                warnings.warn(f"run {number} {state}: {why.splitlines()[0] if why else ''}", stacklevel=2)
        states = self.states
        counts = {name: states.count(name) for name in ("done", "not finite", "failed", "stopped", "to do")}
        return Numbers({"made": sum(state == "done" for _, state, _ in ended),
                        **{name.replace(" ", "_"): count for name, count in counts.items()}})

    def table(self):
        """The table of results as arrays by name: run, status, parameters, statistics ('deepest', 'deepest.max')."""
        with np.load(os.path.join(self.folder, "table.npz")) as arrays:
            return {name: arrays[name] for name in arrays.files}
