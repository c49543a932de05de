"""The rungs at which a name is found: *exact*, *folded*, *alias*.

Everything that stands at a rung is taken, since two things may share a name; the engine goes to the next
rung only where a step finds nothing. What is known of a name is handed in as ``Candidates``, so the same
code serves the synchronous and the asynchronous client, and tests need no database.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Candidate:
    """A name that exists, with its node's id where it is a node's; ``how`` it names it."""

    name: str
    node: int | None = None
    how: Literal["name", "key", "alias"] = "name"


@dataclass(frozen=True, slots=True)
class Mapped:
    """One name that was found: as given, as used, by which rung, how sure (1 = the same name)."""

    given: str
    used: str
    how: str
    score: float

    def to_dict(self) -> dict[str, str | float]:
        """As JSON."""
        return {"given": self.given, "used": self.used, "how": self.how, "score": self.score}


@dataclass(frozen=True, slots=True)
class Rung:
    """What stands at one rung for one name."""

    how: str
    candidates: tuple[Candidate, ...]
    score: float = 1.0

    @property
    def nodes(self) -> tuple[int, ...]:
        """Ids of the candidates that are nodes, each once: two names may be one node's."""
        return tuple(dict.fromkeys(c.node for c in self.candidates if c.node is not None))

    @property
    def names(self) -> tuple[str, ...]:
        """The distinct names of the candidates, in order."""
        return tuple(dict.fromkeys(c.name for c in self.candidates))

    def mapped(self, given: str) -> tuple[Mapped, ...]:
        """An entry for each name that is not the one given."""
        return tuple(
            Mapped(given, name, self.how, self.score) for name in self.names if name != given
        )


def rungs(given: str, candidates: Iterable[Candidate]) -> tuple[Rung, ...]:
    """The rungs at which something stands for ``given``, best first.

    ``candidates`` are those whose folded name, or one of whose folded aliases, is that of ``given``, and
    the one whose key it is. Each rung holds what stands above it too, so that going down never loses
    what was there.
    """
    found = tuple(candidates)
    named = tuple(c for c in found if c.how != "alias")
    exact = tuple(c for c in named if c.name == given)
    steps = [Rung("exact", exact)] if exact else []
    if len(named) > len(exact):
        steps.append(Rung("folded", named))
    if len(found) > len(named):
        steps.append(Rung("alias", found))
    return tuple(steps)
