"""Texts that are no plain English question: queries and code, other languages, too many words."""

from __future__ import annotations

import re
import unicodedata

from ..language.ast import Problem, ProblemKind
from ..language.function_names import FUNCTION_NAMES
from ..lexicon.words import WORDS
from ..matching import normalize_name
from ..semantic_parser.question import PlainQuestion
from ..wording import CallOption, render_options

MAX_QUESTION_WORDS = 80
_SHOWN_WORDS = 5

_CODE = re.compile(
    r"^\s*(?-i:SELECT)\b.*\b(?-i:FROM)\b"
    r"|^\s*(?:select|insert|update|delete|drop|create|alter|with)\b.*[*;(=]"
    r"|^\s*(?:optional )?match\s*\("
    rf"|\b(?:{'|'.join(sorted(name for name in FUNCTION_NAMES if '_' in name))})\s*\("
    r"|^\s*(?:import|def|class|print)\b.*[(:]"
    r"|[{};]\s*$|</\w+>",
    re.IGNORECASE | re.DOTALL,
)


_INSTRUCTIONS = re.compile(
    rf"\b(?:{'|'.join(WORDS.requests.instruction_verbs)})\b.{{0,40}}"
    rf"\b(?:{'|'.join(WORDS.requests.instruction_objects)})\b",
    re.IGNORECASE | re.DOTALL,
)


def find_obstacle(question: PlainQuestion) -> Problem | None:
    """Return why a text is not read at all; None for what may be a question in English."""
    if _CODE.search(question.text):
        message = "the question looks like code; questions are in plain words, and `tuqa run` runs queries"
        return Problem(ProblemKind.NO_READING, message)
    if _INSTRUCTIONS.search(question.text):
        message = "the question gives instructions; it is not read, since it asks for no data"
        return Problem(ProblemKind.NO_READING, message)
    count = len(question.words)
    if count > MAX_QUESTION_WORDS:
        message = f"the question has {count:,} words; at most {MAX_QUESTION_WORDS} are read"
        return Problem(ProblemKind.TOO_LONG, message)
    language = find_language(question)
    if language is not None:
        return _not_english(f"the question looks {language}")
    if question.words and not any(map(str.isalpha, question.text)):
        return Problem(ProblemKind.NO_READING, "the question is only a number, and has no word")
    if len(question.words) == 1:
        message = f"{question.written[0]!r} alone is not a question: say what is asked of it"
        return Problem(ProblemKind.NO_READING, message)
    if WORDS.requests.unfinished_ends & {*question.words[-1:]}:
        message = f"the question ends with {question.words[-1]!r}"
        return Problem(ProblemKind.NO_READING, message)
    if not question.content:
        return Problem(ProblemKind.NO_READING, "the question has no word that data could have")
    return None


def _not_english(observation: str) -> Problem:
    model = render_options(CallOption.LLM.with_value("openai:NAME"))
    message = f"{observation}; only English is read without a model (`{model}`)"
    return Problem(ProblemKind.NO_READING, message)


def find_language(question: PlainQuestion) -> str | None:
    """Return the language of a question that begins as in that language, and has no English grammar."""
    words = [normalize_name(word) for word in question.words]
    foreign = [word for word in words if not _is_latin(word)]
    has_syllables = any("\u3040" <= sign <= "\u30ff" for sign in question.text)  # of Japanese
    if (has_syllables or len(foreign) > 1) and not WORDS.grammar.function_words & {*words}:
        return "like another language"
    if (WORDS.grammar.function_words - WORDS.other_languages.shared) & {*words}:
        return None
    if not question.text.rstrip().endswith("?") and not WORDS.other_languages.common & {*words}:
        return None  # *Qui Nhon population*
    start = {*words[:2]}
    return next(
        (name for name, asked in WORDS.other_languages.question_words.items() if asked & start),
        None,
    )


def _is_latin(text: str) -> bool:
    letters = [sign for sign in text if sign.isalpha()]
    latin = sum(unicodedata.name(sign, "").startswith("LATIN") for sign in letters)
    return 2 * latin >= len(letters)


def explain_no_reading(question: PlainQuestion) -> Problem:
    """Name the words of a question that no query explains."""
    if not _is_latin(question.text):
        return _not_english("the question has few Latin letters")
    words = list(dict.fromkeys(question.words[position] for position in sorted(question.content)))
    shown = ", ".join(repr(word[:40]) for word in words[:_SHOWN_WORDS])
    rest = f" and {len(words) - _SHOWN_WORDS} more words" if len(words) > _SHOWN_WORDS else ""
    message = f"no query has an answer for {shown}{rest}"
    return Problem(ProblemKind.NO_READING, message)
