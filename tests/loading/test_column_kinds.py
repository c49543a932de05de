"""Columns of tables as a whole: months, codes, powers of ten and missing values, asked of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.loading.request import LoadReport
from trustuqa_neo4j.values import KindSurvey, ValueOptions

FILES = {
    "until": "until_month,u\nNov-21,3\nDec-21,4\nJan-22,6\nFeb-22,9\n",
    "high": "high_month,h\nMar-97,3\nMar-98,4\nJun-02,6\n",
    "days": "d_at,d\n9-Mar,3\n24-Mar,4\n11-Apr,6\n",
    "mixed": "mixed_month,m\nMay 2023,3\nJun-23,4\nJul-23,6\n",
    "open": "o_at,o\nMar-05,3\nJan-12,4\nNov-07,6\n",
    "power": "cell,volume\nA,4e3\nB,1250.5\nC,2e2\nD,1E+03\n",
    "bare": "tank,litres\nA,1e6\nB,2.5e6\nC,7e5\n",
    "laps": "rower,lap\nIda,3:22\nOle,3:23\nUwe,3:23\n",
    "lots": "lot,boxes\n7E2,3\n700,4\n0007E2,5\n",
    "missing": "site,region,depth\na,NA,12\nb,EU,NA\nc,NA,20\nd,EU,N/A\n",
    "words": "term,uses\nNA,4\nnull,7\n-,2\n",
    "rooms": "room,chairs\n1987,30\n1990,12\n2004,8\n",
    "prices": "lamp,price\nRho,1999\nTau,349\nChi,2500\n",
    "built": "tower,year_built\nRho,1999\nTau,1066\nChi,2004\n",
    "codes": "depot_code,staff\n00123,4\n123,5\n45678,6\n",
    "rounded": "isbn,pages\n9.78E+12,300\n9.79E+12,20\n",
    "flags": "member,is_paid\nIda,1\nOle,0\nUwe,1\n",
}

CASES: list[tuple[str, list[Any]]] = [
    ("get_information(relation='u', key='until_month', value=2021-12)", ["4"]),
    ("max(get_information(relation='until_month'))", ["Feb-22"]),
    ("min(get_information(relation='high_month'))", ["Mar-97"]),
    ("max(get_information(relation='high_month'))", ["Jun-02"]),
    ("max(get_information(relation='d_at'))", ["11-Apr"]),
    ("get_information(relation='m', key='mixed_month', value>2023-05-31)", ["4", "6"]),
    ("max(get_information(relation='volume'))", ["4e3"]),
    ("sum(get_information(relation='volume'))", [6450.5]),
    ("max(get_information(relation='litres'))", ["2.5e6"]),
    ("sum(get_information(relation='litres'))", [4200000]),
    ("get_information(relation='tank', key='litres', value<2000000)", ["A", "C"]),
    ("mean(get_information(relation='lap'))", ["3:22.67"]),
    ("get_information(relation='boxes', key='lot', value='700')", ["4"]),
    ("mean(get_information(relation='depth'))", [16.0]),
    ("count(get_information(relation='depth'))", [2]),
    ("get_information(relation='site', key='region', value='NA')", ["a", "c"]),
    ("get_information(relation='uses', key='term', value='NA')", ["4"]),
    ("get_information(relation='uses', key='term', value='-')", ["2"]),
    ("get_information(relation='lamp', key='price', value=1999)", ["Rho"]),
    ("get_information(relation='tower', key='year_built', value<1900)", ["Tau"]),
    ("get_information(relation='chairs', key='room', value='1990')", ["12"]),
    ("get_information(relation='staff', key='depot_code', value='123')", ["5"]),
    ("get_information(relation='staff', key='depot_code', value='00123')", ["4"]),
    ("get_information(relation='member', key='is_paid', value='yes')", ["Ida", "Uwe"]),
    ("sum(get_information(relation='is_paid'))", [2]),
]


def load(tuqa: TrustUQA, folder: Path, files: dict[str, str], **options: Any) -> LoadReport:
    paths = []
    for name, content in files.items():
        paths.append(folder / f"{name}.csv")
        paths[-1].write_text(content, encoding="utf-8")
    return tuqa.load("table", *paths, dataset="d", embeddings=False, **options)


def test_columns_are_read_as_a_person_reads_them(tuqa: TrustUQA, tmp_path: Path) -> None:
    report = load(tuqa, tmp_path, FILES)
    answers = [(query, sorted(tuqa.run(query, "d").values, key=str)) for query, _ in CASES]
    assert answers == CASES
    notes = "\n".join(report.remarks)
    for words in (
        "'o_at': cells such as Mar-05 stay text, since they may be months of years or days",
        "'until_month': cells such as Nov-21 are read as months (the name of the column)",
        "'depth': 2 cells are left out, since N/A or NA among values means none",
        "'depot_code': cells such as 00123 are codes, since shorter ones have no leading zeros",
        "'isbn': cells such as 9.78E+12 are rounded, as spreadsheet programs show numbers of many digits",
    ):
        assert words in notes


def test_what_is_open_is_decided_by_options(tuqa: TrustUQA, tmp_path: Path) -> None:
    columns = {"o_at": ValueOptions(dates="my"), "depth": ValueOptions(null=frozenset({"N/A"}))}
    files = {name: FILES[name] for name in ("open", "missing")}
    report = load(tuqa, tmp_path, files, values=ValueOptions(columns=columns))
    assert report.remarks == {}
    assert tuqa.run("max(get_information(relation='o_at'))", "d").values == ("Jan-12",)
    assert tuqa.run("count(get_information(relation='depth'))", "d").values == (3,)


def test_the_type_date_makes_months_of_years(tuqa: TrustUQA, tmp_path: Path) -> None:
    load(tuqa, tmp_path, {"open": FILES["open"]}, types={"o_at": "date"})
    assert tuqa.run("max(get_information(relation='o_at'))", "d").values == ("Jan-12",)


@pytest.mark.parametrize(
    ("name", "cells", "options"),
    [
        ("v", ("1850", "1999", "2020"), ""),  # years, as far as cells say
        ("Season", ("1066", "1999"), ""),
        ("first flight", ("1957", "2008"), ""),
        ("joined", ("1988", "19881"), ""),
        ("v", ("1066", "1999"), "type number"),
        ("order no.", ("1850", "1999"), "type number"),
        ("v", ("1999", "12.5"), "type number"),
        ("v", ("1999", "c. 1850"), ""),
        ("v", ("0", "1999", "2004"), ""),
        ("v", ("1e3", "2E5"), ""),
        ("v", ("1e3", "20"), "type number"),
        ("code", ("1e3", "20"), ""),
        ("v", ("12e3", "20"), ""),
        ("v", ("12", "NA", "7", "1"), "null NA"),
        ("v", ("TRUE", "NA", "FALSE"), "null NA"),
        ("v", ("NO", "NA", "SI"), ""),
        ("v", ("05JAN2024", ".", "06FEB2024"), "null ."),
        ("v", ("12", "NA"), ""),
        ("v", ("12", "NA", "red", "blue"), ""),
        ("v", ("Jan-12", "Feb-12", "Mar-12"), "dates my"),
        ("v", ("12-Jan", "13-Feb", "14-Feb"), ""),
        ("v", ("Jan 5", "Feb 12", "Mar 30"), "dates dm"),
        ("v", ("Jan-31", "Feb-02", "Mar-30"), "dates dm"),
        ("v", ("Jan '12", "Feb '12"), ""),
        ("v", ("00123", "123", "45678"), "type text"),
        ("v", ("123", "45678", "00123"), "type text"),
        ("v", ("01", "02", "12", "100"), ""),  # each number has one text
        ("v", ("0123", "9999", "12345"), ""),
        ("v", ("00", "1", "23", "0"), ""),
        ("v", ("007", "7", "7.5"), ""),
    ],
)
def test_kinds(name: str, cells: tuple[str, ...], options: str) -> None:
    survey = KindSurvey(name)
    for line, cell in enumerate(cells, 2):
        survey.add(cell, "f", line)
    assert survey.decide(ValueOptions(), ValueOptions()).text == options


@pytest.mark.parametrize(
    ("name", "cells", "has_note"),
    [
        ("v", ("9.78E+12", "9.79E+12"), True),
        ("v", ("9,78E+12", "1"), True),
        ("v", ("9.78E+12", "1.5E+15"), False),  # measured
        ("account no", ("9.78E+12", "1.5E+15"), True),
        ("v", ("9.78e12", "9.780140000000E+12", "1.5E+03"), False),
    ],
)
def test_lost_digits_are_noted(name: str, cells: tuple[str, ...], has_note: bool) -> None:
    survey = KindSurvey(name)
    for line, cell in enumerate(cells, 2):
        survey.add(cell, "f", line)
    assert survey.decide(ValueOptions(), ValueOptions()).kind is None
    assert [note.place for note in survey.notes] == ["f:2"] * has_note


def test_benchmarks_decide_about_months_alone() -> None:
    survey = KindSurvey("v")
    for line, cell in enumerate(("Jan 31", "Feb 12", "Mar 30", "NA", "1e6", "1999"), 2):
        survey.add(cell, "f", line)
    options = survey.decide(ValueOptions(), ValueOptions(), only_months=True)
    assert options.text == "dates dm"
