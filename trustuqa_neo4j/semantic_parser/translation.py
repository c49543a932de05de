"""Questions in German: their words of grammar are replaced by those of English, and their nouns stay."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_FILE = "de.toml"
_NOUN_BEFORE = re.compile(r"\b[^\W\d_a-zäöüß]\w*\s+$")


@dataclass(frozen=True, slots=True)
class _Grammar:
    """``begins`` fits a question that is translated unless it has one of the ``unread`` words."""

    begins: re.Pattern[str]
    unread: re.Pattern[str]
    phrases: re.Pattern[str]
    words: Mapping[str, str]
    after_nouns: Mapping[str, str]


def translate(text: str) -> str:
    """Return a question in German with English words of grammar, and any other text as it is.

    A word with a capital letter inside the question is part of a name, as in *Der Kanal*.
    """
    grammar = _read_grammar()
    question = text[:1].lower() + text[1:]
    if not grammar.begins.match(question) or grammar.unread.search(question):
        return text

    def replace(found: re.Match[str]) -> str:
        phrase = found[0]
        if phrase in grammar.after_nouns and _NOUN_BEFORE.search(question, 0, found.start()):
            return grammar.after_nouns[phrase]
        return grammar.words[phrase]

    return grammar.phrases.sub(replace, question)


@cache
def _read_grammar() -> _Grammar:
    lexicon = files("trustuqa_neo4j.lexicon").joinpath(_FILE)
    content = tomllib.loads(lexicon.read_text(encoding="utf-8"))
    return _Grammar(
        _any_of(content["openers"]),
        _any_of(content["unread"]),
        _any_of(content["words"]),
        content["words"],
        content["after_nouns"],
    )


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(map(re.escape, phrases), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(longest_first)})\b")
