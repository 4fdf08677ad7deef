"""Liquid on solid things, in real time: films, puddles, rivulets, splashes, rain on glass.

    import rivulet
    world = rivulet.World("coffee", {"grid.dx": "2 mm"})
    world.step(0.5)
    columns = world.columns()

Units are SI: metre, second, kilogram, radian. z is up. docs/python.md has the tour.
"""
import atexit as _atexit
import os as _os

_here = _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "scenes")
if _os.path.isdir(_here):  # an installed module brings its scenes along
    _os.environ.setdefault("RIVULET_SCENES", _here)

from . import _rivulet
from ._arrays import Numbers, StaleError, Table, View
from ._film import Film, write_picture
from ._params import Key, Params, keys
from ._progress import Progress
from ._rivulet import Error, Form, driver, liquids, scenes
from ._solids import form
from ._study import Study
from ._world import Bodies, Things, World

__version__ = _rivulet.version
__all__ = ["Bodies", "Error", "Film", "Form", "Key", "Numbers", "Params", "Progress", "StaleError", "Study", "Table",
           "Things", "View", "World", "driver", "form", "keys", "liquids", "scenes", "write_picture"]

_os.register_at_fork(after_in_child=_rivulet.forked)
_atexit.register(_rivulet.end)
