"""Parameters as attributes and as a mapping, with the units and meanings of the library's one table."""
from collections.abc import Mapping

from . import _rivulet
from ._arrays import Numbers


class Key(Numbers):
    """What the table says of a key: key, type, unit, default, low, high, words, meaning, fixed."""

    def __init__(self, row):
        super().__init__(row)
        self.words = tuple(row["words"].split("|")) if row["words"] else None

    @property
    def text(self):
        """All of it in a line."""
        parts = [self.meaning]
        if self.unit not in ("", "1"):
            parts.append(f"in {self.unit}")
        if self.words:
            parts.append("one of " + ", ".join(self.words))
        elif self.low is not None:
            parts.append(f"{self.low:g} … {self.high:g}")
        parts.append(f"default {self.default}" + ("; cannot change while the world lives" if self.fixed else ""))
        return "; ".join(parts)


def keys(table="parameters"):
    """The keys of a table by name: of the parameters, or of a solid, fill, source, drain, event, body, emitter, press, form."""
    return {row["key"]: Key(row) for row in _rivulet.table(table)}


def _attribute(row):
    def get(self):
        return self._world._get_param(row.key)

    def put(self, value):
        self._world._set_params({row.key: value})

    return property(get, put, doc=row.text)


class _Group:
    """Parameters of a group; help() of its class has their docs."""

    __slots__ = ("_world",)

    def __init__(self, params):
        self._world = params._world

    def __repr__(self):
        return f"<parameters {type(self).__name__}.*: {' '.join(n for n in dir(type(self)) if n[0] != '_')}>"


class Params(Mapping):
    """The parameters of a world.

    By key, world.params["liquid.viscosity"], or as attributes, world.params.liquid.viscosity. Values may be texts with
    units: "5 mm". Those of a world that cannot change are refused. update() changes several at once, or none.
    """

    __slots__ = ("_world",)

    def __init__(self, world):
        self._world = world

    def __getitem__(self, key):
        return self._world._get_param(key)

    def __setitem__(self, key, value):
        self._world._set_params({key: value})

    def update(self, changes):
        """Changes several at once: all of them, or none."""
        self._world._set_params(dict(changes))

    def __iter__(self):
        return iter(_KEYS)

    def __len__(self):
        return len(_KEYS)

    def __repr__(self):
        return "\n".join(f"{key:<28} {value}" for key, value in self.items())


def _make_groups():
    table, groups = keys(), {}
    for key, row in table.items():
        group, dot, name = key.partition(".")
        if dot:
            groups.setdefault(group, {"__slots__": ()})[name] = _attribute(row)
        else:
            setattr(Params, key, _attribute(row))
    for group, members in groups.items():
        kind = type(group, (_Group,), {**members, "__module__": __name__})
        names = ", ".join(sorted(members.keys() - {"__slots__"}))
        setattr(Params, group, property(kind, doc=f"parameters {group}.*: {names}"))
    return table


_KEYS = _make_groups()
