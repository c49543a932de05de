"""The statements of ``cypher/``, read by name.

A statement file begins with a comment: one sentence, then a line per parameter (``$name: what``). What
is declared there and what the statement uses must agree both ways, and so must what is sent: checked
here, once, rather than found as a null result later. Statements are sent byte for byte as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_DECLARED = re.compile(r"^//\s*\$(\w+):", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*")
_USED = re.compile(r"\$(\w+)")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: its name, its text as it is sent, its sentence, and its parameters."""

    name: str
    text: str
    summary: str
    parameters: frozenset[str]

    def check(self, given: Mapping[str, Any]) -> None:
        """Refuse parameters other than those declared.

        Raises:
            TypeError: one is missing or one too many; a fault of the caller.
        """
        if given.keys() != self.parameters:
            missing = ", ".join(sorted(self.parameters - given.keys())) or "none"
            extra = ", ".join(sorted(given.keys() - self.parameters)) or "none"
            raise TypeError(f"statement {self.name}: missing {missing}; not declared {extra}")


def read(name: str, text: str) -> Statement:
    """The statement in ``text``.

    Raises:
        ValueError: it has no sentence, or declares other parameters than it uses.
    """
    declared = frozenset(_DECLARED.findall(text))
    used = frozenset(_USED.findall(_COMMENT.sub("", text)))
    if declared != used:
        raise ValueError(f"{name}: declares {sorted(declared)}, uses {sorted(used)}")
    first = text.split("\n", 1)[0]
    if not first.startswith("// ") or not first.endswith("."):
        raise ValueError(f"{name}: begins with no comment that is a sentence")
    return Statement(name, text, first[3:], declared)


@cache
def statement(name: str) -> Statement:
    """The statement in ``cypher/NAME.cypher``."""
    path = files("trustuqa_neo4j.cypher").joinpath(f"{name}.cypher")
    return read(name, path.read_text(encoding="utf-8"))


def names() -> list[str]:
    """The names of all statements."""
    folder = files("trustuqa_neo4j.cypher").iterdir()
    return sorted(f.name.removesuffix(".cypher") for f in folder if f.name.endswith(".cypher"))
