"""Condition triples as the TrustUQA paper prints them: ``(node1, node2, [condition])``, one a line.

``(relation, tail, [head])`` is a fact, and ``(key, value, [head, relation, tail])`` a qualifier or a time of
one. ``(head, relation, [])`` repeats the head of a fact; without such a fact it is a common rule: the members
of the class *head* have the relation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TypeAlias

from trustuqa_neo4j.loading.fact_columns import CONDITION_TRIPLE, has_condition_triples
from trustuqa_neo4j.loading.file_beginning import FileBeginning
from trustuqa_neo4j.loading.formats import File, ReadOptions
from trustuqa_neo4j.model.facts import Fact, Item, RelationDeclared, ValidTime
from trustuqa_neo4j.values import BadDate, make_interval, read_date

from ._text import SKIP_BAD_LINES, open_lines
from ._triples import REVERSED, no_fact_error

_TIMES = ("start time", "end time", "time")
_HINT = (
    "write (head, relation, []), (relation, tail, [head]) or (key, value, [head, relation, tail]), and a "
    f"name with a comma in double quotes; {SKIP_BAD_LINES}"
)
_SEVERAL_HINT = (
    "triples do not say which end belongs to which start: write head, relation, tail, start and end as "
    f"columns of a temporal graph; {SKIP_BAD_LINES}"
)

_Triple: TypeAlias = tuple[str, str, str]


def is_triples(file: File, options: ReadOptions) -> bool:
    """Check whether the first line of the file that is not blank is a condition triple."""
    return has_condition_triples(FileBeginning.read(file).decode(options.encoding))


def read_triples(file: File, options: ReadOptions) -> Iterator[Item]:
    """Yield the facts and rules of the file, which is held in memory: conditions may precede their facts."""
    rules: dict[tuple[str, str], int] = {}
    facts: dict[_Triple, int] = {}
    conditions = defaultdict[_Triple, dict[tuple[str, str], int]](dict)
    with open_lines(file, options) as lines:
        for number, line in enumerate(lines, 1):
            match = CONDITION_TRIPLE.fullmatch(line.strip())
            if match is None:
                if line.strip():
                    options.malformed("not a condition triple", f"{file.name}:{number}", _HINT)
                continue
            node1, node2, head, relation, tail = (_unquote(name or "") for name in match.groups())
            if tail:
                conditions[head, relation, tail].setdefault((node1, node2), number)
            elif head:
                facts.setdefault((head, node1, node2), number)
            else:
                rules.setdefault((node1, node2), number)
    for fact, pairs in conditions.items():
        facts.setdefault(fact, min(pairs.values()))
    subjects = {fact[:2] for fact in facts}
    rules = {rule: number for rule, number in rules.items() if rule not in subjects}
    if not facts and not rules:
        raise no_fact_error(file)
    is_temporal = any(key in _TIMES for pairs in conditions.values() for key, _ in pairs)
    yield options.part(file.name, file.name, "temporal-kg" if is_temporal else "kg")
    for head, relation in rules:
        yield RelationDeclared(relation, domains=((head,),))
    for fact, number in facts.items():
        pairs = conditions[fact]
        qualifiers = tuple(pair for pair in pairs if pair[0] not in _TIMES)
        yield Fact(
            *fact, number, _read_time([*pairs], f"{file.name}:{number}", options), qualifiers
        )


def _unquote(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.strip()


def _read_time(pairs: list[tuple[str, str]], where: str, options: ReadOptions) -> ValidTime | None:
    keys = [key for key, _ in pairs]
    texts = dict(pairs)
    try:
        # Each year between start and end has a triple ``time`` too.
        times = [text for key, text in pairs if key == "time"]
        times.sort(key=lambda text: read_date(text, options.values.dates) or (0, 0))
        start = texts.get("start time", times[0] if times else "")
        end = texts.get("end time", times[-1] if times and "start time" not in texts else "")
        days = [read_date(text, options.values.dates) for text in (start, end)]
    except BadDate as error:
        options.malformed(str(error), where, _HINT)
        return None
    if max(map(keys.count, ("start time", "end time"))) > 1:
        options.malformed("a fact with several start or end times", where, _SEVERAL_HINT)
        return None
    interval = make_interval(*days)
    if interval is None:
        return None
    if interval.reversed:
        options.remark(REVERSED, where)
    return ValidTime(interval.start, interval.end, start, end)
