"""How a function of the query language is declared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Shown: TypeAlias = Literal["always", "tables", "never"]
"""Whether a prompt tells of a function: for all data, where there are tables, or not at all."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter with a name: other names it goes by, whether ``<`` etc. may stand, how often."""

    name: str
    synonyms: tuple[str, ...] = ()
    ordered: bool = False
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """One function: name, its line for the prompt, and what it takes.

    ``least`` to ``most`` operands (None: any number): results, values or lists, given by position or as
    ``set``, ``set1`` …; by any name where ``loose``. ``parameters`` have names and stand beside them; where
    ``placed``, further values by position are theirs in this order. Those in ``needed`` must be given.
    What is not ``shown`` is understood, and never taught to a model.
    """

    name: str
    prompt: str
    synonyms: tuple[str, ...] = ()
    least: int = 0
    most: int | None = 0
    parameters: tuple[Parameter, ...] = ()
    loose: bool = False
    placed: bool = False
    needed: tuple[str, ...] = ()
    shown: Shown = "always"

    def parameter(self, given: str) -> Parameter | None:
        """The parameter called ``given``, or None."""
        wanted = given.casefold()
        found = next((p for p in self.parameters if wanted in (p.name, *p.synonyms)), None)
        if found is None and wanted[-1:].isdecimal():  # head_entity1, head_entity2: any of them
            bare = wanted.rstrip("0123456789_")
            found = next((p for p in self.parameters if p.repeats and p.name == bare), None)
        return found
