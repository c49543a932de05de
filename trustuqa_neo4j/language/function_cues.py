"""Words of questions that call for a function that is seldom needed, with a call of it.

A prompt explains such a function if the question has one of the words; its name and parameters are always
shown. The patterns look at the question in lower case.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class FunctionCue(NamedTuple):
    """``functions`` are names of the table of functions; ``call`` shows their use, if that is not plain."""

    pattern: re.Pattern[str]
    functions: tuple[str, ...]
    call: str = ""


_RANK = "first|last|top|bottom|second|third|fourth|fifth|next|final|initial"
_NUMBER = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten)"

FUNCTION_CUES = (
    FunctionCue(
        re.compile(
            rf"\b(?:{_RANK}) {_NUMBER}\b|\b{_NUMBER} (?:\w+ )?(?:\w+est|most|least)\b"
            rf"|\b(?:second|third|fourth|fifth|\d(?:nd|rd|th)) (?:\w+est|most|least)\b"
            r"|\balphabetical|\bsort(?:ed)?\b|\b(?:in|by) (?:\w+ )?order\b|\brank(?:ed|ing)? (?:of|by)\b"
        ),
        ("sort", "first", "last"),
        "sort(set='output_of_query1', order='descending'), then first(set='output_of_query2', number=3)",
    ),
    FunctionCue(
        re.compile(r"\b(?:first|last)\b.* list(?:ed)?\b|\blist.* (?:first|last)\b"),
        ("first", "last"),
    ),
    FunctionCue(
        re.compile(
            r"\b(?:most|least) (?:often|common|frequent\w*|popular|times)\b"
            r"|\b(?:which|what|who) (?:\w+ ){1,6}(?:most|fewest|least)\b"
            r"|\b(?:highest|largest|greatest|lowest|smallest) (?:number|total|amount) of\b"
        ),
        ("mode", "count_by", "argmax", "argmin"),
        "count_by(set='output_of_query1'), then argmin(counts='output_of_query2')",
    ),
    FunctionCue(re.compile(r"\b(?:each|every|per|respectively)\b"), ("count_by",)),
    FunctionCue(
        re.compile(
            r"\bor\b|\b(?:longer|compare)\b|^\W*(?:is|are|was|were|do|does|did|has|have)\b.* than\b"
        ),
        ("compare", "smaller", "if"),
        "if(condition=output_of_query1 > output_of_query2, a='A', b='B')",
    ),
    FunctionCue(
        re.compile(r"\bhow long\b|\blonger\b|\bhow many (?:years|months|days|hours)\b"),
        ("duration",),
    ),
    FunctionCue(re.compile(r"\b(?:same|equal|identical|match(?:es)?)\b"), ("equals",)),
    FunctionCue(
        re.compile(
            r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will)\b|\bwhether\b"
        ),
        ("exists", "is_empty", "equals"),
    ),
    FunctionCue(
        re.compile(r"\b(?:different|distinct|unique|various|(?:types|kinds) of)\b"), ("distinct",)
    ),
    FunctionCue(
        re.compile(r"\bhow (?:many times|often)\b|\bnumber of times\b"),
        (),
        "count(set='output_of_query1', distinct=false) counts what repeats each time",
    ),
)


def find_function_cues(question: str) -> list[FunctionCue]:
    text = question.casefold()
    return [cue for cue in FUNCTION_CUES if cue.pattern.search(text)]
