"""Arrays of a world: those that look at its memory, and tables of several."""
import numpy as np


class StaleError(RuntimeError):
    """An array was used after the world that it looks at had changed."""


# What may be asked of a stale array: it says nothing about the liquid.
_HARMLESS = frozenset(("base", "dtype", "flags", "itemsize", "nbytes", "ndim", "shape", "size", "stale", "strides"))


def _plain(value):
    """The same without checks; raises StaleError where it is stale."""
    if isinstance(value, View):
        value._check()
        return np.ndarray.view(value, np.ndarray)
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(v) for v in value)
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return value


class View(np.ndarray):
    """An array in the world's own memory: no copy, read only, good until the world changes.

    After that every use raises StaleError; `stale` tells. Copies and results of arithmetic are plain arrays and stay.
    The memory lives as long as the array does, whatever becomes of the world: np.asarray takes the check away, not
    the safety.
    """

    def __array_finalize__(self, source):
        self._guard = getattr(source, "_guard", None)

    @property
    def stale(self):
        """Whether the world has changed since."""
        guard = self._guard
        return guard is not None and guard.stale

    def _check(self):
        if self.stale:
            raise StaleError("the world has changed since this array was asked for; ask again, or keep a copy()")

    def __getattribute__(self, name):
        if name[0] != "_" and name not in _HARMLESS:
            object.__getattribute__(self, "_check")()
        return super().__getattribute__(name)

    def __getitem__(self, key):
        self._check()
        found = super().__getitem__(_plain(key))
        if isinstance(found, View) and not np.may_share_memory(_plain(found), _plain(self)):
            return _plain(found)  # picked out one by one: a copy
        return found

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __array_ufunc__(self, ufunc, method, *inputs, **keys):
        return getattr(ufunc, method)(*_plain(inputs), **_plain(keys))

    def __array_function__(self, function, types, args, keys):
        return function(*_plain(args), **_plain(keys))

    def __repr__(self):
        return "<stale View>" if self.stale else repr(_plain(self))

    def __str__(self):
        return "<stale View>" if self.stale else str(_plain(self))

    def __reduce__(self):
        return _plain(self).__reduce__()

    def copy(self, order="C"):
        """A plain array of one's own."""
        return _plain(self).copy(order)

    def astype(self, *args, **keys):
        """A plain array of one's own, of another type."""
        return _plain(self).astype(*args, **keys)


def view(block):
    """A block that gets stale, as an array."""
    array = np.asarray(block).view(View)
    array._guard = block
    return array


class Table:
    """Arrays under names, as attributes and as a mapping: np.savez("state.npz", **world.columns())."""

    def __init__(self, kind, arrays, **facts):
        self.__dict__.update(facts, **arrays)
        self._kind, self._names = kind, tuple(arrays)

    def keys(self):
        """The names of the arrays."""
        return self._names

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return self[self._names[0]].shape[0]

    def __repr__(self):
        return f"<{self._kind}: {' '.join(f'{n} {self[n].shape}' for n in self._names)}>"


class Numbers:
    """Values under names, as attributes and as a mapping."""

    def __init__(self, values):
        self.__dict__.update(values)

    def keys(self):
        """The names."""
        return self.__dict__.keys()

    def __getitem__(self, name):
        return self.__dict__[name]

    def __iter__(self):
        return iter(self.__dict__)

    def __len__(self):
        return len(self.__dict__)

    def __repr__(self):
        return "\n".join(f"{k:>14}  {v:.6g}" if isinstance(v, float) else f"{k:>14}  {v}" for k, v in self.__dict__.items())
