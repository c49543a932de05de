"""Names get a vector if they are words; codes, addresses, coordinates and long texts get none."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.embedding import CodePatterns, is_name
from trustuqa_neo4j.embedding.meaning import has_meaning

WORDS = [
    "Norway", "Wool Lamp", "Apollo 11", "Boeing 747", "B-52", "3M", "U2", "F-16", "Blade Runner 2049",
    "2001: A Space Odyssey", "1998 FIFA World Cup", "7th Infantry Regiment", "Q1 2019 results", "Москва",
    "常楽寺", "Customer 17", "W 24", "true north", "A. E. van Vogt", "point of order",
    "see www.example.org for more", "Deadbeef", "1984 (film)", "yes", "O'Brien", "I", "Route 66", "facade",
    "someone @ home",
]  # fmt: skip
CODES = [
    "O-000123", "A000001", "INV-2023-001", "ISBN 978-3-16-148410-0", "+49 30 901820", "7–6 (7–5), 6–4",
    "24–17", "9/11", "$", "", "—", "😀", "12,345", "2019-03-04", "05/11/1964", "true", "False",
    "m.02_0123", "DE89 3704 0044 0532 0130 00", "192.168.17.204", "5°50′23″S 37°59′24″W", "٢٠٢٤٠١٠٢",
    "ada@example.org", "mailto:ada@example.org", "https://example.org/people/ada", "www.example.org",
    "urn:isbn:0451450523", "bolt://127.0.0.1:7687", "POINT(13.4 52.5)", "POINT Z (1 2 3)",
    "point({srid:4326, x:1, y:2})", "SRID=4326;POINT(1 2)", "MULTIPOLYGON (((30 20, 45 40)))",
    "123e4567-e89b-12d3-a456-426614174000", "{ABCDEFAB-CDEF-ABCD-EFAB-CDEFABCDEFAB}",
    "d41d8cd98f00b204e9800998ecf8427e", "0xdeadbeefdeadbee1", " A000001 ",
]  # fmt: skip


@pytest.mark.parametrize("name", WORDS)
def test_words_have_a_meaning(name: str) -> None:
    assert has_meaning(name)


@pytest.mark.parametrize("name", CODES)
def test_codes_have_none(name: str) -> None:
    assert not has_meaning(name)


def test_long_texts_are_no_names() -> None:
    assert is_name("a" * 200)
    assert not is_name("a" * 201)
    assert not is_name("A000001")


def test_many_names_that_differ_only_in_digits_are_keys() -> None:
    patterns = CodePatterns()
    patterns.add(f"Customer {number}" for number in range(100))
    patterns.add([*(f"Apollo {number}" for number in range(99)), "Norway"])
    assert patterns.is_key("Customer 17")
    assert not patterns.is_key("Apollo 11")
    assert not patterns.is_key("Norway")
    assert patterns.count_names() == 100
