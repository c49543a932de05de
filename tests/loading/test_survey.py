"""The first reading of a load: columns of tables are read as a whole, and the load says what it doubts."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.answer import Value
from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.loading.batch import Batcher
from trustuqa_neo4j.loading.formats import File, get_loader
from trustuqa_neo4j.loading.inputs import identify_file
from trustuqa_neo4j.loading.load import LoadJob, make_batcher, survey_columns
from trustuqa_neo4j.loading.request import LoadReport, LoadRequest, Progress
from trustuqa_neo4j.values import ValueOptions

GERMAN = "k;v;since\nx;1.234;25/12/2020\ny;2.500;03/04/2019\nz;0,5;01/02/2018\n"
ENGLISH = "k,w\na,1.234\nb,2.500\nc,0.5\n"


def write(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def load(tuqa: TrustUQA, path: Path, **options: object) -> LoadReport:
    parameters = {"dataset": "d", "source": path.stem, "embeddings": False, **options}
    return tuqa.load("table", path, **parameters)  # type: ignore[arg-type]


def run(tuqa: TrustUQA, query: str) -> tuple[Value, ...]:
    return tuqa.run(query, "d").values


def test_a_column_is_read_as_a_whole(tuqa: TrustUQA, tmp_path: Path) -> None:
    report = load(tuqa, write(tmp_path / "de.csv", GERMAN))
    assert run(tuqa, "sum(get_information(relation='v'))") == (3734.5,)
    query = "get_information(relation='k', key='since', value>'2019-01-01')"
    assert sorted(map(str, run(tuqa, query))) == ["x", "y"]
    assert [remark.places for remark in report.remarks.values()] == [
        [f"{tmp_path / 'de.csv'}:2"],
        [f"{tmp_path / 'de.csv'}:3"],
    ]


@pytest.mark.parametrize("order", [("de", "en"), ("en", "de")])
def test_two_conventions_share_a_dataset(
    tuqa: TrustUQA, tmp_path: Path, order: tuple[str, str]
) -> None:
    paths = {
        "de": write(tmp_path / "de.csv", GERMAN),
        "en": write(tmp_path / "en.csv", ENGLISH),
    }
    load(tuqa, paths[order[0]])
    load(tuqa, paths[order[1]], mode="append")
    assert run(tuqa, "sum(get_information(relation='v'))") == (3734.5,)
    assert run(tuqa, "sum(get_information(relation='w'))") == (4.234,)
    assert run(tuqa, "get_information(relation='k', key='v', value='1.234')") == ("x",)
    assert run(tuqa, "get_information(relation='k', key='w', value='1.234')") == ("a",)


def test_options_of_single_columns(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "a;b\n1.500;1.500\n05/03/2019;05/03/2019\n")
    values = ValueOptions("mdy", None, columns={"b": ValueOptions(dates="dmy", decimal=",")})
    report = load(tuqa, path, values=values)
    assert run(tuqa, "sum(get_information(relation='a'))") == (1.5,)
    assert run(tuqa, "sum(get_information(relation='b'))") == (1500.0,)
    for column, day in (("a", "2019-05-03"), ("b", "2019-03-05")):
        query = f"count(get_information(relation='{column}', key='{column}', value={day}))"
        assert run(tuqa, query) == (1,)
    (note,) = report.remarks
    assert note.startswith("'a': the full stop of 1.500 may separate decimals or thousands")


def test_an_option_for_no_column_is_refused(tuqa: TrustUQA, tmp_path: Path) -> None:
    values = ValueOptions(columns={"vv": ValueOptions(decimal=",")})
    with pytest.raises(UsageError, match="'vv': no column\nhint: did you mean 'v'"):
        load(tuqa, write(tmp_path / "de.csv", GERMAN), values=values)
    assert tuqa.datasets() == ()


def test_an_append_takes_the_options_of_its_dataset(tuqa: TrustUQA, tmp_path: Path) -> None:
    options = ValueOptions("dmy", null=frozenset({"-"}))
    load(tuqa, write(tmp_path / "a.csv", "k,d\nx,05/03/2019\ny,-\n"), values=options)
    later = write(tmp_path / "b.csv", "k,e\nx,05/03/2019\ny,-\n")
    assert load(tuqa, later, mode="append").facts == 3
    assert load(tuqa, later, mode="append").begun == "unchanged"
    other = ValueOptions("mdy")
    load(tuqa, write(tmp_path / "c.csv", "k,f\nx,05/03/2019\n"), mode="append", values=other)
    for column, day in (("d", "2019-03-05"), ("e", "2019-03-05"), ("f", "2019-05-03")):
        query = f"get_information(relation='k', key='{column}', value={day})"
        assert run(tuqa, query) == ("x",)


def test_bulk_loads_read_columns_in_the_same_way(tmp_path: Path) -> None:
    path = write(tmp_path / "de.csv", GERMAN)
    file = File(path, "de.csv")
    request = LoadRequest(get_loader("table"), (), "d", given=(file,))
    job = LoadJob(None, request, {}, Progress(), LoadReport("d", 0))  # type: ignore[arg-type]
    job.identities[file] = identify_file(file, Progress())
    job, survey = survey_columns(job)
    assert (survey.facts, list(survey.sources)) == (9, ["de.csv"])
    for bare in (False, True):
        batcher = make_batcher(
            job.request, (file,), Progress(), LoadReport("d", 0), "read", bare=bare
        )
        assert numbers(batcher) == {"1.234": 1234.0, "2.500": 2500.0, "0,5": 0.5}


def numbers(batcher: Batcher) -> dict[str, float]:
    """Name → number of the values in a batch."""
    batch = batcher.next()
    assert batch is not None
    ends = (batch.make_end_node(position, ValueOptions()) for position in range(len(batch.keys)))
    rows = [row for statement, row in ends if statement == "write_values"]
    return {row[1]: row[3] for row in rows if row[3] is not None}
