"""Questions in German over tables with German headers."""

from __future__ import annotations

import pytest

from bench.semantic_parser.snapshots import make_snapshot
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table
from trustuqa_neo4j.semantic_parser.translation import translate

TOWNS = make_snapshot(
    "Städte.csv",
    ("Stadt", "Land", "Einwohner", "Fläche", "gegründet", "Bürgermeister"),
    [
        ("Lindau", "Bayern", "25000", "33.1", "882", "Ada Kern"),
        ("Hofstedt", "Hessen", "81000", "64.5", "1240", "Paul Wirth"),
        ("Rodenbach", "Bayern", "12500", "18.2", "1155", "Lena Moos"),
        ("Emsried", "Sachsen", "143000", "120.4", "1016", "Karl Ott"),
        ("Talheim", "Hessen", "9800", "22.7", "1307", "Ina Graf"),
    ],
)
BRIDGES = make_snapshot(
    "Brücken.csv",
    ("Brücke", "Fluss", "Länge in m", "Eröffnung", "Baustoff"),
    [
        ("Alte Brücke", "Ems", "120", "1731", "Stein"),
        ("Neue Brücke", "Ems", "410", "1968", "Stahl"),
        ("Parkbrücke", "Isar", "88", "1994", "Holz"),
        ("Marktsteg", "Isar", "45", "2003", "Stahl"),
        ("Hafenbrücke", "Elbe", "615", "1979", "Beton"),
    ],
)


@pytest.mark.parametrize(
    ("table", "text", "answers"),
    [
        (TOWNS, "Welche Stadt hat die meisten Einwohner?", {"Emsried"}),
        (TOWNS, "Wie viele Einwohner hat Emsried?", {"143000"}),
        (TOWNS, "Wann wurde Hofstedt gegründet?", {"1240"}),
        (TOWNS, "In welchem Land liegt Rodenbach?", {"Bayern"}),
        (TOWNS, "Welche Städte haben mehr als 50000 Einwohner?", {"Hofstedt", "Emsried"}),
        (TOWNS, "Wer ist der Bürgermeister von Talheim?", {"Ina Graf"}),
        (TOWNS, "Was ist die Summe der Einwohner?", {"271300"}),
        (TOWNS, "Was ist die Fläche der Stadt Lindau?", {"33.1"}),
        (BRIDGES, "Wie viele Brücken sind aus Stahl?", {"2"}),
        (BRIDGES, "Welche Brücke hat die größte Länge?", {"Hafenbrücke"}),
        (BRIDGES, "Wann war die Eröffnung der Parkbrücke?", {"1994"}),
        (BRIDGES, "Was ist die durchschnittliche Länge der Brücken?", {"255.6"}),
    ],
)
def test_simple_questions_are_answered(table: TableSnapshot, text: str, answers: set[str]) -> None:
    first = parse_for_table(read_question(text), table).readings[0]
    assert first.is_sure
    assert {f"{m:g}" if isinstance(m, float) else m for m in first.members} == answers


@pytest.mark.parametrize(
    "text",
    [
        "Wer baut Lindau?",
        "Wie viele Ärzte hat Lindau?",
        "Wie alt ist Lindau?",
        "Welche Stadt ist am schönsten?",
        "Welche Städte liegen nicht in Bayern?",
        "Welche Stadt hat keine Brücke?",
    ],
)
def test_what_is_not_understood_has_no_answer(text: str) -> None:
    readings = parse_for_table(read_question(text), TOWNS).readings
    assert not any(reading.is_sure for reading in readings)


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Wer leitet Der Kanal?", "who leitet Der Kanal?"),
        ("Was ist die Höhe der Brücke?", "what is the Höhe of the Brücke?"),
        ("Welche Stadt liegt nicht in Hessen?", "Welche Stadt liegt nicht in Hessen?"),
        ("Die Hard", "Die Hard"),
        ("Was Lindau founded in 882?", "Was Lindau founded in 882?"),
        ("Was is the area of Lindau?", "Was is the area of Lindau?"),
    ],
)
def test_names_and_other_languages_stay(text: str, english: str) -> None:
    assert translate(text) == english
