"""What ``r2rml`` makes of a mapping and some tables, for tests."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from support.items import facts, items, written
from trustuqa_neo4j.loading.formats import File, ReadOptions
from trustuqa_neo4j.model.facts import Fact, Item

PREFIXES = """\
@prefix rr: <http://www.w3.org/ns/r2rml#> . @prefix : <http://e.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@base <http://e.org/base/> .
"""
DOGS = "id,name,owner\n1,Rex,7\n2,Älla Böhm,\n3,Fido,8\n"
OWNERS = "id,name\n7,Ann\n8,Bob\n"


def mapping(
    predicate_object: str, rows: str = 'rr:tableName "dogs"', subject: str | None = None
) -> str:
    """A mapping of one triples map, with ``predicate_object`` for dogs."""
    subject = subject or 'rr:subjectMap [ rr:template "http://e.org/dog/{id}" ]'
    pairs = f" ; rr:predicateObjectMap [ {predicate_object} ]" if predicate_object else ""
    return f"{PREFIXES}<#dogs> rr:logicalTable [ {rows} ] ; {subject}{pairs} .\n"


def read(
    folder: Path,
    content: str,
    tables: dict[str, str] | None = None,
    reading: ReadOptions | None = None,
    **more: str,
) -> list[Item]:
    """The items of the mapping ``content`` on CSV tables; ``more`` are other files, by their stems (.ttl)."""
    contents = tables or {"dogs.csv": DOGS, "owners.csv": OWNERS}
    others = {f"{name}.ttl": text for name, text in more.items()}
    return items("r2rml", written(folder, {"m.ttl": content, **contents, **others}), reading)


def read_sqlite(
    folder: Path, content: str, script: str, reading: ReadOptions | None = None
) -> list[Item]:
    """The items of the mapping ``content`` on the SQLite database that ``script`` makes."""
    path = folder / "t.db"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
        connection.commit()
    files = [*written(folder, {"m.ttl": content}), File(path, "t.db")]
    return items("r2rml", files, reading)


def triples(result: list[Item]) -> list[tuple[str, str, str]]:
    """The triples of the facts, IRIs below http://e.org/ by what is behind it."""
    return [
        tuple(term.replace("http://e.org/", "") for term in _of(fact)) for fact in facts(result)
    ]  # type: ignore[misc]


def _of(fact: Fact) -> tuple[str, str, str]:
    return fact.head, fact.relation, fact.tail
