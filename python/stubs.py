"""Writes python/rivulet/_params.pyi, the types of all parameters, from the library's table: `make docs` runs it."""
import sys

sys.path.pop(0)  # the folder of this file has the sources of the module, not the module
import rivulet

TYPES = {"float": "float", "int": "int", "bool": "bool", "vector": "tuple[float, float, float]"}


def type_of(row):
    return "Literal[" + ", ".join(f'"{w}"' for w in row.words) + "]" if row.words else TYPES[row.type]


def member(name, row):
    kind = type_of(row)
    return (f"    @property\n    def {name}(self) -> {kind}:\n        \"\"\"{row.text}\"\"\"\n"
            f"    @{name}.setter\n    def {name}(self, value: {kind} | str) -> None: ...\n")


def main():
    groups, top = {}, {}
    for key, row in rivulet.keys().items():
        group, dot, name = key.partition(".")
        if dot:
            groups.setdefault(group, {})[name] = row
        else:
            top[group] = row
    print("# Made by python/stubs.py from the table of parameters.")
    print("from collections.abc import Iterator, Mapping\nfrom typing import Any, Literal\n\nfrom ._arrays import Numbers\n")
    print('''class Key(Numbers):
    key: str
    type: Literal["float", "int", "bool", "str", "vector"]
    unit: str
    default: Any
    low: float | None
    high: float | None
    words: tuple[str, ...] | None
    meaning: str
    fixed: bool
    @property
    def text(self) -> str: ...

def keys(table: str = ...) -> dict[str, Key]: ...
''')
    for group, rows in groups.items():
        print(f"class {group}:")
        print("".join(member(name, row) for name, row in rows.items()))
    print('''class Params(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any: ...
    def __setitem__(self, key: str, value: Any) -> None: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def update(self, changes: Mapping[str, Any]) -> None: ...''')
    for group in groups:
        print(f"    @property\n    def {group}(self) -> {group}: ...")
    print("".join(member(name, row) for name, row in top.items()), end="")


main()
