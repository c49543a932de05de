"""Answers a question without a dataset: the datasets that know its words are asked in turn.

The next is asked if one has no answer. Without a model, a similar demonstration of several datasets comes
first, and each dataset is asked alone. A model selects among datasets that know the words nearly as well, and
gets those together that know different parts of the question. *Empty* is the answer only if all that were
asked are empty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, TypeAlias

from ..answer import Answer, Outcome
from ..demonstrations.retrieval import find_near_patterns, read_calibrations
from ..language.ast import Problem, ProblemKind
from ..model.dataset import Scope
from ..model.demonstration import split_group
from ..reads.reader import Reader
from ..semantic_parser.question import read_question
from ..wording import CallOption, render_options
from . import routing
from .context import QuestionContext
from .options import AskRequest
from .readability import find_obstacle
from .routing import Candidate
from .with_demonstrations import answer_with_demonstrations

if TYPE_CHECKING:
    from ..prompts import Prompt

AnswerQuestion: TypeAlias = Callable[[QuestionContext], Answer]

SHOWN = 5  # candidates in the trace
PATTERNS = 16  # similar demonstrations whose words count
GROUPS = 3  # groups of datasets with a similar demonstration that are asked
_NO_ANSWER: frozenset[Outcome] = frozenset({"empty", "not_askable"})


def answer_with_routing(context: QuestionContext, answer_question: AnswerQuestion) -> Answer:
    request, trace = context.request, context.trace
    if not request.needs_routing:
        return answer_question(context)
    answer = None if context.model else _follow_group(context)
    if answer is not None:
        return answer
    scopes = choose_scopes(context)
    if not scopes:
        return trace.finish(_not_askable(context), question=request.question)
    answers: list[Answer] = []
    for scope, neighbours in scopes.items():
        if answers:
            outcome = answers[-1].outcome.replace("_", " ")
            trace.add("choose", outcome, f"the next is asked: {', '.join(scope.datasets)}")
        answer = answer_question(narrow(context, scope, neighbours))
        # The stages of the question come again with the last answer.
        answers.append(replace(answer, trace=answer.trace[len(trace.stages) :]))
        if answer.outcome not in _NO_ANSWER:
            break
    answer = _choose_answer(answers)
    asked = [name for scope in [*scopes][: len(answers)] for name in scope.datasets]
    return trace.finish(
        answer,
        datasets=tuple(dict.fromkeys((*asked, *answer.datasets))),
        hints=tuple(dict.fromkeys(hint for answer in answers for hint in answer.hints)),
        sent=context.sent_kinds,
        usage=asdict(context.meter.used) if context.model else {},
    )


def _follow_group(context: QuestionContext) -> Answer | None:
    """Answer after a demonstration that needs several datasets together; None if none is similar."""
    request = context.request
    groups, _ = context.read(lambda reader: _find_near_groups(reader, request))
    for scope in groups:
        answer = answer_with_demonstrations(narrow(context, scope)).answer
        if answer.outcome == "answered":
            return answer
    return None


def _find_near_groups(reader: Reader, request: AskRequest) -> list[Scope]:
    calibrations = {
        name: calibration
        for name, calibration in read_calibrations(reader, request.scope).items()
        if name not in request.scope.datasets
    }
    if not request.demonstrations:
        return []
    patterns = find_near_patterns(
        reader, request.question, calibrations, PATTERNS, True, fields=request.fields
    )
    groups = dict.fromkeys(pattern.dataset for pattern in patterns)
    return [Scope(split_group(group)) for group in groups][:GROUPS]


def narrow(
    context: QuestionContext, scope: Scope, neighbours: tuple[str, ...] = ()
) -> QuestionContext:
    request = replace(context.request, scope=scope, neighbours=neighbours)
    return replace(context, request=request)


def first_prompt(context: QuestionContext) -> Prompt:
    """The prompt that a model would be sent first; nothing is sent."""
    from .dataset_choice import MAX_DATASETS, build_choice_prompt
    from .prompt_input import prepare

    request = context.request
    if request.needs_routing:
        candidates, _ = context.read(lambda reader: rank_datasets(reader, request))
        turns = routing.choose_datasets(candidates, joined=True)
        near = routing.find_near(candidates)[:MAX_DATASETS]
        if prompt := build_choice_prompt(context, near, turns):
            return prompt
        if turns:
            context = narrow(context, Scope(turns[0], request.scope.source))
    return prepare(context).prompt


def choose_scopes(context: QuestionContext) -> dict[Scope, tuple[str, ...]]:
    """The scopes to ask in turn, best first, with their neighbours.

    There are none if no dataset knows a word of the question.
    """
    request = context.request
    candidates, sent = context.read(lambda reader: rank_datasets(reader, request))
    turns = routing.choose_datasets(candidates, joined=context.model is not None)
    order = ", then ".join(" with ".join(datasets) for datasets in turns)
    scores = "; ".join(map(str, candidates[:SHOWN]))
    context.trace.add("choose", request.question, f"{order or 'nothing'} of {scores}", sent)
    if context.model is not None:
        from .dataset_choice import choose_with_model

        turns = choose_with_model(context, candidates, turns)
    return {
        Scope(datasets, request.scope.source): routing.find_neighbours(candidates, datasets)
        for datasets in turns
    }


def rank_datasets(reader: Reader, request: AskRequest) -> list[Candidate]:
    """Rank all datasets of the scope by the content words of the question that they know."""
    datasets, source = request.scope.datasets, request.scope.source
    text = " ".join((request.question, *(f"[{name}]" for name in request.entities)))
    words = routing.find_content_words(text)
    calibrations = read_calibrations(reader, Scope(datasets, source))
    patterns = find_near_patterns(
        reader, request.question, calibrations, PATTERNS, False, fields=request.fields
    )
    return routing.rank_datasets(reader, words, datasets, source, patterns)


def _choose_answer(answers: Sequence[Answer]) -> Answer:
    """The last answer if it has one; *empty* only if all are empty."""
    if answers[-1].outcome not in _NO_ANSWER:
        return answers[-1]
    return next((answer for answer in answers if answer.outcome != "empty"), answers[0])


def _not_askable(context: QuestionContext) -> Answer:
    request = context.request
    if context.model is None and request.reader:
        # A text in another language or a request is read over no dataset.
        obstacle = find_obstacle(read_question(request.question))
        if obstacle is not None:
            return Answer("not_askable", problems=(obstacle,))
    datasets = ", ".join(request.scope.datasets)
    message = (
        f"no dataset knows a word of the question; name one (`{CallOption.DATASET}`): {datasets}"
    )
    return Answer(
        "not_askable", problems=(Problem(ProblemKind.UNKNOWN_NAME, render_options(message)),)
    )
