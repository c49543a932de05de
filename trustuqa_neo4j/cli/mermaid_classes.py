"""Schemas that have classes as pictures: a box for each class, with its values, and relations between them.

A flowchart as the others: a class diagram allows no name with a bracket or a colon in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..checking.vocabulary import TYPE
from ..mapping import fold
from .mermaid import flows, label, left_out

if TYPE_CHECKING:
    from ..dataset import Schema, SchemaClass, SchemaRelation


def picture(schema: Schema, limit: int) -> str:
    """``schema`` as Mermaid text: at most ``limit`` relations and classes, those with relations first."""
    relations = [r for r in schema.relations[:limit] if r.facts and fold(r.name) != TYPE]
    ends = {name for r in relations for name in (*r.starts_from, *r.leads_to)}
    drawn = sorted(schema.classes, key=lambda each: each.name not in ends)[:limit]
    boxes = {each.name: f"class{number}" for number, each in enumerate(drawn, 1)}
    within: dict[str, list[SchemaRelation]] = {}
    between: dict[tuple[str, str], list[SchemaRelation]] = {}
    others = []
    for relation in relations:
        starts = [name for name in relation.starts_from if name in boxes]
        reached = [name for name in relation.leads_to if name in boxes]
        if not starts or "rows" in relation.leads_from:
            others.append(relation)
        for start in starts:
            for end in reached:
                between.setdefault((start, end), []).append(relation)
            if not reached:
                within.setdefault(start, []).append(relation)
    more = len(schema.classes) - len(drawn)
    return "\n".join(
        [
            "flowchart LR",
            *left_out(schema, limit),
            *([f'  fewer["{more} more classes are not drawn"]'] if more else []),
            *(_box(boxes[each.name], each, within.get(each.name, [])) for each in drawn),
            *(
                f'  {boxes[start]} -->|"{_names(found)}"| {boxes[end]}'
                for (start, end), found in between.items()
            ),
            *_kinds(drawn, boxes),
            *flows(others),
        ]
    )


def _box(box: str, of: SchemaClass, within: list[SchemaRelation]) -> str:
    """A class with how many members it has and with its values."""
    head = f"<b>{label(of.name)}</b>" + (f": {of.members}" if of.members else "")
    values = (f"{label(each.name)}: {' or '.join(each.tails.shares)}" for each in within)
    return f'  {box}["{"<br/>".join((head, *values))}"]'


def _kinds(drawn: list[SchemaClass], boxes: Mapping[str, str]) -> list[str]:
    """What is a kind of what."""
    return [
        f'  {boxes[each.name]} -.->|"kind of"| {boxes[parent]}'
        for each in drawn
        for parent in each.kind_of
        if parent in boxes and parent != each.name
    ]


def _names(relations: list[SchemaRelation]) -> str:
    return "<br/>".join(f"{label(each.name)}: {each.facts}" for each in relations)
