"""Files of demonstrations: what lines say, what is wrong with them, and what is written is read again."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from trustuqa_neo4j.curation.jsonl import lines, read
from trustuqa_neo4j.errors import DataError, MalformedLine, UnreadableFile
from trustuqa_neo4j.model.demonstration import Demonstration


def told(*records: dict[str, Any] | str) -> bytes:
    written = (r if isinstance(r, str) else json.dumps(r) for r in records)
    return "\n".join(written).encode()


def test_a_line_says_a_demonstration() -> None:
    content = told(
        {"question": "a", "query": "x"},
        "",
        {
            "question": "b",
            "llm_output": "y",
            "answers": ["1,000", 2, 3.0],
            "source": "s",
            "type": "t",
        },
        {
            "question": "c",
            "query": "z",
            "answers": [],
            "table": "csv/1.csv",
            "n": 1,
            "list": [1],
            "no": None,
        },
        {"question": "d", "query": "z", "llm_output": "not this", "state": "verified", "why": "w"},
    )
    found = read(content, "f", "films")
    assert found.by_dataset == {
        "films": [
            Demonstration("a", "x"),
            Demonstration("b", "y", ("1,000", "2", "3.0"), "s", {"type": "t"}),
            Demonstration("c", "z", (), "csv/1.csv", {"n": "1"}),
            Demonstration("d", "z"),
        ]
    }
    assert (found.total, found.repeated, dict(found.passed)) == (4, 0, {})


def test_packed_with_gzip_and_with_a_mark_at_the_front() -> None:
    content = b"\xef\xbb\xbf" + told({"question": "ü", "query": "x"})
    assert read(gzip.compress(content), "f", "d").by_dataset == read(content, "f", "d").by_dataset


def test_one_query_of_several_questions() -> None:
    content = told(
        {
            "question": "how many", "llm_output": "x", "kind": "count",
            "examples": [{"id": "1", "table": "a.csv", "answers": ["3"]}, {"table": "b.csv", "answers": [4]}],
        },
        {"question": "none", "llm_output": "x", "examples": []},
        {"question": "null", "llm_output": None, "examples": [{"table": "a.csv"}]},
        {"question": "blank", "query": " "},
    )  # fmt: skip
    found = read(content, "f", "d")
    assert found.by_dataset["d"] == [
        Demonstration("how many", "x", ("3",), "a.csv", {"kind": "count"}),
        Demonstration("how many", "x", ("4",), "b.csv", {"kind": "count"}),
    ]
    assert found.passed == {"no example in it": 1, "no query in it": 2}


def test_each_question_of_a_source_counts_once() -> None:
    records = [
        {"question": "a", "query": str(n), "source": "s" if n > 1 else None} for n in range(4)
    ]
    found = read(told(*records), "f", "d")
    assert [each.query for each in found.by_dataset["d"]] == ["0", "2"]
    assert found.repeated == 2


def test_lines_may_name_their_dataset() -> None:
    records = [{"question": "a", "query": "x", "dataset": name} for name in ("one", "two", "one")]
    found = read(told(*records), "f")
    assert {name: len(given) for name, given in found.by_dataset.items()} == {"one": 1, "two": 1}
    assert list(read(told(*records), "f", "three").by_dataset) == ["three"]


GOOD = {"question": "a", "query": "x"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON ("),
        ("[1]", "no object"),
        ("[" * 100_000, "not JSON ("),
        ('{"question": "\\ud800", "query": "x"}', "an escape that is half a character"),
        ({"query": "x"}, "no question in it"),
        ({"question": " ", "query": "x"}, "no question in it"),
        ({"question": ["a"], "query": "x"}, "question is not a text"),
        ({"question": "a", "query": {"x": 1}}, "query is not a text"),
        (
            {"question": "a", "query": "x" * 20_001},
            "a query of 20,001 characters, and 20,000 are allowed",
        ),
        ({**GOOD, "source": True}, "source is not a text"),
        ({**GOOD, "answers": "b"}, "answers that are not a list of texts or numbers"),
        ({**GOOD, "answers": [None]}, "answers that are not a list of texts or numbers"),
        ({**GOOD, "examples": {}}, "examples that are not a list of objects"),
        ({**GOOD, "examples": [1]}, "examples that are not a list of objects"),
        ({**GOOD, "a=b": "c"}, "a field that cannot be called 'a=b'"),
    ],
    ids=lambda x: "" if isinstance(x, dict) else str(x)[:30],
)
def test_lines_that_are_wrong(line: dict[str, Any] | str, said: str) -> None:
    with pytest.raises(MalformedLine) as caught:
        read(told(GOOD, "", line), "f.jsonl", "d")
    assert caught.value.what.startswith(said)
    assert caught.value.where == "f.jsonl:3"
    assert caught.value.hint.startswith('each line is {"question": "…"')


def test_a_line_without_a_dataset() -> None:
    with pytest.raises(
        MalformedLine, match="no dataset in it, and none is given with dataset, f:1"
    ):
        read(told(GOOD), "f")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (told(GOOD, GOOD) + b"\n\xff", "not UTF-8 text, f:3"),
        (gzip.compress(told(GOOD) * 100, mtime=0)[:-9], "f\nhint: it was packed, or is cut off"),
        (b"\x1f\x8b\x08 no gzip", "f\nhint: it was packed, or is cut off"),
    ],
)
def test_files_that_are_wrong(content: bytes, said: str) -> None:
    with pytest.raises(UnreadableFile, match=said):
        read(content, "f", "d")


def test_what_is_written_reads_the_same() -> None:
    given = [
        Demonstration("a\u2028b\n{0}", "x\ny", None, None, {"type": "ü", "n": "1"}),
        Demonstration("b", "y", (), "s", state="failed", why="so"),
        Demonstration("c", "y", ("1", "2"), state="verified"),
    ]
    written = "".join(lines(given))
    assert len(written.splitlines()) >= 3
    found = read(written.encode(), "f", "d").by_dataset["d"]
    assert [(d.question, d.query, d.answers, d.source, d.fields) for d in found] == [
        (d.question, d.query, d.answers, d.source, d.fields) for d in given
    ]
    assert {each.state for each in found} == {"candidate"}
    assert '"state": "failed", "why": "so"' in written


def test_errors_are_those_of_data() -> None:
    assert issubclass(MalformedLine, DataError)
