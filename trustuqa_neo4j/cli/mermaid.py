"""Schemas and queries as pictures: Mermaid flowcharts, which GitHub and many editors draw.

A query is its steps, with what each found, from those that need no other to the answer. Of a schema, boxes
are what facts lead from (rows of a table, names of a graph) and what kind of thing they lead to; an arrow
between two bears the relations that do. A box for each relation, as in a class diagram, is unreadable from
about twenty on, and entity diagrams allow no name with a blank in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..answer import Answer
    from ..dataset import Schema, SchemaRelation

_LONGEST = 60
# All other characters are written as #N;, which no diagram takes for a part of itself.
_UNSAFE = re.compile(r"[^\w ]|_")
_NUMBERED = re.compile(r"\s+|[\x00-\x1f\x7f-\x9f]")
_KINDS = {"text": "names and texts", "number": "numbers", "date": "dates", "year": "years"}
_FROM = {"rows": ("row", "rows"), "names": ("graph", "names"), "facts": ("fact", "facts")}


def picture(schema: Schema, limit: int) -> str:
    """``schema`` as Mermaid text, with the ``limit`` relations of most facts."""
    shown = schema.relations[:limit]
    return "\n".join(["flowchart LR", *left_out(schema, limit), *flows(shown)])


def left_out(schema: Schema, limit: int) -> list[str]:
    """A box that says how many relations are not drawn, if any are not."""
    more = len(schema.relations) - limit
    said = f'  more["{more} more relations with fewer facts are not drawn"]'
    return [said] if more > 0 else []


def flows(relations: Iterable[SchemaRelation]) -> list[str]:
    """Relations as arrows from what they lead from to what kind of thing they lead to."""
    origins: dict[tuple[tuple[str, ...], tuple[str, ...]], str] = {}
    arrows: dict[tuple[str, str], list[SchemaRelation]] = {}
    for relation in relations:
        if not relation.facts:
            continue
        origin = origins.setdefault(
            (relation.leads_from, relation.sources), f"from{len(origins) + 1}"
        )
        for kind in relation.tails.shares:
            arrows.setdefault((origin, kind), []).append(relation)
    reached = dict.fromkeys(kind for _, kind in arrows)
    return [
        *(f'  {box}["{_origin(*origin)}"]' for origin, box in origins.items()),
        *(f'  to_{kind}(["{_KINDS[kind]}"])' for kind in reached),
        *(
            f'  {origin} -->|"{_labels(found, kind)}"| to_{kind}'
            for (origin, kind), found in arrows.items()
        ),
    ]


def steps(answer: Answer) -> str:
    """The steps of a query that ran, with what each found, and the answer."""
    lines = ["flowchart TD"]
    last = None
    for stage in answer.trace:
        if stage.step is None:
            continue
        last = f"step{stage.step}"
        told = [f"{stage.step}: {label(stage.given, 160)}", label(stage.found, 160)]
        if stage.members:
            told.append(label(", ".join(stage.members), 160))
        lines.append(f'  {last}["{"<br/>".join(told)}"]')
        lines += [f"  step{used} --> {last}" for used in stage.uses]
    values = ", ".join(map(str, answer.values[:5]))
    more = len(answer.values) - 5
    told_values = label(values, 160) + (f" and {more} more" if more > 0 else "")
    shown = told_values if answer.values else answer.outcome.replace("_", " ")
    lines.append(f'  answer(["{shown}"])')
    if last is not None:
        lines.append(f"  {last} --> answer")
    return "\n".join(lines)


def _origin(leads_from: tuple[str, ...], sources: tuple[str, ...]) -> str:
    what = " and ".join(_FROM[each][1] for each in leads_from)
    where = label(sources[0]) if len(sources) == 1 else f"{len(sources)} sources"
    return f"{what} of {where}"


def _labels(relations: Iterable[SchemaRelation], kind: str) -> str:
    counted = ((each, round(each.tails.shares[kind] * each.facts)) for each in relations)
    return "<br/>".join(f"{label(each.name)}: {count}" for each, count in counted)


def label(name: str, longest: int = _LONGEST) -> str:
    """``name`` as it may stand within the quotes of a label: nothing in it means anything to Mermaid."""
    one = _NUMBERED.sub(" ", name).strip() or " "
    cut = one if len(one) <= longest else one[: longest - 1] + "…"
    return _UNSAFE.sub(lambda found: f"#{ord(found[0])};", cut)
