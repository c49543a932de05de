"""Reviews a query that ran: remarks on it that go back to the model in one round.

The remarks are names that were read as names with a low similarity, names that match nothing, cells that
could not be compared, and for ``get_table`` the columns and values that the question names and the query
lacks. Other queries need not use all that their questions mention.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..answer import OPEN_KINDS, Answer
from ..language.ast import Problem, ProblemKind, Query
from ..language.parser import parse_query
from ..matching import NameMatch
from ..model.dataset import Scope
from ..reasoning.notes import NoteKind
from ..validation.question_coverage import makes_table
from .context import QuestionContext

_LEFT_OUT = frozenset((NoteKind.NOT_A_NUMBER, NoteKind.NOT_COMPARABLE))


@dataclass(frozen=True, slots=True)
class Review:
    """An answer with its open warnings, and all remarks that go back to the model."""

    answer: Answer
    remarks: tuple[Problem, ...]


def review_answer(context: QuestionContext, text: str, answer: Answer, scope: Scope) -> Review:
    """Review the query ``text``, which gave ``answer``."""
    query = parse_query(text)
    is_table = isinstance(query, Query) and makes_table(query)
    question = context.request.question if is_table else None
    checked = context.check(text, scope, question)
    open_warnings = [problem for problem in checked.problems if problem.kind in OPEN_KINDS]
    problems = tuple(dict.fromkeys((*answer.problems, *open_warnings)))
    remarks = (
        *problems,
        *answer.doubts,
        *_describe_names(answer.mapped, context.request.min_similarity),
        *_describe_cells(answer),
    )
    return Review(replace(answer, problems=problems), tuple(dict.fromkeys(remarks)))


def _describe_names(matches: tuple[NameMatch, ...], min_similarity: float) -> Iterator[Problem]:
    for match in matches:
        if match.how == "nearest" and match.score < min_similarity:
            message = (
                f"the data has no name {match.given!r}; it was read as {match.used!r}, "
                f"with a similarity of {match.score:.2f}"
            )
            yield Problem(ProblemKind.UNKNOWN_NAME, message, severity="doubt")


def _describe_cells(answer: Answer) -> Iterator[Problem]:
    for note in answer.notes:
        if note.kind in _LEFT_OUT:
            yield Problem(ProblemKind.NOT_COMPARABLE, note.message, note.step, severity="doubt")
