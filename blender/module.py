"""Finds the Python module `rivulet`: the one that `make blender` put beside this file, else one that is installed."""
import importlib
import os
import sys

_BESIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "module")


def load():
    """The module; ImportError with a line for the user where there is none."""
    if "rivulet" in sys.modules:
        return sys.modules["rivulet"]
    beside = os.path.isdir(_BESIDE)
    if beside:
        sys.path.insert(0, _BESIDE)
    try:
        return importlib.import_module("rivulet")
    except ImportError as error:
        python = ".".join(map(str, sys.version_info[:2]))
        raise ImportError(f"the module rivulet cannot be loaded ({error}); this Blender has Python {python}, the module "
                          "needs 3.11 or newer") from error
    finally:
        if beside:
            sys.path.remove(_BESIDE)
