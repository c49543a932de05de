"""What the names of a query can mean: one round trip for all of them, a second one where nearness is needed.

Relations are settled before anything is searched, since a relation that is not there makes the query
*not askable*; things are settled by each search, which goes from rung to rung until it finds something.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal as Either

from ..checking.vocabulary import Vocabulary
from ..compiling import Program, Read, Row
from ..dataset import Scope, incomplete
from ..errors import UnknownDataset, UnknownSource
from ..language.selectors import EXTREMES, MOST
from ..mapping import Candidate, Mapped, Rung, fold, rungs
from ..planning import Known
from ..reasoning.results import Cell
from ..recording import Recorder
from ..triples import KEY_LENGTH
from ..values import equal, read_value

_NAMED: dict[str, Either["key", "alias"]] = {"key": "key", "alias": "alias"}
"""What a row of ``find_names`` is, other than a name."""

ROW_NUMBER = frozenset(("row number", "row", "row index", "row num"))
"""Folded names of the relation that every table has: the place of a row, from 1."""


@dataclass
class Names:
    """Rungs by the name as given, and what the catalogue knows of the relations among them.

    ``columns`` are the relations of the one table that is asked. ``mapped`` grows while searches settle
    on a rung. ``stamps`` are those of the vocabularies that datasets have.
    """

    relations: dict[str, tuple[Rung, ...]] = field(default_factory=dict)
    things: dict[str, tuple[Rung, ...]] = field(default_factory=dict)
    catalogue: dict[str, Known] = field(default_factory=dict)
    columns: dict[str, Known] = field(default_factory=dict)
    embedded: bool = False
    table: bool = False
    mapped: list[Mapped] = field(default_factory=list)
    stamps: dict[str, str] = field(default_factory=dict)

    @property
    def subject(self) -> str | None:
        """The column that says what a row is about: the first one of text, else the first."""
        by_place = sorted(
            (known.place, name) for name, known in self.columns.items() if known.place is not None
        )
        texts = (
            name
            for _, name in by_place
            if (self.columns[name].numbers + self.columns[name].dates) * 2
            < self.columns[name].facts
        )
        return next(texts, by_place[0][1] if by_place else None)

    def meant(self, cells: Iterable[Cell], there: Mapping[int, Cell]) -> tuple[Cell, ...]:
        """``cells`` with those of ``there`` that a name stands for in place of the name."""
        found: list[Cell] = []
        for cell in cells:
            rungs = () if cell.node is not None else self.things.get(cell.text, ())
            rung = next((r for r in rungs if not there.keys().isdisjoint(r.nodes)), None)
            if rung is None:
                found.append(cell)
                continue
            found += [there[node] for node in rung.nodes if node in there]
            kept = tuple(one for one in rung.candidates if one.node in there)
            self.mapped += Rung(rung.how, kept).mapped(cell.text)
        return tuple(found)

    def read(self, given: str, vocabulary: Vocabulary) -> str | None:
        """The one relation of graphs that ``given`` was read as; None for columns of tables, and several."""
        rungs = self.relations.get(given)
        if not rungs:
            return vocabulary.relation_named(given)
        if len(rungs[0].names) != 1 or self.catalogue.get(given, Known()).tables:
            return None
        return rungs[0].names[0]

    def selects(self, given: str) -> bool:
        """Whether ``given`` is a word that selects, and not the name of anything."""
        word = given.strip().casefold()
        return (word in EXTREMES or word in MOST) and not self.things.get(given)

    @property
    def keys(self) -> frozenset[str]:
        """The names in the query that are ids of nodes, or other names of them."""
        return frozenset(
            given
            for given, rungs in self.things.items()
            if any(candidate.how != "name" for rung in rungs for candidate in rung.candidates)
        )

    def row_number(self, given: str) -> bool:
        """Whether ``given`` asks for the place of rows: no relation of the data has that name."""
        return fold(given) in ROW_NUMBER and not self.relations.get(given)


def look_up(
    relations: Iterable[str], things: Iterable[str], scope: Scope, recorder: Recorder
) -> Program[Names]:
    """Look all names up, in one round trip.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset: the scope cannot be asked.
    """
    given, named = sorted(relations), sorted(things)
    parameters = {
        "datasets": list(scope.datasets),
        "source": scope.source,
        "relations": sorted({fold(name) for name in given}),
        "names": sorted({fold(name) for name in named}),
        "keys": [name for name in named if len(name) <= KEY_LENGTH],
    }
    rows = yield from recorder.read(Read("find_names", parameters))
    states = [row for row in rows if row["what"] == "dataset"]
    yield from _enter(states, scope)
    found = Names(
        embedded=any(state["known"]["embedded"] for state in states),
        table=any(state["known"]["kind"] == "table" for state in states),
        columns={r["name"]: _known(r) for r in rows if r["what"] == "column" or (
            r["what"] == "relation" and scope.source is not None)},
        stamps={s["name"]: s["known"]["vocabulary"] for s in states if s["known"]["vocabulary"]},
    )  # fmt: skip
    add(found, rows, given, named)
    return found


def add(names: Names, rows: list[Row], relations: Iterable[str], things: Iterable[str]) -> None:
    """Enter what ``find_names`` told."""
    for given in relations:
        names.relations[given] = _rungs(given, {"relation"}, rows)
        names.catalogue[given] = merged(row for row in rows if _is(row, "relation", fold(given)))
    for given in things:
        names.things[given] = _rungs(given, {"node", "alias", "key"}, rows)


def _is(row: Row, what: str, folded: str) -> bool:
    return bool(row["what"] == what and row["folded"] == folded)


def _enter(states: list[Row], scope: Scope) -> Program[None]:
    """Refuse a scope that is not there or not complete."""
    there = {state["name"]: state for state in states}
    for dataset in scope.datasets:
        if dataset not in there:
            raise UnknownDataset(
                f"no dataset {dataset!r}", hint="`tuqa datasets` lists what is loaded"
            )
        if there[dataset]["folded"] is None:
            loads = yield Read("unfinished_loads", {"dataset": dataset})
            raise incomplete(dataset, loads)
    if scope.source is not None and all(s["known"]["source"] is None for s in states):
        names = ", ".join(map(repr, scope.datasets))
        raise UnknownSource(
            f"no source {scope.source!r}",
            where=f"dataset {names}",
            hint="`tuqa datasets --json` lists its sources",
        )


def _rungs(given: str, what: set[str], rows: list[Row]) -> tuple[Rung, ...]:
    folded = fold(given)
    return rungs(
        given,
        (
            Candidate(row["name"], row["id"], _NAMED.get(row["what"], "name"))
            for row in rows
            if row["what"] in what
            and (row["name"] == given if row["what"] == "key" else row["folded"] == folded)
            and (row["what"] != "node" or not _unlike(given, row["name"]))
        ),
    )


def _unlike(given: str, name: str) -> bool:
    """Whether both are numbers or dates, and not the same: folded, ``-850`` and ``850`` are one."""
    if given == name or not any(sign.isdigit() for sign in name):
        return False
    one, other = read_value(given), read_value(name)
    return one is not None and other is not None and not equal(other, one)


def _known(row: Row) -> Known:
    known = row["known"]
    return Known(
        (row["name"],),
        known["facts"] or 0,
        known["numbers"] or 0,
        known["dates"] or 0,
        known["held"] or 0,
        frozenset(name for some in known["qualifiers"] for name in some),
        True in known["tables"],
        known["place"],
    )


def merged(rows: Iterable[Row]) -> Known:
    """What the catalogue knows of relations together, from rows of ``find_names``."""
    merged = Known()
    for known in map(_known, rows):
        merged = Known(
            (*merged.names, *known.names),
            merged.facts + known.facts,
            merged.numbers + known.numbers,
            merged.dates + known.dates,
            merged.held + known.held,
            merged.qualifiers | known.qualifiers,
            merged.tables or known.tables,
            known.place if merged.place is None else merged.place,
        )
    return merged
