"""Quoted text, and estimates of tokens."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustuqa_neo4j.llm.messages import tokens
from trustuqa_neo4j.prompts.schema_text import quote_text


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_it_reads_back_as_it_was_on_one_line(text: str) -> None:
    quoted = quote_text(text)
    assert json.loads(quoted) == text
    assert len(quoted.splitlines()) == 1
    assert quoted[0] == quoted[-1] == '"'


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('say "no"', r'"say \"no\""'),
        ("a\\", r'"a\\"'),
        ("a\r\nb\tc", r'"a\r\nb\tc"'),
        ("a\x1b[31m\x7f\x85", r'"a\u001b[31m\u007f\u0085"'),
        ("turned\u202e\u2066", r'"turned\u202e\u2066"'),
        ("unseen\U000e0041", r'"unseen\udb40\udc41"'),
        ("half \ud83d", r'"half \ud83d"'),
        ("pay\u200bpal\u00ad\ufeff", r'"pay\u200bpal\u00ad\ufeff"'),
        (
            "Þingvellir 常楽寺 👩\u200d🚀 نجيب می\u200cخواهم",
            '"Þingvellir 常楽寺 👩\u200d🚀 نجيب می\u200cخواهم"',
        ),
    ],
)
def test_what_is_not_seen_is_written_out(text: str, quoted: str) -> None:
    assert quote_text(text) == quoted


def test_a_long_text_is_cut_before_it_is_escaped() -> None:
    assert quote_text('"' * 5, 3) == r'"\"\"\""…'
    assert quote_text("abc", 3) == '"abc"'


@pytest.mark.parametrize(
    ("text", "least"),
    # as counted by the two tables of OpenAI's models, the greater number
    [
        ("", 0),
        ("Which lakes in Russia are deeper than 500 m?", 10),
        ("government.governmental_jurisdiction.governing_officials", 12),
        ("Кто написал роман «Война и мир»?", 15),
        ("3.14159 1,234,567 2004-05-01", 16),
        ("🏔️🌊", 7),
        ("get_information(relation='R', tail_entity>=250)", 13),
    ],
)
def test_tokens_are_estimated_on_the_high_side(text: str, least: int) -> None:
    assert least <= tokens(text) <= 4 * least


@given(st.text())
def test_any_text_has_tokens(text: str) -> None:
    assert tokens(text) >= 0
    assert tokens(text + " more") > tokens(text) - 2


@given(st.lists(st.text(max_size=12), min_size=1, max_size=8))
def test_tokens_of_lines_and_names_add_up(texts: list[str]) -> None:
    lines = [f'"{text}"'.replace("\n", " ") for text in texts]
    for separator in ("\n", "|"):
        joined = separator.join(lines * 40)  # a long text
        assert tokens(joined) == 40 * sum(map(tokens, lines)) + 40 * len(lines) - 1
