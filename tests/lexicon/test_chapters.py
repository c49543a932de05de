from __future__ import annotations

import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib.resources import files

import pytest

from trustuqa_neo4j.lexicon import chapters, words
from trustuqa_neo4j.lexicon.lexicon import load_graph_lexicon, load_lexicon


@dataclass(frozen=True)
class OtherWords:
    months: tuple[str, ...]
    moons: tuple[str, ...]


def test_the_chapters_are_the_file() -> None:
    text = files("trustuqa_neo4j.lexicon").joinpath("en.toml").read_text(encoding="utf-8")
    whole = tomllib.loads(text)
    assert {name: chapters.read_chapter(name) for name in chapters.split_chapters()} == whole


def test_each_chapter_has_a_reader() -> None:
    subjects = set(words.LanguageWords.__annotations__)
    assert {*chapters.split_chapters()} - subjects == {"questions", "tables", "graphs"}
    for name in subjects:
        getattr(words.WORDS, name)
    assert load_lexicon().operators
    assert load_graph_lexicon().concepts


def test_words_have_the_type_of_their_field() -> None:
    assert words.WORDS.times.months[0] == "january"
    assert words.WORDS.numbers.cardinals["twenty"] == 20
    assert "does" in words.WORDS.grammar.do_forms
    assert "does" in words.WORDS.grammar.function_words


def test_a_field_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match=r"en.toml, \[times\].* moons"):
        chapters.load_words(OtherWords, "times")


def test_a_client_does_not_parse_the_cues_of_questions() -> None:
    """They take most of the time that the file takes, and only the semantic parser has use for them."""
    code = (
        "import trustuqa_neo4j.client\n"
        "from trustuqa_neo4j.lexicon.chapters import read_chapter\n"
        "parsed = read_chapter.cache_info().misses\n"
        "names = ('questions', 'tables', 'graphs')\n"
        "for name in names: read_chapter(name)\n"
        "assert read_chapter.cache_info().misses == parsed + len(names)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
