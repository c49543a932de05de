"""English word tables: months, numbers in words, words of grammar, and the stem of a word.

Everything that reads English words takes them from here.
"""

from __future__ import annotations

from collections.abc import Sequence

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip

CARDINALS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
         "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
         "twenty")
    )
} | {word: 10 * tens for tens, word in enumerate(
        ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred"), 3
    )}  # fmt: skip

ORDINALS = {
    word: number
    for number, word in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
         "eleventh", "twelfth"), 1
    )
}  # fmt: skip

FREQUENCIES = {"once": 1, "twice": 2}

# Words as `normalize_name` writes them: *don't* is ``dont``.

AUXILIARIES = frozenset(
    ("am", "are", "be", "been", "being", "can", "could", "did", "do", "does", "had", "has", "have", "is",
     "may", "might", "must", "shall", "should", "was", "were", "will", "would")
)  # fmt: skip

DO_FORMS = frozenset(("do", "does", "did"))

NEGATIONS = frozenset(
    ("apart", "besides", "but", "cannot", "cant", "else", "except", "excluding", "instead", "lack",
     "lacking", "lacks", "neither", "never", "no", "nobody", "non", "none", "nor", "not", "nothing",
     "nowhere", "other", "outside", "rather", "unless", "wont", "without")
) | {f"{auxiliary}nt" for auxiliary in AUXILIARIES}  # fmt: skip
"""Words that negate or exclude."""

COMPARISON_WORDS = frozenset(
    ("above", "after", "before", "below", "bigger", "earlier", "exceeding", "fewer", "greater",
     "higher", "larger", "later", "least", "less", "longer", "lower", "maximum", "minimum", "more",
     "most", "no", "over", "prior", "shorter", "since", "smaller", "than", "under", "up")
)  # fmt: skip
"""Words of phrases that compare, such as *at most*."""

COORDINATIONS = frozenset(("and", "both", "either", "or", "plus"))

QUESTION_WORDS = frozenset(("how", "what", "when", "where", "which", "who", "whom", "whose", "why"))

FUNCTION_WORDS = frozenset(
    ("a", "about", "all", "an", "any", "anyone", "as", "at", "by", "ever", "find", "for", "from", "get",
     "give", "he", "her", "him", "his", "i", "in", "it", "its", "itself", "know", "list", "me", "my",
     "name", "of", "on", "one", "ones", "our", "please", "s", "she", "show", "so", "some", "tell", "that",
     "the", "their", "them", "there", "these", "they", "this", "those", "to", "us", "want", "we", "with",
     "you", "your")
) | AUXILIARIES | QUESTION_WORDS  # fmt: skip
"""Words that a question can have or lack without another meaning; question words are compared apart."""


def stem(word: str) -> str:
    """``word`` without a plural ending: ``films`` is ``film``, ``countries`` is ``country``."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and has_plural_ending(word) else word


def join_singular(words: Sequence[str]) -> str:
    """Join words, the last one without a plural ending."""
    return " ".join((*words[:-1], stem(words[-1])))


def has_plural_ending(word: str) -> bool:
    """True if the final s is not part of the stem of ``word``."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


STOP_WORDS = frozenset((
    "a", "an", "the", "this", "that", "these", "those", "there", "here", "i", "me", "my", "mine",
    "we", "us", "our", "ours", "you", "your", "yours", "he", "him", "his", "she", "her", "hers",
    "it", "its", "they", "them", "their", "theirs", "who", "whom", "whose", "what", "which", "when",
    "where", "why", "how", "am", "is", "are", "was", "were", "be", "been", "being", "do", "does",
    "did", "done", "doing", "have", "has", "had", "having", "can", "could", "may", "might", "must",
    "shall", "should", "will", "would", "about", "above", "after", "against", "along", "among",
    "around", "as", "at", "before", "behind", "below", "between", "beyond", "by", "down", "during",
    "for", "from", "in", "into", "near", "of", "off", "on", "onto", "out", "over", "per", "since",
    "than", "through", "till", "to", "toward", "towards", "under", "until", "up", "upon", "via",
    "with", "within", "without", "and", "or", "but", "nor", "so", "if", "because", "while",
    "whether", "not", "no", "all", "any", "both", "each", "either", "every", "few", "many", "more",
    "most", "much", "neither", "none", "other", "some", "such", "same", "only", "own", "also",
    "too", "very", "just", "ever", "never", "still", "yet", "again", "then", "now", "d", "ll", "m",
    "re", "s", "t", "ve",
))  # fmt: skip
"""Function words: they say how a question is built, not what it is about."""


AMOUNT_NOUNS = frozenset(
    ("amount", "balance", "budget", "capacity", "charge", "cost", "count", "distance", "earning",
     "elevation", "expense", "fare", "fee", "height", "income", "length", "loan", "mileage", "pay",
     "payment", "population", "premium", "price", "profit", "quantity", "rent", "revenue", "salary",
     "sale", "seat", "size", "spending", "tax", "total", "turnover", "wage", "weight", "width", "worth")
)  # fmt: skip
"""Nouns of amounts: a number such as 1950 in a column of this name is no year."""

_TIME_NOUNS = frozenset(("date", "day", "decade", "month", "period", "season", "time", "year"))


def is_amount_name(words: Sequence[str]) -> bool:
    """True if the words of a name say that it is an amount: ``base salary``, but not ``year of sale``."""
    stems = {stem(word) for word in words}
    return not stems.isdisjoint(AMOUNT_NOUNS) and stems.isdisjoint(_TIME_NOUNS)
