"""Labels of classes: those of members, reserved names, names of other programs, and drops."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest
from support.shell import shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.graph import class_labels

FACTS = """Ann\ttype\tClPerson
Bob\ttype\tClPerson
Bob\ttype\tValue
x'}) DETACH DELETE n //\ttype\t`) DETACH DELETE n //
Rex\ttype\tClDog
Ann\tknows\tBob
"""


@pytest.fixture
def session(server: Settings) -> Iterator[neo4j.Session]:
    assert server.uri is not None
    auth = (server.username, server.password or "")
    with (
        neo4j.GraphDatabase.driver(
            server.uri, auth=auth, notifications_min_severity="OFF"
        ) as driver,
        driver.session(database=server.database) as session,
    ):
        yield session


def read_labels(session: neo4j.Session, dataset: str = "classes") -> dict[str, set[str]]:
    rows = session.run(
        "MATCH (n:Node {dataset: $dataset}) RETURN n.name AS name, labels(n) AS labels",
        dataset=dataset,
    )
    labels = {row["name"]: {*row["labels"]} - {"Node", "Entity", "Name"} for row in rows}
    return {name: own for name, own in labels.items() if own}


def test_members_have_the_labels_of_their_classes(
    tuqa: TrustUQA, session: neo4j.Session, tmp_path: Path
) -> None:
    (tmp_path / "a.tsv").write_text(FACTS)
    (tmp_path / "b.tsv").write_text("Ann\ttype\tClCook\nCid\ttype\tClPerson\n")
    session.run("CREATE (:ClDog {name: 'of another program'})").consume()
    try:
        tuqa.load("kg", tmp_path / "a.tsv", dataset="classes", source="a", embeddings=False)
        own = {
            "Ann": {"ClPerson"},
            "Bob": {"ClPerson", "Value_"},
            "x'}) DETACH DELETE n //": {"`) DETACH DELETE n //"},
            "Rex": {"ClDog_"},
        }
        assert read_labels(session) == own
        assert tuqa.run(
            "get_information(relation='knows', head_entity='Ann')", "classes"
        ).values == ("Bob",)
        tuqa.load(
            "kg", tmp_path / "b.tsv", dataset="classes", source="b", mode="append", embeddings=False
        )
        assert read_labels(session) == own | {"Ann": {"ClPerson", "ClCook"}, "Cid": {"ClPerson"}}
        tuqa.drop("classes", "b")
        assert read_labels(session) == own
        tuqa.load("kg", tmp_path / "a.tsv", dataset="plain", embeddings=False, class_labels=False)
        assert read_labels(session, "plain") == {}
    finally:
        session.run("MATCH (n:ClDog) WHERE NOT n:Node DELETE n").consume()


def test_only_the_largest_classes(
    tuqa: TrustUQA, session: neo4j.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_labels, "MAX_CLASS_LABELS", 1)
    (tmp_path / "a.tsv").write_text(FACTS)
    tuqa.load("kg", tmp_path / "a.tsv", dataset="classes", embeddings=False)
    assert read_labels(session) == {"Ann": {"ClPerson"}, "Bob": {"ClPerson"}}


def test_the_command(
    server: Settings, tuqa: TrustUQA, session: neo4j.Session, tmp_path: Path
) -> None:
    (tmp_path / "a.tsv").write_text(FACTS)
    done = shell(
        server, "tuqa-load", "kg", str(tmp_path / "a.tsv"), "--dataset", "classes",
        "--no-embeddings", "--no-class-labels",
    )  # fmt: skip
    assert done.code == 0
    assert read_labels(session) == {}
