"""Names as the query gives them → names that exist.

Rungs, tried in this order: *exact* (case kept, or the key of a node), then *folded* (case, accents, spaces
and punctuation aside), then *alias*. Everything that stands at a rung is taken, since two things may
share a name; the engine goes to the next rung only where a step finds nothing. Pure: what is known of a
name is handed in as ``Candidates``, so the same code serves the synchronous and the asynchronous client,
and tests need no database.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

FOLDED_LENGTH = 200
"""Folded names are cut to this many characters: an index entry holds some 8 kB at most."""

_APOSTROPHES = "'’‘‛`´΄᾽᾿ʹʻʼʽ′"
_DROPPED = re.compile(rf"[{_APOSTROPHES}]|(?<!\d)\.|\.(?!\d)")
_SEPARATOR = re.compile(r"(?:(?<!\d)[,.]|[,.](?!\d)|[\x00-+\-/:-@\[-`{-\x7f])+")
_NO_APOSTROPHES = str.maketrans("", "", _APOSTROPHES)
# Letters with a stroke, and ligatures: Unicode does not decompose them.
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"}
)


def fold(name: str) -> str:
    """``name`` without case, accents, quotes and punctuation: ``Spider-Man`` is ``spider man``.

    A dot or comma between digits stays (``1.5`` is not ``15``); a name without letters and digits stays
    as it is, so no name but the empty one is folded to nothing. At most ``FOLDED_LENGTH`` characters.
    """
    lowered = name.casefold() if name.isascii() else _without_accents(name)
    folded = _SEPARATOR.sub(" ", _DROPPED.sub("", lowered)).strip()
    if not folded:
        return lowered[:FOLDED_LENGTH].strip() or name[:FOLDED_LENGTH]
    return folded[:FOLDED_LENGTH].rstrip(" ,.")


def _without_accents(name: str) -> str:
    """In lower case, accents and invisible signs dropped, signs that are no letters as spaces."""
    # Apostrophes first: decomposed, some are a space with an accent.
    decomposed = unicodedata.normalize("NFKD", name.translate(_NO_APOSTROPHES))
    kept = map(_plain, decomposed.casefold().translate(_PLAIN))
    return unicodedata.normalize("NFC", "".join(kept))


def _plain(sign: str) -> str:
    if sign.isascii() or sign.isalnum():
        return sign
    if not unicodedata.category(sign).startswith("M"):
        return "" if unicodedata.category(sign) == "Cf" else " "
    return "" if _is_accent(sign) else sign


def _is_accent(mark: str) -> bool:
    """Whether ``mark`` may be left out: accents, Hebrew and Arabic points, forms of emoji.

    Other marks are vowels, tones and voicing of their scripts; without them different Hindi, Thai or
    Japanese words would be one.
    """
    place = unicodedata.combining(mark)
    form = "VARIATION SELECTOR" in unicodedata.name(mark, "")
    return (
        place == 1
        or 10 <= place <= 36
        or place >= 200
        or form
        or unicodedata.category(mark) == "Me"
    )


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
        return tuple(Mapped(given, name, self.how, 1.0) for name in self.names if name != given)


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


def suggestions(given: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Known names that ``given`` may be a slip of, nearest first."""
    by_folded = {fold(name): name for name in known}
    near = get_close_matches(fold(given), by_folded, n=most, cutoff=0.5)
    return [by_folded[folded] for folded in near]
