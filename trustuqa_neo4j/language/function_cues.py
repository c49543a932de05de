"""Functions that are seldom needed, by the words of the question that call for them.

A prompt explains such a function if the question has one of the words; its name and parameters are always
shown.
"""

from __future__ import annotations

import re
from functools import cache

from ..lexicon.words import WORDS, FunctionCue


def find_function_cues(question: str) -> list[FunctionCue]:
    text = question.casefold()
    return [cue for cue in WORDS.function_cues.cues if _compile(cue.patterns).search(text)]


@cache
def _compile(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(patterns))
