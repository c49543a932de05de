"""Programs that look up the patterns of demonstrations: those nearest to a question, or all of them.

A question is asked for whole, with its names: what is not a word of any pattern finds nothing by full text
and moves a vector little. What the two ways bring is put together by ranks, since the score of a full-text
index cannot be compared with a cosine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..compiling import Encode, Program, Read, Row
from ..mapping import worded
from .demonstration import Demonstration, Pattern, State

FILTERED = 10
"""Times as many patterns are looked at where only those with some source or fields are wanted."""
DEEPER = 10
"""Times as many are asked of an index that cannot be told the dataset."""
ALL = 50_000
"""Patterns of a dataset that are read at most."""

_EVEN = 60
"""Added to ranks before they are put together, as is usual: one first place does not beat two seconds."""


@dataclass(frozen=True, slots=True)
class Askable:
    """What is known of how far a dataset can be asked after its demonstrations.

    ``patterns`` is how many there were when it was calibrated: from the score ``threshold`` on it answers,
    the ``share`` of questions that reach it, of which ``precision`` come out right. All None before that.
    ``taught``: there are patterns now; ``index`` is how their vectors are asked for, None without vectors.
    """

    dataset: str
    threshold: float | None = None
    share: float | None = None
    precision: float | None = None
    patterns: int | None = None
    taught: bool = False
    index: str | None = None


def near_patterns(
    question: str,
    askable: Mapping[str, Askable],
    limit: int,
    embedded: bool,
    *,
    source: str | None = None,
    fields: Mapping[str, str] | None = None,
) -> Program[list[Pattern]]:
    """The patterns most like ``question`` by words, and by meaning where there are vectors, best first.

    ``askable`` are the datasets looked in, as ``askable_of`` has them. ``limit`` patterns are looked for
    each way; of an index that can filter, in each dataset. With ``source`` or ``fields`` only those count
    that have such a demonstration, which is then the one shown.
    """
    there = [name for name, each in askable.items() if each.taught]
    if not there or limit < 1:
        return []
    wanted = limit if source is None and not fields else limit * FILTERED
    given: dict[str, Any] = {
        "datasets": there, "text": worded(question, there), "limit": wanted, "source": source,
        "fields": told_fields(fields or {}),
    }  # fmt: skip
    index = {name: each.index for name, each in askable.items() if each.taught and each.index}
    rows = (yield Encode((question,))) if embedded and index else []
    if not rows:
        found = yield Read("near_patterns_by_text", given)
    else:
        given |= {"embedded": list(index), "vector": rows[0]["vector"]}
        if "by dataset" in index.values():
            found = yield Read("near_patterns", given)
        else:
            found = yield Read("near_patterns_alone", given | {"depth": wanted * DEEPER})
    patterns = _fused(found)
    return patterns if wanted == limit else patterns[: 2 * limit * len(there)]


def all_patterns(datasets: Sequence[str], limit: int = ALL) -> Program[list[Pattern]]:
    """The patterns of each dataset, at most ``limit`` of them, in an order that is always the same."""
    found = yield Read("all_patterns", {"datasets": list(datasets), "limit": limit})
    return [_pattern(row) for row in found[0]["patterns"]]


def askable_of(datasets: Sequence[str]) -> Program[dict[str, Askable]]:
    """How far each dataset that is there can be asked."""
    rows = yield Read("askable_by_patterns", {"datasets": list(datasets)})
    names = ("dataset", "threshold", "share", "precision", "patterns", "any", "index")
    return {row["dataset"]: Askable(*(row[name] for name in names)) for row in rows}


def some_demonstrations(
    dataset: str, limit: int, states: Sequence[State] = ("verified",)
) -> Program[list[Demonstration]]:
    """At most ``limit`` demonstrations by their keys: as good as drawn by lot, and always the same."""
    given = {"dataset": dataset, "states": list(states), "after": "", "limit": limit}
    found = yield Read("page_of_demonstrations", given)
    return [demonstration(row) for row in found[0]["demonstrations"]]


def demonstration(row: Sequence[Any]) -> Demonstration:
    """A demonstration as statements give it."""
    question, query, answers, source, fields, state, why = row
    return Demonstration(
        question, query, None if answers is None else tuple(answers), source,
        dict(_field(told) for told in fields), state, why,
    )  # fmt: skip


def told_fields(fields: Mapping[str, str]) -> list[str]:
    """Fields as the database holds them: ``name=value`` each."""
    return sorted(f"{name}={value}" for name, value in fields.items())


def _field(told: str) -> tuple[str, str]:
    name, _, value = told.partition("=")
    return name, value


def _fused(found: list[Row]) -> list[Pattern]:
    """Patterns by the sum of what their ranks by meaning and by words are worth."""
    rows: list[list[Any]] = found[0]["patterns"]
    worth = dict.fromkeys(range(len(rows)), 0.0)
    for column in (-2, -1):
        scored = [place for place in worth if rows[place][column] is not None]
        scored.sort(key=lambda place: -rows[place][column])
        for rank, place in enumerate(scored, 1):
            worth[place] += 1 / (_EVEN + rank)
    order = sorted(worth, key=lambda place: (-worth[place], rows[place][1], rows[place][3]))
    return [_pattern(rows[place]) for place in order]


def _pattern(row: Sequence[Any]) -> Pattern:
    """A pattern with the cosine in place of the similarity that Neo4j tells (0 to 1)."""
    dataset, template, question, query, source, count, similarity, _score = row
    cosine = None if similarity is None else 2 * similarity - 1
    return Pattern(dataset, template, question, query, source, count, cosine)
