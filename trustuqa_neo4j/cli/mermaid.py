"""Schemas and query steps as Mermaid flowcharts, which GitHub and many editors draw.

A schema without classes has a box for each origin of facts and each kind of value; an arrow lists the
relations between two boxes. A box per relation is unreadable from about twenty relations on. Entity and
class diagrams are not used, since they allow no blank, bracket or colon in a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ..errors import format_list
from ..evidence import format_value
from ..matching import normalize_name
from ..ontology.schema_knowledge import TYPE
from ..render.diagrams import escape_label

if TYPE_CHECKING:
    from ..answer import Answer
    from ..model.dataset import Schema, SchemaClass, SchemaRelation


_STEP_LENGTH = 160
_ANSWER_VALUES = 5
_KINDS = {"text": "names and texts", "number": "numbers", "date": "dates", "year": "years"}
_ORIGINS = {"rows": "rows", "names": "names", "facts": "facts"}


def draw_relations(schema: Schema, limit: int) -> str:
    return "\n".join(
        [
            "flowchart LR",
            *_omitted_relations(schema, limit),
            *_relation_arrows(schema.relations[:limit]),
        ]
    )


def _omitted_relations(schema: Schema, limit: int) -> list[str]:
    omitted = len(schema.relations) - limit
    box = f'  more["{omitted} more relations with fewer facts are not drawn"]'
    return [box] if omitted > 0 else []


def _relation_arrows(relations: Iterable[SchemaRelation]) -> list[str]:
    origins: dict[tuple[tuple[str, ...], tuple[str, ...]], str] = {}
    arrows: dict[tuple[str, str], list[SchemaRelation]] = {}
    for relation in relations:
        if not relation.facts:
            continue
        origin = (relation.leads_from, relation.sources)
        box = origins.setdefault(origin, f"from{len(origins) + 1}")
        for kind in relation.tails.shares:
            arrows.setdefault((box, kind), []).append(relation)
    kinds = dict.fromkeys(kind for _, kind in arrows)
    return [
        *(f'  {box}["{_origin_label(*origin)}"]' for origin, box in origins.items()),
        *(f'  to_{kind}(["{_KINDS[kind]}"])' for kind in kinds),
        *(
            f'  {box} -->|"{_arrow_label(arrow_relations, kind)}"| to_{kind}'
            for (box, kind), arrow_relations in arrows.items()
        ),
    ]


def draw_steps(answer: Answer) -> str:
    lines = ["flowchart TD"]
    last = None
    for stage in answer.trace:
        if stage.step is None:
            continue
        last = f"step{stage.step}"
        labels = [
            f"{stage.step}: {escape_label(stage.given, _STEP_LENGTH)}",
            escape_label(stage.found, _STEP_LENGTH),
        ]
        if stage.members:
            names = ", ".join(map(format_value, stage.members))
            labels.append(escape_label(names, _STEP_LENGTH))
        lines.append(f'  {last}["{"<br/>".join(labels)}"]')
        lines += [f"  step{number} --> {last}" for number in stage.uses]
    result = answer.outcome.replace("_", " ")
    if answer.values:
        values = format_list(list(map(format_value, answer.values)), _ANSWER_VALUES)
        result = escape_label(values, _STEP_LENGTH)
    lines.append(f'  answer(["{result}"])')
    if last is not None:
        lines.append(f"  {last} --> answer")
    return "\n".join(lines)


def _origin_label(leads_from: tuple[str, ...], sources: tuple[str, ...]) -> str:
    kinds = " and ".join(_ORIGINS[kind] for kind in leads_from)
    where = escape_label(sources[0]) if len(sources) == 1 else f"{len(sources)} sources"
    return f"{kinds} of {where}"


def _arrow_label(relations: Iterable[SchemaRelation], kind: str) -> str:
    return "<br/>".join(
        f"{escape_label(relation.name)}: {round(relation.tails.shares[kind] * relation.facts)}"
        for relation in relations
    )


# Schemas with classes: a box for each class with its values, and arrows for relations between classes.


def draw_classes(schema: Schema, limit: int) -> str:
    # Classes with relations come first.
    relations = [r for r in schema.relations[:limit] if r.facts and normalize_name(r.name) != TYPE]
    related = {name for r in relations for name in (*r.starts_from, *r.leads_to)}
    classes = sorted(schema.classes, key=lambda drawn: drawn.name not in related)[:limit]
    boxes = {drawn.name: f"class{number}" for number, drawn in enumerate(classes, 1)}
    values: dict[str, list[SchemaRelation]] = {}
    arrows: dict[tuple[str, str], list[SchemaRelation]] = {}
    without_class = []
    for relation in relations:
        starts = [name for name in relation.starts_from if name in boxes]
        ends = [name for name in relation.leads_to if name in boxes]
        if not starts or "rows" in relation.leads_from:
            without_class.append(relation)
        for start in starts:
            for end in ends:
                arrows.setdefault((start, end), []).append(relation)
            if not ends:
                values.setdefault(start, []).append(relation)
    omitted = len(schema.classes) - len(classes)
    return "\n".join(
        [
            "flowchart LR",
            *_omitted_relations(schema, limit),
            *([f'  fewer["{omitted} more classes are not drawn"]'] if omitted else []),
            *(
                _class_box(boxes[drawn.name], drawn, values.get(drawn.name, []))
                for drawn in classes
            ),
            *(
                f'  {boxes[start]} -->|"{_class_arrow_label(arrow_relations)}"| {boxes[end]}'
                for (start, end), arrow_relations in arrows.items()
            ),
            *_subclass_arrows(classes, boxes),
            *_relation_arrows(without_class),
        ]
    )


def _class_box(box: str, drawn: SchemaClass, relations: list[SchemaRelation]) -> str:
    head = f"<b>{escape_label(drawn.name)}</b>" + (f": {drawn.members}" if drawn.members else "")
    values = (f"{escape_label(r.name)}: {' or '.join(r.tails.shares)}" for r in relations)
    return f'  {box}["{"<br/>".join((head, *values))}"]'


def _subclass_arrows(classes: list[SchemaClass], boxes: Mapping[str, str]) -> list[str]:
    return [
        f'  {boxes[drawn.name]} -.->|"kind of"| {boxes[parent]}'
        for drawn in classes
        for parent in drawn.kind_of
        if parent in boxes and parent != drawn.name
    ]


def _class_arrow_label(relations: list[SchemaRelation]) -> str:
    return "<br/>".join(f"{escape_label(r.name)}: {r.facts}" for r in relations)
