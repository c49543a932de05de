"""Random data: graphs with qualifiers, times, homonyms and duplicates, and tables; typed by what made it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from .model import OPEN, Data, Fact, Held, Value

WORDS = (
    "Varo", "Kelm", "Dasi", "Ürso", "Plomb", "Quent", "Ristel", "Zéphan", "Obrak", "Nuvia", "Hesp", "Gront",
    "Tilva", "Mucho", "Yarel", "Fjord", "Brask", "Ilmen", "Sovar", "Wexel",
)  # fmt: skip
THINGS = ("amber", "basalt", "cobalt", "damask", "ebony", "flint", "gneiss", "hemp")
QUALIFIED_AGAIN = 0.2
MONTHS = ("January", "March", "May", "August", "October", "December")


def _whole(number: float, unit: str | None = None) -> Value:
    return Value(float(number), unit)


def _year(year: int) -> Value:
    return Value(float(year), None, year * 10000 + 101, year * 10000 + 1231)


def _day(year: int, month: int, day: int) -> Value:
    number = year * 10000 + month * 100 + day
    return Value(None, None, number, number)


def make_number(rng: Random) -> tuple[str, Value]:
    number = rng.choice((rng.randint(0, 12), rng.randint(0, 40), rng.randint(1000, 1005) * 10))
    if number >= 10000:
        return f"{number:,}", _whole(number)
    if rng.random() < 0.1:
        return f"{number}.0", _whole(number)
    if rng.random() < 0.15:
        return f"{number}.5", _whole(number + 0.5)
    return str(number), _whole(number)


def make_year(rng: Random) -> tuple[str, Value]:
    year = rng.randint(1960, 1975)
    return str(year), _year(year)


def make_day(rng: Random) -> tuple[str, Value]:
    year, month, day = (
        rng.randint(1960, 1975),
        rng.choice((1, 3, 5, 8, 10, 12)),
        rng.choice((1, 7, 19, 28)),
    )
    if rng.random() < 0.2:
        name = MONTHS[(1, 3, 5, 8, 10, 12).index(month)]
        return f"{day} {name} {year}", _day(year, month, day)
    return f"{year}-{month:02d}-{day:02d}", _day(year, month, day)


def make_month(rng: Random) -> tuple[str, Value]:
    year, place = rng.randint(1960, 1975), rng.randrange(6)
    month = (1, 3, 5, 8, 10, 12)[place]
    last = 30 if month in (4, 6, 9, 11) else 31
    first = year * 10000 + month * 100
    return f"{MONTHS[place]} {year}", Value(None, None, first + 1, first + last)


def make_length(rng: Random) -> tuple[str, Value]:
    if rng.random() < 0.5:
        number = rng.randint(1, 9)
        return f"{number} km", _whole(number, "km")
    number = rng.randint(1, 18) * 500
    return f"{number} m", _whole(number, "m")


def make_money(rng: Random) -> tuple[str, Value]:
    number = rng.randint(1, 30)
    return f"${number}", _whole(number, "$")


def make_share(rng: Random) -> tuple[str, Value]:
    number = rng.randint(1, 60)
    return f"{number}%", _whole(number, "%")


def make_time(rng: Random) -> tuple[str, Value]:
    minutes, seconds = rng.randint(1, 9), rng.randint(0, 59)
    return f"{minutes}:{seconds:02d}", _whole(minutes * 60 + seconds, "s")


KINDS: dict[str, Callable[[Random], tuple[str, Value]]] = {
    "number": make_number, "year": make_year, "day": make_day, "length": make_length, "money": make_money,
    "share": make_share, "time": make_time,
}  # fmt: skip
BOUNDS: dict[str, tuple[Callable[[Random], tuple[str, Value]], ...]] = {
    "number": (make_number,), "year": (make_year, make_day), "day": (make_day, make_year, make_month),
    "length": (make_length,), "money": (make_money,), "share": (make_share,), "time": (make_time,),
}  # fmt: skip
"""Kinds of values, and what they are compared with."""


@dataclass
class World:
    """A dataset: its files, how they are loaded, and what stands in them."""

    seed: int
    format: str
    files: dict[str, str] = field(default_factory=dict)
    data: Data = field(default_factory=Data)
    kinds: dict[str, str] = field(default_factory=dict)
    qualifiers: dict[str, dict[str, str]] = field(default_factory=dict)
    timed: frozenset[str] = frozenset()

    @property
    def is_table(self) -> bool:
        return bool(self.data.rows)

    def tails(self, relation: str) -> list[str]:
        return sorted({f.tail for f in self.data.facts if f.relation == relation})

    def heads(self, relation: str) -> list[str]:
        return sorted({f.head for f in self.data.facts if f.relation == relation})

    def of_kind(self, *kinds: str) -> list[str]:
        return [relation for relation, kind in self.kinds.items() if kind in kinds]


def make_names(rng: Random, number: int) -> list[str]:
    names: dict[str, None] = {}
    while len(names) < number:
        words = rng.sample(WORDS, rng.choice((1, 2, 2)))
        names[" ".join(words)] = None
    folded: dict[str, str] = {}
    return [folded.setdefault(name.casefold(), name) for name in names]


GRAPH_RELATIONS = {
    "knows": "entity", "lives near": "entity", "made by": "entity", "likes": "thing",
    "score": "number", "weight": "length", "founded": "day", "opened": "year", "price": "money",
    "lap": "time",
}  # fmt: skip


def make_graph(seed: int) -> World:
    """A ``kg``: qualifiers, duplicates, names that differ in case alone."""
    rng = Random(seed)
    world = World(seed, "kg")
    names = make_names(rng, 12)
    if rng.random() < 0.7:
        names.append(names[0].upper())
    things = rng.sample(THINGS, 5)
    relations = rng.sample(sorted(GRAPH_RELATIONS), 7)
    relations += [r for r in ("knows", "score") if r not in relations]
    qualified = {
        r: ["role", "points"]
        for r in relations
        if GRAPH_RELATIONS[r] in ("entity", "number") and rng.random() < 0.7
    }
    world.qualifiers = {r: {"role": "thing", "points": "number"} for r in qualified}
    lines: list[tuple[str, ...]] = []
    for relation in relations:
        kind = world.kinds[relation] = GRAPH_RELATIONS[relation]
        for _ in range(rng.randint(4, 10)):
            head = rng.choice(names[:9])
            tail = (
                rng.choice(names)
                if kind == "entity"
                else rng.choice(things)
                if kind == "thing"
                else ""
            )
            if not tail:
                tail, _ = _add_value(world, KINDS[kind], rng)
            role = rng.choice(things) if relation in qualified and rng.random() < 0.6 else ""
            points = ""
            if relation in qualified and rng.random() < 0.6:
                points, _ = _add_value(world, make_number, rng)
            lines.append((head, relation, tail, role, points))
            if rng.random() < QUALIFIED_AGAIN and relation in qualified:
                # the same fact with other qualifiers
                lines.append((head, relation, tail, rng.choice(things), points))
            if rng.random() < 0.15:
                lines.append(lines[-1])
    rng.shuffle(lines)
    _write_lines(world, "graph.tsv", ("head", "relation", "tail", "role", "points"), lines, rng)
    return world


def _add_value(
    world: World, make: Callable[[Random], tuple[str, Value]], rng: Random
) -> tuple[str, Value]:
    text, value = make(rng)
    world.data.values[text] = value
    return text, value


def _write_lines(
    world: World, file: str, header: tuple[str, ...], lines: list[tuple[str, ...]], rng: Random
) -> None:
    """Write a file, and a second one that repeats some of its facts; equal facts are one, with all places."""
    content = [(file, number, line) for number, line in enumerate(lines, 2)]
    again = rng.sample(lines, min(4, len(lines)))
    content += [("again.tsv", number, line) for number, line in enumerate(again, 2)]
    for name in dict.fromkeys(entry[0] for entry in content):
        rows = [header, *(line for of, _, line in content if of == name)]
        world.files[name] = "".join("\t".join(row) + "\n" for row in rows)
    places: dict[tuple[str, ...], dict[str, int]] = {}
    for name, number, line in content:
        places.setdefault(line, {}).setdefault(name, number)
    for line, lines_of in places.items():
        head, relation, tail, *rest = line
        columns = dict(zip(header[3:], rest, strict=True))
        held = _read_held(columns.pop("start", ""), columns.pop("end", ""))
        qualifiers = frozenset((k, v) for k, v in columns.items() if v)
        world.data.facts.append(
            Fact(head, relation, tail, held, qualifiers, frozenset(lines_of.items()), min(lines_of))
        )


def _read_held(start: str, end: str) -> Held | None:
    if not start and not end:
        return None
    first, last = (_read_day(text) if text else Value() for text in (start, end))
    if not start:
        return Held(last.first or 0, last.last or 0, "", end, Value(), last)
    if not end:
        return Held(first.first or 0, OPEN, start, "", first, Value())
    ends = sorted((v.first or 0, v.last or 0) for v in (first, last))
    return Held(ends[0][0], ends[1][1], start, end, first, last)


def _read_day(text: str) -> Value:
    parts = [int(part) for part in text.split("-")]
    if len(parts) == 1:
        return _year(parts[0])
    if len(parts) == 2:
        first = parts[0] * 10000 + parts[1] * 100
        return Value(None, None, first + 1, first + (30 if parts[1] in (4, 6, 9, 11) else 31))
    return _day(*parts)


def make_temporal(seed: int) -> World:
    """A ``temporal-kg``: years, months and days, open and reversed intervals, facts without a time."""
    rng = Random(seed)
    world = World(seed, "temporal-kg")
    names = make_names(rng, 10)
    things = rng.sample(THINGS, 5)
    world.kinds = {"leads": "entity", "visits": "entity", "holds": "thing", "score": "number"}
    world.timed = frozenset(("leads", "visits", "holds"))
    world.qualifiers = {"leads": {"role": "thing"}}
    lines: list[tuple[str, ...]] = []
    for relation, kind in world.kinds.items():
        for _ in range(rng.randint(6, 11)):
            head = rng.choice(names)
            tail = rng.choice(names) if kind == "entity" else rng.choice(things)
            if kind == "number":
                tail, _ = _add_value(world, make_number, rng)
            start, end = (
                _make_times(rng) if relation in world.timed and rng.random() < 0.9 else ("", "")
            )
            for text in filter(None, (start, end)):
                value = _read_day(text)
                world.data.values.setdefault(text, value)
            role = rng.choice(things) if relation == "leads" and rng.random() < 0.5 else ""
            lines.append((head, relation, tail, start, end, role))
            if rng.random() < 0.15:
                start, end = _make_times(rng)
                if relation in world.timed:
                    for text in filter(None, (start, end)):
                        world.data.values.setdefault(text, _read_day(text))
                    lines.append((head, relation, tail, start, end, role))
    _write_lines(
        world, "times.tsv", ("head", "relation", "tail", "start", "end", "role"), lines, rng
    )
    return world


def _make_times(rng: Random) -> tuple[str, str]:
    first, last = rng.randint(1960, 1975), 0
    last = first + rng.choice((0, 0, 1, 2, 5))
    if rng.random() < 0.05:
        first, last = last, first
    form = rng.choice(("year", "day", "day", "month"))

    def write(year: int) -> str:
        if form == "year":
            return str(year)
        month = rng.choice((1, 3, 5, 8))
        return (
            f"{year}-{month:02d}"
            if form == "month"
            else f"{year}-{month:02d}-{rng.choice((1, 7, 19, 28)):02d}"
        )

    start, end = write(first), write(last)
    part = rng.random()
    return ("", end) if part < 0.07 else (start, "") if part < 0.2 else (start, end)


def make_homonyms(seed: int) -> World:
    """The files of ``webqsp``: several nodes of one name, and other names."""
    rng = Random(seed)
    world = World(seed, "webqsp")
    ids = [f"m.{place:02d}" for place in range(14)]
    names = make_names(rng, 9)
    for place, node in enumerate(ids):
        world.data.names[node] = names[place % len(names)]
    for node in rng.sample(ids, 4):
        world.data.aliases[node] = (
            f"{rng.choice(('Old', 'Big'))} {rng.choice(WORDS)} {node[2:]}x",
        )
    relations = ["knows", "lives near", "made by", "score", "founded", "likes"]
    lines = []
    for relation in relations:
        kind = world.kinds[relation] = GRAPH_RELATIONS[relation]
        for _ in range(rng.randint(6, 12)):
            tail = rng.choice(ids) if kind == "entity" else rng.choice(THINGS[:4])
            if kind not in ("entity", "thing"):
                tail, _ = _add_value(world, KINDS[kind], rng)
            lines.append((rng.choice(ids), relation, tail))
    world.files["kb.tsv"] = "".join("\t".join(line) + "\n" for line in lines)
    world.files["names.tsv"] = "".join(f"{n}\t{name}\n" for n, name in world.data.names.items())
    world.files["aliases.tsv"] = "".join(
        f"{n}\t{a}\n" for n, all_ in world.data.aliases.items() for a in all_
    )
    places: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(lines, 1):
        places.setdefault(line, number)
    for (head, relation, tail), number in places.items():
        world.data.facts.append(
            Fact(
                head, relation, tail, None, frozenset(), frozenset((("kb.tsv", number),)), "kb.tsv"
            )
        )
    return world


COLUMNS = {
    "club": "name", "town": "entity", "goals": "number", "since": "year", "signed": "day", "length": "length",
    "fee": "money", "share": "share", "best": "time", "coach": "entity", "colour": "thing",
}  # fmt: skip


def make_table_of(
    world: World, file: str, names: list[str], columns: list[str], rng: Random
) -> None:
    things = rng.sample(THINGS, 4)
    size = rng.randint(6, 11)
    rows: list[list[str]] = []
    gaps = {column for column in columns if column != "club" and rng.random() < 0.4}
    for position in range(size):
        texts = {
            "name": lambda: names[position % len(names)],  # noqa: B023 # called in this round
            "entity": lambda: rng.choice(names[:6]),
            "thing": lambda: rng.choice(things),
        }
        cells = []
        for column in columns:
            kind = COLUMNS[column]
            is_empty = column in gaps and rng.random() < 0.25
            make = texts.get(kind) or (lambda: _add_value(world, KINDS[kind], rng)[0])  # noqa: B023
            cells.append("" if is_empty else make())
        rows.append(cells)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    world.files[file] = out.getvalue()
    relations: list[str] = []
    for column in columns:
        repeats = sum(name == column or name.startswith(f"{column}_") for name in relations)
        relations.append(f"{column}_{repeats + 1}" if repeats else column)
    world.data.columns[file] = relations
    for relation, column in zip(relations, columns, strict=True):
        world.kinds[relation] = COLUMNS[column]
    for position, cells in enumerate(rows, 1):
        row = f"{file}#{position}"
        world.data.rows[row] = (file, position)
        for relation, cell in zip(relations, cells, strict=True):
            place = (file, position + 1, relation)
            world.data.facts.append(
                Fact(row, relation, cell, None, frozenset(), frozenset((place,)), file)
            )


def make_one_table(seed: int) -> World:
    """A table with a repeated header, empty cells and cells that repeat."""
    rng = Random(seed)
    world = World(seed, "table")
    columns = ["club", *rng.sample([c for c in COLUMNS if c != "club"], 6)]
    if rng.random() < 0.6:
        columns.append(rng.choice(columns[1:]))
    make_table_of(world, "clubs.csv", make_names(rng, 8), columns, rng)
    return world


def make_two_tables(seed: int) -> World:
    """Two tables that share names and columns."""
    rng = Random(seed)
    world = World(seed, "table")
    names = make_names(rng, 8)
    for file in ("clubs.csv", "teams.csv"):
        columns = ["club", *rng.sample([c for c in COLUMNS if c != "club"], 5)]
        make_table_of(world, file, names, columns, rng)
    return world


WORLDS: dict[str, Callable[[int], World]] = {
    "graph": make_graph, "temporal": make_temporal, "homonyms": make_homonyms,
    "table": make_one_table, "tables": make_two_tables,
}  # fmt: skip
"""The kinds of data."""


def make_world(kind: str, seed: int) -> World:
    return WORLDS[kind](seed)
