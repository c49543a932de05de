"""Larger and rougher instances of the ACME tables, and what the pack's SQL and SPARQL find in them.

The same files, headers and line ends, but for rows: many claims, coverages, policies and parties; fields that
are empty, claims without a catastrophe or without some amounts, several amounts of a kind, amounts with
cents and amounts that occur twice, several claims on a coverage and coverages without one.
"""

from __future__ import annotations

import csv
import random
import re
import shutil
import sqlite3
from collections.abc import Collection, Sequence
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import sqlglot
from pyoxigraph import Literal, NamedNode, Quad, QuerySolutions, Store

from support.items import facts, items
from trustuqa_neo4j.evaluation.metrics import Cell, TableRows
from trustuqa_neo4j.loading.formats import File

KINDS = ("Loss_Payment", "Loss_Reserve", "Expense_Payment", "Expense_Reserve")
_NUMBERS = re.compile(r"int|decimal", re.IGNORECASE)
Row = Sequence[Any]


ODD = (
    "a party twice in a role",
    "a claim twice on a coverage",
    "no party in a role",
    "no policy of an amount",
    "no amount",
    "no number",
    "no date",
)
"""What rows can be like that make SQL and the graph say different things."""


def instance(pack: Path, to: Path, seed: int, odd: Collection[str] = ()) -> Path:
    """Write an instance beside mapping, ontology and definitions; some of its rows are ``odd``."""
    shutil.copytree(pack, to)
    for name, rows in _Insurance(random.Random(seed), odd).tables().items():
        path = to / "data" / f"{name}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            header = next(csv.reader(file))
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\r\n")
            writer.writerow(header)
            writer.writerows([*row, *[None] * (len(header) - len(row))] for row in rows)
    return to


class _Insurance:
    """Rows of each table by its name; the fields that a row leaves out are empty."""

    def __init__(self, chance: random.Random, odd: Collection[str]) -> None:
        self.chance = chance
        self.oddities = odd

    def odd(self, what: str) -> bool:
        assert what in ODD
        return self.chance.random() < 0.1 and what in self.oddities

    def day(self) -> date:
        return date(2015, 1, 1) + timedelta(days=self.chance.randrange(1_800))

    def amount(self) -> Decimal:
        """Often with cents, often one that is there already."""
        if self.chance.random() < 0.3:
            return Decimal(self.chance.choice((1000, 1000, 2500)))
        return Decimal(self.chance.randrange(100, 900_000)) / 100

    def tables(self) -> dict[str, list[Row]]:
        chance = self.chance
        policies = range(1, chance.randint(4, 12) + 1)
        holders = range(1, chance.randint(2, 6) + 1)
        agents = range(20, 20 + chance.randint(2, 5))
        tables: dict[str, list[Row]] = {name: [] for name in KINDS}
        tables["Catastrophe"] = [(n, None, name) for n, name in enumerate(
            ("Hurricane", "Tornado", "Flood", "Fire", "Fire"), 1)]  # fmt: skip
        tables["Agreement"] = [(n, f"Policy {n}") for n in policies]
        tables["Policy"] = [self._policy(n) for n in policies]
        tables["Agreement_Party_Role"] = [
            (policy, party, role, self._begun(n))
            for policy in policies
            for role, parties in (("PH", holders), ("AG", agents))
            for n, party in enumerate(self._parties(parties))
        ]
        coverages = [(n, chance.choice(policies)) for n in range(1, chance.randint(8, 30) + 1)]
        days = {n: self.day() for n, _ in coverages}
        tables["Policy_Coverage_Detail"] = [
            (days[n], n, None, 1, policy, None, None, days[n] + timedelta(days=364))
            for n, policy in coverages
        ]
        amounts: list[Row] = []
        premiums: list[Row] = []
        for n, policy in coverages:
            for kind in (0, 1) + ((1,) if chance.random() < 0.2 else ()):
                key = len(amounts) + 1
                own = None if self.odd("no policy of an amount") else policy
                amounts.append(
                    (
                        key,
                        None,
                        own,
                        days[n],
                        "Year" if kind else None,
                        None,
                        None,
                        n,
                        self.amount(),
                    )
                )
                premiums += [(key,)] if kind else []
        tables["Policy_Amount"], tables["Premium"] = amounts, premiums
        return tables | self._claims(tables, [n for n, _ in coverages], days)

    def _policy(self, n: int) -> Row:
        begun = self.day()
        ended = None if self.odd("no date") else begun + timedelta(days=364)
        return n, begun, ended, None if self.odd("no number") else f"310030{n:05}"

    def _parties(self, parties: Sequence[int]) -> list[int]:
        """One, seldom two, seldom none; the same one twice where it is odd."""
        if self.odd("no party in a role"):
            return []
        party = self.chance.choice(parties)
        return [party, party] if self.odd("a party twice in a role") else [party]

    def _begun(self, n: int) -> date | None:
        return date(2015, 1, 1 + n) if n else None

    def _claims(
        self, tables: dict[str, list[Row]], coverages: list[int], days: dict[int, date]
    ) -> dict[str, list[Row]]:
        chance = self.chance
        claims: list[Row] = []
        covered: list[Row] = []
        amounts: list[Row] = []
        for n in range(1, chance.randint(20, 60) + 1):
            opened = self.day()
            closed = None if self.odd("no date") else opened + timedelta(days=chance.randrange(90))
            storm = None if chance.random() < 0.2 else chance.randint(1, 5)
            number = None if self.odd("no number") else f"123{n:05}"
            claims.append((n, storm, None, None, number, None, 1, None, None, opened, closed))
            for at in chance.sample(coverages, 2 if chance.random() < 0.1 else 1):
                covered.append((n, days[at], at))
                if self.odd("a claim twice on a coverage"):
                    covered.append((n, days[at] + timedelta(days=1), at))
            for kind in KINDS:
                for _ in range(chance.choices((0, 1, 2), (15, 75, 10))[0]):
                    key = len(amounts) + 1
                    amounts.append(
                        (key, n, None, None, None, None if self.odd("no amount") else self.amount())
                    )
                    tables[kind].append((key,))
        return {"Claim": claims, "Claim_Coverage": covered, "Claim_Amount": amounts}


def database(pack: Path) -> sqlite3.Connection:
    """The tables of an instance, numbers as such; empty fields are NULL."""
    connection = sqlite3.connect(":memory:")
    connection.create_function("days_apart", 2, _days_apart)
    definitions = (pack / "DDL" / "ACME_small.ddl").read_text(encoding="utf-8")
    numbers = {
        name.lower()
        for name, kind in re.findall(r"^\s*(\w+)\s+(\w+)", definitions, re.MULTILINE)
        if _NUMBERS.fullmatch(kind) or kind.lower() == "bigint"
    }
    for path in sorted((pack / "data").glob("*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            header, *rows = csv.reader(file)
        names = [f"{name}_{at}" if name in header[:at] else name for at, name in enumerate(header)]
        columns = ", ".join(
            f'"{name}" {"NUMERIC" if name.lower() in numbers else "TEXT"}' for name in names
        )
        connection.execute(f'CREATE TABLE "{path.stem}" ({columns})')
        marks = ", ".join("?" * len(names))
        connection.executemany(
            f'INSERT INTO "{path.stem}" VALUES ({marks})',
            ([cell or None for cell in row] for row in rows),
        )
    return connection


def wanted(connection: sqlite3.Connection, sql: str) -> list[tuple[Any, ...]]:
    """The rows that the pack's SQL finds, by SQLite; its one foreign function is translated."""
    plain = re.sub(r"^\s*#.*$", "", sql, flags=re.MULTILINE)
    plain = re.sub(r"DATE_DIFF\((\w+), (\w+), \"day\"\)", r"days_apart(\1, \2)", plain)
    # SQLite divides integers without a remainder, the benchmark's server decimals.
    tree = sqlglot.parse_one(plain, read="tsql")
    for division in list(tree.find_all(sqlglot.exp.Div)):
        division.set(
            "this",
            sqlglot.exp.Mul(this=division.this, expression=sqlglot.exp.Literal.number("1.0")),
        )
    return connection.execute(tree.sql("sqlite")).fetchall()


def _days_apart(start: str | None, end: str | None) -> int | None:
    if start is None or end is None:
        return None
    return (date.fromisoformat(end[:10]) - date.fromisoformat(start[:10])).days


IN = "http://data.world/schema/insurance/"
_PREFIXES = f"""\
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX in: <{IN}>
PREFIX fn: <http://data.world/function/functions#>
"""
_PREFIX = re.compile(r"^\s*PREFIX .*$", re.IGNORECASE | re.MULTILINE)
_SERVICE = re.compile(r"\bSERVICE\s+\S+\s*\{", re.IGNORECASE)
_DECIMAL = NamedNode("http://www.w3.org/2001/XMLSchema#decimal")
RDF_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_DATE_DIFF = NamedNode("http://data.world/function/functions#date_diff")


def graph(pack: Path) -> Store:
    """What the mapping makes of an instance, as triples that SPARQL can be asked of."""
    files = [*sorted((pack / "data").iterdir()), pack / "ontology" / "insurance.ttl"]
    store = Store()
    for fact in facts(items("r2rml", [File(path, path.name) for path in files])):
        relation = RDF_TYPE if fact.relation == "type" else NamedNode(IN + fact.relation)
        store.add(Quad(NamedNode(fact.head), relation, _tail(fact.tail)))
    return store


def meant(store: Store, sparql: str) -> list[tuple[str | None, ...]]:
    """The rows that the pack's SPARQL finds; the services that it asks are the one graph."""
    query = _PREFIXES + _SERVICE.sub("{", _PREFIX.sub("", sparql))
    found = store.query(query, custom_functions={_DATE_DIFF: _date_diff})
    assert isinstance(found, QuerySolutions)
    return [tuple(None if cell is None else cell.value for cell in row) for row in found]


def _tail(text: str) -> NamedNode | Literal:
    if text.startswith("http"):
        return NamedNode(text)
    number = re.fullmatch(r"-?\d+(\.\d+)?", text)
    return Literal(text, datatype=_DECIMAL) if number else Literal(text)


def _date_diff(start: Any, end: Any, _unit: Any) -> Literal:
    return Literal(str(_days_apart(start.value, end.value)), datatype=_DECIMAL)


def once(rows: TableRows) -> TableRows:
    """Each row once, numbers to a millionth."""
    found = (tuple(_rounded(cell) for cell in row) for row in rows)
    return sorted(set(found), key=str)


def _rounded(cell: Cell) -> Cell:
    try:
        return None if cell is None else round(float(cell), 6)
    except ValueError:
        return cell
