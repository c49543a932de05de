"""``table``: which sign is between the cells, and rows that do not fit the header, asked of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.errors import DataError, UsageError

FILES = {
    "units": "pond;depth, m;area, ha\nUlm;2,5;0,75\nRur;11,25;4,5\nInn;3,5;1,25\n",
    "net": "tool;fee, net\nSaw;19,90\nAxe;129,00\nPin;5,25\n",
    "padded": "batch;mass, wet;mass, dry\n1; 7,50; 6,25\n2; 8,00; 7,40\n",
    "prose": "ref,left | right,pts\n1,up | down,10\n2,in | out,25\n",
    "lists": "crew,skills\nIda,a;b\nOle,c;d\n",
    "blanks": 'runner, medal, secs\nIda,   "GOLD", 52\nOle,   "SILVER, shared", 53\n',
    "headless": "Ida,31,170\nOle,25,182\nUwe,44,165\nEva,29,177\n",
    "rows": "lucode,root\noak,2,0.5\nrye,3,0.25\n",
}

CASES: list[tuple[str, list[Any]]] = [
    ("sum(get_information(relation='depth, m'))", [17.25]),
    ("sum(get_information(relation='area, ha'))", [6.5]),
    ("max(get_information(relation='fee, net'))", ["129,00"]),
    ("sum(get_information(relation='mass, dry'))", [13.65]),
    ("get_information(relation='left | right', key='pts', value=25)", ["in | out"]),
    ("get_information(relation='skills', key='crew', value='Ole')", ["c;d"]),
    ("get_information(relation='runner', key='medal', value='GOLD')", ["Ida"]),
    ("get_information(relation='medal', key='secs', value=53)", ["SILVER, shared"]),
    ("mean(get_information(relation='column 2'))", [32.25]),
    ("get_information(relation='column 1', key='column 3', value=170)", ["Ida"]),
    ("get_information(relation='root', key='lucode', value=3)", ["0.25"]),
]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / f"{name}.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_cells_are_what_a_person_sees(tuqa: TrustUQA, tmp_path: Path) -> None:
    paths = [write(tmp_path, name, content) for name, content in FILES.items()]
    report = tuqa.load("table", *paths, dataset="d", embeddings=False)
    answers = [(query, list(tuqa.run(query, "d").values)) for query, _ in CASES]
    assert answers == CASES
    notes = "\n".join(report.remarks)
    for words in ("between semicolons; delimiter=','", "blanks before quotes", "have no names"):
        assert words in notes


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name;year,tags;kind\nA;2001,x;y\nB;2002,z;w\n", "between commas or semicolons"),
        ("town,people\nUlm,126,329\nBonn,331,885\n", "126,329 may be one number"),
        ("a,b,c\n1,4,7,\n2,5,8,x\n3,6,9,\n", "4 cells in this row, but the header has 3"),
        ("name,road,age\nIda,Elm St 5, Ulm,30\nOle,Oak St 2, Bonn,40\n", "4 cells in this row"),
    ],
)
def test_what_is_open_is_refused(
    tuqa: TrustUQA, tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        tuqa.load("table", write(tmp_path, "t", content), dataset="d", embeddings=False)
    assert tuqa.datasets() == ()


@pytest.mark.parametrize(
    ("sign", "columns"),
    [(",", ("name;year", "tags;kind")), ("semicolon", ("name", "year,tags", "kind")), ("^", ())],
)
def test_a_delimiter_is_given(
    tuqa: TrustUQA, tmp_path: Path, sign: str, columns: tuple[str, ...]
) -> None:
    content = "name;year,tags;kind\nA;2001,x;y\nB;2002,z;w\n"
    path = write(tmp_path, "t", content)
    report = tuqa.load("table", path, delimiter=sign, dry_run=True)
    expected = columns or ("name;year,tags;kind",)
    assert tuple(column.name for column in report.tables[0].columns) == expected


@pytest.mark.parametrize("sign", ['"', "ab", "x", "\n"])
def test_a_sign_that_cannot_divide_is_refused(tuqa: TrustUQA, tmp_path: Path, sign: str) -> None:
    with pytest.raises(UsageError, match="the delimiter"):
        tuqa.load("table", write(tmp_path, "t", "a,b\n1,2\n"), delimiter=sign)


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("name\nAndré\nÑandú ß\n".encode("cp1252"), "cp1252"),
        (b"name\nab\x81\x98\x90\n", "cp1250"),
    ],
)
def test_the_hint_names_an_encoding_that_the_bytes_allow(
    tuqa: TrustUQA, tmp_path: Path, content: bytes, encoding: str
) -> None:
    with pytest.raises(DataError, match=f"such as {encoding}"):
        tuqa.load("table", write(tmp_path, "t", content), dataset="d", embeddings=False)
