"""The tiers at which existing names match a name: *exact*, *folded* (normalized) and *alias*.

All candidates of a tier are used, since two things may share a name; execution goes to the next tier only if
a step finds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Literal

from .similarity import SURE


@dataclass(frozen=True, slots=True)
class NameCandidate:
    """An existing name, the id of its node if it has one, and ``how`` the name belongs to the node."""

    name: str
    node: int | None = None
    how: Literal["name", "key", "alias"] = "name"


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A matched name: as ``given`` in the query, as ``used``, its tier, and its score (1 = the same name)."""

    given: str
    used: str
    how: str
    score: float

    def to_dict(self) -> dict[str, str | float]:
        return {"given": self.given, "used": self.used, "how": self.how, "score": self.score}


@dataclass(frozen=True, slots=True)
class MatchTier:
    how: str
    candidates: tuple[NameCandidate, ...]
    score: float = 1.0

    @property
    def nodes(self) -> tuple[int, ...]:
        """The distinct ids of nodes: two names may belong to one node."""
        return tuple(dict.fromkeys(c.node for c in self.candidates if c.node is not None))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c.name for c in self.candidates))

    def mapped(self, given: str) -> tuple[NameMatch, ...]:
        """A match for each name that differs from ``given``."""
        return tuple(
            NameMatch(given, name, self.how, self.score) for name in self.names if name != given
        )


def compute_certainty(matches: Iterable[NameMatch]) -> float:
    """The factor from 0 to 1 by which names that were read as nearest names lower a confidence.

    It is the product of the scores below ``SURE``, each as a share of it. A name counts once.
    """
    lowest: dict[str, float] = {}
    for match in matches:
        if match.how == "nearest":
            lowest[match.given] = min(match.score, lowest.get(match.given, SURE))
    return prod(score / SURE for score in lowest.values())


def match_tiers(name: str, candidates: Iterable[NameCandidate]) -> tuple[MatchTier, ...]:
    """The tiers with candidates for ``name``, best first.

    ``candidates`` have the same normalized name or alias as ``name``, or the key ``name``. Each tier also
    contains the candidates of the tiers above it.
    """
    candidates = tuple(candidates)
    names = tuple(c for c in candidates if c.how != "alias")
    exact = tuple(c for c in names if c.name == name)
    tiers = [MatchTier("exact", exact)] if exact else []
    if len(names) > len(exact):
        tiers.append(MatchTier("folded", names))
    if len(candidates) > len(names):
        tiers.append(MatchTier("alias", candidates))
    return tuple(tiers)
