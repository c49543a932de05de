"""DataFrames as tables: pandas and polars, with what each of them makes of numbers, dates and gaps."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pandas as pd
import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.loading.formats import ReadOptions, get_loader
from trustuqa_neo4j.loading.inputs import write_dataframe
from trustuqa_neo4j.model.facts import Fact, SourceStart


def cells(tuqa: TrustUQA, dataset: str) -> list[list[str]]:
    query = "get_information(relation='{}', tail_entity='{}')"
    return [
        [f"{f.source}, {f.file}:{f.line}" for f in tuqa.run(query.format(*pair), dataset).evidence]
        for pair in (("nation", "Ann, Land"), ("gold", "3"), ("on", "1999-03-05"), ("share", ""))
    ]


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "nation": ["Ann, Land", 'B"ob'],
            "gold": [3, 4],
            "on": [dt.date(1999, 3, 5), dt.date(2000, 1, 1)],
            "share": [0.5, None],
        }
    )


def test_a_frame_of_pandas(tuqa: TrustUQA, frame: pd.DataFrame) -> None:
    report = tuqa.load("table", frame, dataset="medals")
    assert (report.facts, report.sources) == (8, 1)
    at = "DataFrame, DataFrame:{}"
    assert cells(tuqa, "medals") == [
        [at.format(2)],
        [at.format(2)] * 2,
        [at.format(2)] * 2,
        [at.format(3)] * 2,
    ]
    again = tuqa.load("table", frame, dataset="medals")
    assert again.begun == "unchanged"
    more = tuqa.load("table", frame.tail(1), dataset="medals", source="more", mode="append")
    assert more.facts == 4


def test_several_frames_and_a_file(tuqa: TrustUQA, frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    tuqa.load("table", frame, frame.tail(1), path, dataset="medals")
    (found,) = [d for d in tuqa.datasets() if d.name == "medals"]
    assert [s.name for s in found.sources] == sorted([str(path), "DataFrame", "DataFrame 2"])


class Polars:
    """What a DataFrame of polars has in its place."""

    def write_csv(self, path: str, *, quote_style: str) -> None:
        assert quote_style == "non_numeric"
        Path(path).write_text("a\n1\n")


def test_a_frame_of_polars(tuqa: TrustUQA) -> None:
    assert tuqa.load("table", Polars(), dataset="p").facts == 1  # type: ignore[arg-type]


def test_what_is_no_frame(tuqa: TrustUQA, frame: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="a list of int\nhint: give records"):
        tuqa.load("table", [1, 2], dataset="p")  # type: ignore[arg-type]
    with pytest.raises(
        UsageError, match="a DataFrame is not of the format kg\nhint: load it as table"
    ):
        tuqa.load("kg", frame, dataset="p")


def test_headers_of_several_levels_are_joined(tuqa: TrustUQA) -> None:
    columns = pd.MultiIndex.from_tuples([("2022", "price"), ("2022", "tax"), ("note", "")])
    tuqa.load(pd.DataFrame([[10, 2, "x"]], columns=columns), dataset="levels", embeddings=False)
    answer = tuqa.run("get_table(columns=['2022 price', '2022 tax', 'note'])", "levels")
    assert answer.rows == (("10", "2", "x"),)
    with pytest.raises(UsageError, match="a Series is neither a path nor a DataFrame"):
        tuqa.load(pd.Series([1, 2]), dataset="levels")  # type: ignore[arg-type]


def test_named_indexes_and_lists_of_a_frame_are_kept(tuqa: TrustUQA) -> None:
    cities = pd.DataFrame({"city": ["Oslo", "Rome"], "tags": [["port", "cold"], None]})
    tuqa.load(cities.set_index("city"), dataset="indexed")
    query = "get_table(columns=['city', 'tags'])"
    answer = tuqa.run(query, "indexed")
    assert answer.rows == (("Oslo", '["port", "cold"]'), ("Rome", ""))


@pytest.mark.parametrize(
    "texts",
    [
        ["a;b;c", "d;e;f", "g;h;i"], ["a|b", "c|d", "e|f"], ["#a", "#b", "#c"], ["a,b", "c, d", "e"],
        ['"a"', " b ", "c"],
    ],
)  # fmt: skip
def test_no_text_of_a_frame_looks_like_several_cells(tmp_path: Path, texts: list[str]) -> None:
    file = write_dataframe(pd.DataFrame({"text": texts}), 0, tmp_path)
    options = ReadOptions()
    result = list(get_loader("table").read([file], options))
    assert isinstance(result[0], SourceStart)
    assert result[0].columns == ("text",)
    assert [item.tail for item in result if isinstance(item, Fact)] == texts
    assert not options.remarks
