"""Which source a question is about, where nobody said: the one table of a dataset, or the one that it names.

A question that would do for several tables is about none of them: a wrong table answers as readily as the
right one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from ..compiling import Program, Read
from ..dataset import Scope
from ..mapping import fold
from .demonstration import Pattern
from .mentions import LONGEST, runs
from .words import Wording

CLEAR = 1.5
"""A source is meant if so many times as much is named of it as of the next."""
_LETTERS = 3
"""Shorter names are in any table."""


def find_source(
    wording: Wording, scope: Scope, patterns: Sequence[Pattern]
) -> Program[tuple[str | None, bool]]:
    """The source that is asked, and whether that is settled: not so where one is needed and none is clear."""
    if scope.source is not None:
        return scope.source, True
    sources = yield Read("some_sources", {"datasets": list(scope.datasets), "limit": 2})
    if len(sources) == 1 and sources[0]["kind"] == "table":
        return str(sources[0]["name"]), True
    if not any(pattern.source for pattern in patterns):
        return None, True
    named = {fold(wording.said(*run)): run for run in runs(len(wording.words), LONGEST)}
    names = sorted(name for name in named if len(name) >= _LETTERS)
    rows = yield Read("sources_naming", {"datasets": list(scope.datasets), "names": names})
    found = _clear({row["source"]: row["names"] for row in rows}, named)
    return found, found is not None


def _clear(
    sources: Mapping[str, Sequence[str]], named: Mapping[str, tuple[int, int]]
) -> str | None:
    """The source of which clearly most is named; a name counts the less the more sources have it."""
    having = Counter(name for names in sources.values() for name in names)
    worth: dict[str, float] = defaultdict(float)
    for source, names in sources.items():
        taken: list[tuple[int, int]] = []
        for name in sorted(names, key=lambda name: (-len(name), name)):
            first, last = named[name]
            if all(last <= begin or end <= first for begin, end in taken):
                taken.append((first, last))
                worth[source] += (last - first) / having[name]
    best = sorted(worth, key=lambda source: -worth[source])
    if not best or (len(best) > 1 and worth[best[0]] < CLEAR * worth[best[1]]):
        return None
    return best[0]
