"""English cues: operators, dimensions, synonyms, answer types and values, from ``lexicon.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

MAX_CUE_WORDS = 5


@dataclass(frozen=True, slots=True)
class Dimension:
    """What an adjective measures; ``extremes`` maps an operator to words of columns that it selects in."""

    columns: frozenset[str]
    extremes: Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase of a question that may mean ``operator``: the words from ``first`` to before ``last``."""

    operator: str
    first: int
    last: int

    @property
    def positions(self) -> frozenset[int]:
        return frozenset(range(self.first, self.last))


@dataclass(frozen=True, slots=True)
class Lexicon:
    operators: Mapping[str, tuple[str, ...]]
    dimensions: Mapping[str, Dimension]
    synonyms: Mapping[str, frozenset[str]]
    answer_types: Mapping[str, frozenset[str]]
    values: Mapping[str, tuple[str, ...]]

    def find_cues(self, words: Sequence[str]) -> Iterator[Cue]:
        """Yield every cue in ``words``, and the operators that adjectives of dimensions imply."""
        for first in range(len(words)):
            for last in range(first + 1, min(first + MAX_CUE_WORDS, len(words)) + 1):
                for operator in self.operators.get(" ".join(words[first:last]), ()):
                    yield Cue(operator, first, last)
            dimension = self.dimensions.get(words[first])
            for operator in dimension.extremes if dimension else ():
                yield Cue(operator, first, first + 1)

    def related_words(self, word: str) -> frozenset[str]:
        """Return the words of columns and relations that ``word`` may mean."""
        dimension = self.dimensions.get(word)
        measured = dimension.columns if dimension else frozenset[str]()
        selected = dimension.extremes.values() if dimension else ()
        return self.synonyms.get(word, frozenset()).union(measured, *selected)


_EXTREMES = ("highest", "lowest", "earliest", "latest")


@cache
def load_lexicon() -> Lexicon:
    text = files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    operators: dict[str, list[str]] = {}
    for operator, phrases in tables["operators"].items():
        for phrase in phrases:
            operators.setdefault(phrase, []).append(operator)
    return Lexicon(
        {phrase: tuple(names) for phrase, names in operators.items()},
        {word: _dimension(entry) for word, entry in tables["dimensions"].items()},
        {word: frozenset(words) for word, words in tables["synonyms"].items()},
        {word: frozenset(words) for word, words in tables["answer_types"].items()},
        {word: tuple(words) for word, words in tables["values"].items()},
    )


def _dimension(entry: Mapping[str, str | list[str]]) -> Dimension:
    columns = frozenset(entry.get("columns", ()))
    extremes = {name: frozenset(entry[name]) for name in _EXTREMES if name in entry}
    if "extreme" in entry:
        extreme = str(entry["extreme"])
        extremes[extreme] = extremes.get(extreme, frozenset()) | columns
    return Dimension(columns, extremes)
