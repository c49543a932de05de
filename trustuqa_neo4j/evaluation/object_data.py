"""Plain data in the object format of Python, read without running code.

Each operation of the format is a row of a table here. There are rows for texts, numbers, lists, dictionaries,
tuples and sets. A file with another operation, or with a call of anything but a set, is refused.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import MissingFile, UnreadableFile

_MARK = object()
_SETS = {f"{module} {name}": kind for module in ("builtins", "__builtin__")
         for name, kind in (("set", set), ("frozenset", frozenset))}  # fmt: skip
"""The only names that a file may call."""
_HINT = "give the file as released; nothing in it is run"


class _Machine:
    # A stack of values; ``memo`` has those that are used again.
    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def pop(self) -> Any:
        return self.stack.pop()

    def pop_to_mark(self) -> list[Any]:
        place = len(self.stack) - 1 - self.stack[::-1].index(_MARK)
        members = self.stack[place + 1 :]
        del self.stack[place:]
        return members

    def pop_last(self, count: int) -> tuple[Any, ...]:
        members = tuple(self.stack[len(self.stack) - count :])
        del self.stack[len(self.stack) - count :]
        return members

    def get_set(self, name: str) -> None:
        if name not in _SETS:
            raise UnreadableFile(f"it calls {name.replace(' ', '.')}", hint=_HINT)
        self.push(_SETS[name])

    def make_set(self) -> None:
        arguments, kind = self.pop(), self.pop()
        if kind not in _SETS.values():
            raise ValueError("a call of a value")
        self.push(kind(*arguments))

    def extend(self, members: list[Any]) -> None:
        self.stack[-1].extend(members)

    def push_dict(self, members: list[Any]) -> None:
        self.push({})
        self.update(members)

    def update(self, members: list[Any]) -> None:
        self.stack[-1].update(zip(members[::2], members[1::2], strict=True))

    def add_members(self, members: list[Any]) -> None:
        self.stack[-1].update(members)

    def memoize(self, place: int | None) -> None:
        self.memo[len(self.memo) if place is None else place] = self.stack[-1]


_CONSTANTS = (
    "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "STRING", "BINSTRING",
    "SHORT_BINSTRING", "BINBYTES", "SHORT_BINBYTES", "UNICODE", "SHORT_BINUNICODE", "BINUNICODE",
    "BINUNICODE8", "FLOAT", "BINFLOAT",
)  # fmt: skip
_OPERATIONS: dict[str, Callable[[_Machine, Any], None]] = {
    **dict.fromkeys(_CONSTANTS, _Machine.push),
    **dict.fromkeys(("PROTO", "FRAME", "STOP"), lambda *_: None),
    "NONE": lambda machine, _: machine.push(None),
    "NEWTRUE": lambda machine, _: machine.push(True),
    "NEWFALSE": lambda machine, _: machine.push(False),
    "MARK": lambda machine, _: machine.push(_MARK),
    "EMPTY_LIST": lambda machine, _: machine.push([]),
    "EMPTY_DICT": lambda machine, _: machine.push({}),
    "EMPTY_SET": lambda machine, _: machine.push(set()),
    "EMPTY_TUPLE": lambda machine, _: machine.push(()),
    "TUPLE1": lambda machine, _: machine.push(machine.pop_last(1)),
    "TUPLE2": lambda machine, _: machine.push(machine.pop_last(2)),
    "TUPLE3": lambda machine, _: machine.push(machine.pop_last(3)),
    "TUPLE": lambda machine, _: machine.push(tuple(machine.pop_to_mark())),
    "LIST": lambda machine, _: machine.push(machine.pop_to_mark()),
    "DICT": lambda machine, _: machine.push_dict(machine.pop_to_mark()),
    "FROZENSET": lambda machine, _: machine.push(frozenset(machine.pop_to_mark())),
    "APPEND": lambda machine, _: machine.extend([machine.pop()]),
    "APPENDS": lambda machine, _: machine.extend(machine.pop_to_mark()),
    "SETITEM": lambda machine, _: machine.update([*machine.pop_last(2)]),
    "SETITEMS": lambda machine, _: machine.update(machine.pop_to_mark()),
    "ADDITEMS": lambda machine, _: machine.add_members(machine.pop_to_mark()),
    "GLOBAL": _Machine.get_set,
    "STACK_GLOBAL": lambda machine, _: machine.get_set(" ".join(machine.pop_last(2))),
    "REDUCE": lambda machine, _: machine.make_set(),
    **dict.fromkeys(("MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT"), _Machine.memoize),
    **dict.fromkeys(
        ("GET", "BINGET", "LONG_BINGET"), lambda machine, place: machine.push(machine.memo[place])
    ),
    "POP": lambda machine, _: machine.stack.__delitem__(-1),
}  # fmt: skip


def read_object_data(path: Path) -> Any:
    """Return the value in the file.

    Raises:
        MissingFile, UnreadableFile: it is not there, is cut off, or has more than plain data in it.
    """
    machine = _Machine()
    try:
        with path.open("rb") as file:
            for operation, argument, _ in pickletools.genops(file):
                if operation.name not in _OPERATIONS:
                    raise UnreadableFile(f"it does {operation.name}", hint=_HINT)
                _OPERATIONS[operation.name](machine, argument)
        (value,) = machine.stack
        if value is _MARK:
            raise ValueError("an open list")
    except UnreadableFile as error:
        raise UnreadableFile(
            f"more than plain data: {error.what}", where=str(path), hint=_HINT
        ) from None
    except FileNotFoundError as error:
        raise MissingFile("no such file", where=str(path), hint=_HINT) from error
    except (OSError, ValueError, LookupError, AttributeError, TypeError) as error:
        problem = "not the object format of Python, or cut off"
        raise UnreadableFile(problem, where=str(path), hint=_HINT) from error
    return value
