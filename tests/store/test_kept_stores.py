"""Stores that each schema version wrote: this version migrates them and answers over them.

A store has a temporal graph with a qualifier, a table, an ontology (whose declarations are facts from 8 on),
and what it could be taught: demonstrations, synonyms (5), demonstrations of several datasets (6), notes (7).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import neo4j
import pytest
from support.stores import empty, read_store

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.errors import SchemaOutdated
from trustuqa_neo4j.graph import migrations, store_migration
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.loading.request import Progress

STORES = {
    int(path.stem.removeprefix("schema_v")): path
    for path in sorted((Path(__file__).parent / "stores").glob("schema_v*.cypher"))
}
ANSWERS = {
    ("teams", "get_information(relation='plays for', key='time', value=1992)"): {"Reds"},
    ("teams", "get_information(head_entity='Ann', relation='plays for', key='role')"): {"captain"},
    ("towns", "get_information(relation='team', key='seats', value>1000)"): {"Reds"},
    ("zoo", "get_information(relation='type', tail_entity='Cat')"): {"Tom"},
}
GROUP = "Which town has the team of Bob?"


@pytest.fixture
def session(server: Settings, client: TrustUQA) -> Iterator[neo4j.Session]:
    """A session with a database that has nothing; the schema is made again for other tests."""
    with client.connection.driver.session(notifications_min_severity="OFF") as session:
        empty(session)
        yield session
        empty(session)
    client.connection.prepare()


def test_a_store_of_each_version_is_kept() -> None:
    """A new schema version needs one, written by ``python -m support.stores``."""
    assert list(STORES) == list(range(4, migrations.VERSION + 1))


@pytest.mark.parametrize(
    "version", [pytest.param(n, marks=() if n >= 7 else pytest.mark.long) for n in STORES]
)
def test_a_store_is_migrated_and_asked(
    version: int, session: neo4j.Session, server: Settings, tmp_path: Path
) -> None:
    read_store(session, STORES[version].read_text(encoding="utf-8"))
    if version < 8:  # facts had no numbers
        with pytest.raises(SchemaOutdated, match="tuqa neo4j migrate"):
            TrustUQA.connect(server)
    with closing(Connection.open(server, migrates=True)) as connection:
        assert store_migration.migrate(connection, Progress()) == (13 if version < 8 else None)
    with TrustUQA.connect(server) as tuqa:
        facts = {dataset.name: dataset.facts for dataset in tuqa.datasets()}
        assert facts == {"teams": 5, "towns": 6, "zoo": 7 if version > 7 else 2}
        for (dataset, query), expected in ANSWERS.items():
            answer = tuqa.run(query, dataset)
            assert {*map(str, answer.values)} == expected, (query, answer.problems)
            assert all(fact.line for fact in answer.evidence)
        taught = tuqa.ask("Where was Bob born?", "teams")
        assert taught.outcome == "empty"
        assert taught.origin == "demonstrated"
        synonyms = tuqa.schema("towns").synonyms
        assert [(word.phrase, word.name) for word in synonyms] == [("places", "seats")][
            : version > 4
        ]
        notes = tuqa.schema("towns").notes
        assert list(notes) == ["Seats are counted in May."][: version > 6]
        if version > 5:
            assert tuqa.ask(GROUP, ["teams", "towns"]).values == ("Oslo",)
        (tmp_path / "more.tsv").write_text("Bob\tborn in\tRome\t\t\n", encoding="utf-8")
        tuqa.load(
            "temporal-kg",
            str(tmp_path / "more.tsv"),
            dataset="teams",
            mode="append",
            embeddings=False,
        )
        assert tuqa.ask("Where was Bob born?", "teams").values == ("Rome",)
        assert tuqa.drop("teams", "teams.tsv").facts == 5
