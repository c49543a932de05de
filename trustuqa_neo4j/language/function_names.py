"""Names of functions and parameters: synonyms, composed names such as ``get_average``, and misspellings."""

from __future__ import annotations

import re
from functools import lru_cache

from ..lexicon.words import WORDS
from ..matching import suggest_names
from .functions import FUNCTIONS, SEARCHES
from .signatures import Function, Parameter, Trait

_BY_NAME = {name: f for f in reversed(FUNCTIONS) for name in f.names}

MAX_MISSPELLED = 60  # Longer misspellings are cut, since comparing takes quadratic time.

FUNCTION_NAMES = tuple(_BY_NAME)

_ABBREVIATIONS = frozenset(name for function in SEARCHES for name in function.synonyms)
_SUGGESTED = tuple(name for name in FUNCTION_NAMES if name not in _ABBREVIATIONS)

PARAMETER_NAMES = tuple(
    dict.fromkeys(
        name
        for f in FUNCTIONS
        for p in (*f.parameters, Parameter("set"))
        for name in (p.name, *p.synonyms)
    )
)


def find_function(name: str) -> Function | None:
    """The function with this name or synonym, in any case, or whose name ``name`` is composed of."""
    return _BY_NAME.get(name.casefold()) or _find_composed(name)


_NAME_WORDS = re.compile(r"[a-z]+|[A-Z][a-z]*")
_WORDS = WORDS.functions
_ORDER_WORDS = WORDS.comparisons.greater | WORDS.comparisons.less | WORDS.comparisons.equal


@lru_cache(maxsize=256)
def _find_composed(name: str) -> Function | None:
    """Read ``get_average`` as the average, ``calculate_age_difference`` as a distance, ``compare_ages``.

    A verb before the name of a function and a noun after it do not change the meaning.
    """
    words = [word.casefold() for word in _NAME_WORDS.findall(name[:MAX_MISSPELLED])]
    content = [word for word in words if word not in _WORDS.verbs | _WORDS.tests | _WORDS.nouns]
    if len(words) < 2 or not content:
        return None
    function = _BY_NAME.get("_".join(content))
    if function is not None and (content != ["difference"] or "set" in words):
        is_question = not _WORDS.tests.isdisjoint(words)
        return None if is_question and Trait.SAYS_YES_OR_NO not in function.traits else function
    if content[-1] in ("difference", "diff") and _WORDS.relative.isdisjoint(words):
        units = (_WORDS.differences[word] for word in content if word in _WORDS.differences)
        return _BY_NAME[next(units, "distance")]
    if content[0] == "compare" and len(content) == 2 and content[1] not in _ORDER_WORDS:
        return _BY_NAME["compare"]
    return None


@lru_cache(maxsize=256)
def suggest_function(name: str) -> str | None:
    """The function name that ``name`` is most likely a misspelling of, or None."""
    return next(iter(suggest_names(name[:MAX_MISSPELLED], _SUGGESTED, 1, 0.6)), None)
