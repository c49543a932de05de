"""What the two processes of a bulk load tell each other: data, and nothing that runs."""

from __future__ import annotations

import io
from array import array
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from trustuqa_neo4j.bulk.frames import read_frame, write_frame
from trustuqa_neo4j.bulk.messages import decode_batch, encode_batch, from_data, to_data
from trustuqa_neo4j.errors import MalformedLine, UsageError
from trustuqa_neo4j.loading.addresses import StoredItems
from trustuqa_neo4j.loading.batch import (
    Batch,
    FactGroup,
    GroupFacts,
    LoadedSource,
    QualifiedFact,
)
from trustuqa_neo4j.loading.formats import DetectedFormat, File, Remark, get_loader
from trustuqa_neo4j.loading.request import LoadRequest
from trustuqa_neo4j.loading.table_options import TableOptions
from trustuqa_neo4j.values import ValueOptions

HALF = "\ud83d"  # of a character: it may stand in a path or a damaged file

FULL = Batch(
    position=7,
    at="a.csv:7",
    forget_keys=True,
    read=3,
    qualifier_facts=1,
    sources={"s": LoadedSource("s", "table", ["a.csv"], ("a", "b"), (("a", "dates dmy"),))},
    relations={"a": "a", "größe": "grösse"},
    keys=["x", "5 m", "", HALF, "k\x1f1", "fact\x1fq"],
    cells={1, 2},
    values={1},
    names={4: "one", 1: "5 m"},
    readings={
        1: ValueOptions(dates="dmy"),
        2: ValueOptions(decimal=",", kind="number"),
        3: ValueOptions(dates="dmy"),
    },
    nodes={
        "write_rows": {"k\x1f1": ["k\x1f1", "row 1", "s", 1]},
        "write_values": {"5 m": ["5 m", "5 m", "5 m", 5.25, "m", None, None]},
    },
    aliases=[("x", "ex", "ex")],
    qualified_facts={"fact\x1fq": QualifiedFact("fact\x1fq", 0, "a", 1, "x a 5 m")},
    facts={
        FactGroup("s", 0, "a"): GroupFacts(
            array("I", [0, 1]), array("I", [1, 2]), array("Q", [7, 1 << 40]), []
        ),
        FactGroup("s", 1, "b"): GroupFacts(
            detailed=[[0, 1, 9, 20200101, 20201231, 14, "2020", None, "fact\x1fq", "1; 2"]]
        ),
        FactGroup("s", 1, "c"): GroupFacts(array("I", [3]), array("I", [3]), array("Q", [1])),
    },
    qualifiers={FactGroup("s", 1, "b"): {"source", "page"}},
    classes=[["s", "C", "c", ["D"], [], ["label"], "comment"]],
    properties=[["s", "p", "p", ["A\x1fB"], [], True, ["date"], [], [], [], "", False]],
    hubs=["x"],
)


def send(header: object, arrays: Any = ()) -> tuple[Any, list[bytes]]:
    stream = io.BytesIO()
    write_frame(stream, header, arrays)
    stream.seek(0)
    frame = read_frame(stream)
    assert not stream.read()
    return frame


@pytest.mark.parametrize("batch", [FULL, Batch()], ids=["full", "empty"])
def test_a_batch_arrives_as_it_was_sent(batch: Batch) -> None:
    received = decode_batch(*send(*encode_batch(batch)))
    for field in fields(Batch):
        sent = getattr(batch, field.name)
        assert getattr(received, field.name) == sent, field.name
        assert type(getattr(received, field.name)) is type(sent), field.name
    assert received.aliases == batch.aliases
    assert all(isinstance(group, FactGroup) for group in received.facts)


def is_default(record: Any, field: Any) -> bool:
    if field.default is MISSING and field.default_factory is MISSING:
        return False
    default = field.default if field.default is not MISSING else field.default_factory()
    return bool(getattr(record, field.name) == default)


def test_the_batch_of_this_test_has_every_field() -> None:
    assert not [f.name for f in fields(Batch) if is_default(FULL, f)]


REQUEST = LoadRequest(
    get_loader("kg"),
    ("a.tsv", f"b{HALF}.tsv"),
    "d",
    given=(File(Path("folder/copy"), "stdin", "sqlite://"),),
    source="s",
    mode="replace",
    encoding="latin-1",
    values=ValueOptions(
        "dmy", ",", frozenset({"-", "a, null b"}), {"c": ValueOptions(kind="text")}, "number"
    ),
    skip_bad=2,
    batch_size=5,
    dry_run=True,
    class_labels=False,
    stored=StoredItems(
        Path("items"),
        File(Path("x"), "x", None),
        [MalformedLine("bad", where="x:1", hint="look")],
        {"odd": Remark(2, ["x:2"])},
    ),
    table=TableOptions(
        (1, 2), None, 0, ";", ("A",), ("c",), {"a": "b"}, {"c": "/"}, frozenset({"o"})
    ),
    base=ValueOptions("mdy"),
    base_table=TableOptions(skip=3),
    readings={"s": (("c", "dates dmy"), ("", "decimal ,"))},
    missing={"s": {"c": frozenset({"n/a"})}},
    frequent={"s": {"c": frozenset({"often"})}},
    detected=(DetectedFormat("a.tsv", "kg", "triples", "table", False),),
)


def test_a_request_arrives_as_it_was_sent() -> None:
    assert not [f.name for f in fields(LoadRequest) if is_default(REQUEST, f)]
    assert REQUEST.stored is not None
    for field in fields(LoadRequest):
        if field.name in ("loader", "stored"):
            continue
        sent = getattr(REQUEST, field.name)
        assert from_data(send(to_data(sent))[0]) == sent, field.name
    stored: StoredItems = from_data(send(to_data(REQUEST.stored))[0])
    assert [(type(error), str(error)) for error in stored.bad] == [
        (MalformedLine, "bad, x:1\nhint: look")
    ]
    assert (stored.path, stored.file) == (REQUEST.stored.path, REQUEST.stored.file)
    assert stored.remarks == REQUEST.stored.remarks


class OwnError(UsageError):
    """Of a loader of another package."""


@pytest.mark.parametrize(
    ("kind", "received"), [(MalformedLine, MalformedLine), (OwnError, UsageError)]
)
def test_errors_are_sent_as_class_and_texts(kind: Any, received: type[Exception]) -> None:
    data = to_data(kind("what", where="f:1", hint="try"))
    assert data == [received.__name__, "what", "f:1", "try"]
    error = from_data(send(data)[0])
    assert (type(error), error.what, error.where, error.hint) == (received, "what", "f:1", "try")


@pytest.mark.parametrize("value", [object(), {1: {2}}, get_loader("kg"), print])
def test_other_objects_are_not_sent(value: object) -> None:
    with pytest.raises(TypeError, match="no message has a "):
        to_data(value)


@pytest.mark.parametrize("name", ["system", "Popen", "Loader", "errors", "TYPE_CHECKING"])
def test_a_message_names_no_other_class(name: str) -> None:
    with pytest.raises(KeyError):
        from_data([name, "echo"])


@pytest.mark.parametrize("size", [0, 2, 4, 11, 20, 40])
def test_a_frame_that_is_cut_is_an_end(size: int) -> None:
    stream = io.BytesIO()
    write_frame(stream, {"a": "b"}, [b"12345678", b""])
    whole = stream.getvalue()
    assert size < len(whole)
    with pytest.raises(EOFError):
        read_frame(io.BytesIO(whole[:size]))
    assert read_frame(io.BytesIO(whole)) == ({"a": "b"}, [b"12345678", b""])
