"""Answers a question that follows another by an edit of its query.

The rules of ``lexicon`` say which edit a follow-up makes. What it names is read as any question is, and that
query is joined with the last one. The best edit is answered if no other is nearly as probable; else the edits
are offered with their values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..answer import Answer, QueryReading
from ..errors import QuestionTooLong, UsageError, format_list
from ..language.ast import (
    Problem,
    ProblemKind,
)
from ..language.query_edits import (
    has_groups,
    read_query,
    write_query,
)
from ..language.selectors import EXTREMES
from ..lexicon.words import WORDS
from ..model.dataset import Scope
from ..semantic_parser.question import read_question
from ..semantic_parser.reading import fits_question_word
from ..values import read_value
from ..wording import CallOption, render_options
from .context import QuestionContext, enter_scope
from .follow_up import (
    MEASURE,
    FollowUp,
    is_clause,
    list_words,
    read_follow_up,
    read_group,
    read_operators,
)
from .follow_up_edits import EDITS
from .follow_up_groups import group_result
from .follow_up_results import RESULT_EDITS, sort_members, take_place
from .past_question import PastQuestion
from .query_editor import MAX_PROBABILITY, Edit, QueryEditor, has_names
from .with_semantic_parser import OFFERED, show_values

_MIN_SURE = 0.5  # probability of an edit that is answered
_RIVAL = 0.2  # share of the best probability that makes another edit a rival
_MAX_RUN = 5  # edits
_MAX_NAMES = 5
_ORDERING = {edit.__name__ for edit in (sort_members, take_place)}  # what is last answered


def answer_follow_up(
    context: QuestionContext, answer_alone: Callable[[QuestionContext], Answer]
) -> Answer | None:
    """Answer a question that follows another; None if it stands alone.

    ``answer_alone`` answers what stands alone but for its opener: *and who owns the Bellis?*
    """
    last = context.request.last_question
    follow_up = read_follow_up(context.request.question, last.question) if last else None
    if last is None or follow_up is None:
        return None
    scope = _find_scope(context, last)
    query = read_query(last.query) if last.query else None
    is_fragment = context.request.question.startswith(follow_up.rest) and not follow_up.pronoun
    if query is None and (is_fragment or follow_up.stands_alone):
        return None
    if query is None:
        return _refuse(context, scope, "the question follows one that has no answer")
    context.read(lambda reader: enter_scope(reader, scope))
    try:
        return _edit_last(QueryEditor(context, scope, query), follow_up, answer_alone)
    except QuestionTooLong as error:
        return _refuse(context, scope, error.summary)


def _edit_last(
    editor: QueryEditor,
    follow_up: FollowUp,
    answer_alone: Callable[[QuestionContext], Answer],
) -> Answer | None:
    """Answer with an edit of the last query; None if the question stands alone."""
    context = editor.context
    if (
        follow_up.is_bound
        and not follow_up.has_others
        and any(r.is_sure for r in editor.read(context.request.question))
    ):
        return None
    computed, names_group = _compute(editor, follow_up), bool(read_group(follow_up.text))
    if computed or (follow_up.makes in _ORDERING and not names_group):
        return _choose(editor, computed, follow_up)
    if follow_up.makes in RESULT_EDITS:
        changed = read_follow_up(context.request.question, editor.last_question, RESULT_EDITS)
        if changed is None:
            return None
        follow_up = changed
    if follow_up.stands_alone and not (
        names_group or editor.names_nothing(context.request.question)
    ):
        return None
    edits = _make_edits(editor, follow_up)
    if (
        not edits
        and follow_up.makes == "change"
        and is_clause(follow_up.text)
        and not follow_up.refers
    ):
        return _answer_alone(context, editor.scope, follow_up, answer_alone)
    return _choose(editor, edits, follow_up)


def _answer_alone(
    context: QuestionContext,
    scope: Scope,
    follow_up: FollowUp,
    answer_alone: Callable[[QuestionContext], Answer],
) -> Answer:
    """Answer what the last question does not explain by itself, unless that leaves out what it says."""
    request = replace(context.request, question=follow_up.text, follows=None)
    answer = answer_alone(replace(context, request=request))
    alone = read_query(answer.llm_query or "") if answer.values else None
    is_order = read_operators(follow_up.text, EXTREMES, "")
    lacks_groups = _is_distributive(follow_up.text) and alone and not has_groups(alone)
    if alone is not None and (is_order or lacks_groups or not has_names(alone)):
        return _refuse(context, scope, _explain(follow_up))
    return replace(answer, question=context.request.question)


def _compute(editor: QueryEditor, follow_up: FollowUp) -> list[Edit]:
    """Make the edits that compute with the last result; without any, the text may mean something else."""
    edit = RESULT_EDITS.get(follow_up.makes)
    try:
        return [*edit(editor, follow_up)] if edit else []
    except QuestionTooLong:  # so is what else it may mean, which says so
        return []


def _make_edits(editor: QueryEditor, follow_up: FollowUp) -> list[Edit]:
    edits = [*group_result(editor, follow_up.text)]
    edits = edits or [*EDITS[follow_up.makes](editor, follow_up)]
    if _is_distributive(follow_up.text):
        queries = [(edit, read_query(edit.query)) for edit in edits]
        edits = [edit for edit, query in queries if query is not None and has_groups(query)]
    if follow_up.makes != "operate":
        last = write_query(editor.last)
        edits = [edit for edit in edits if edit.query != last]
    return edits


def _is_distributive(text: str) -> bool:
    return not WORDS.follow_ups.distributives.isdisjoint(list_words(text))


def _find_scope(context: QuestionContext, last: PastQuestion) -> Scope:
    request = context.request
    if not last.datasets:
        return request.scope
    others = [name for name in last.datasets if name not in request.scope.datasets]
    if others:
        raise UsageError(
            f"the question follows one to {others[0]!r}",
            where=f"and {', '.join(map(repr, request.scope.datasets))} is asked",
            hint=render_options(f"leave out {CallOption.DATASET}, or ask a question of its own"),
        )
    return Scope(last.datasets, last.source or request.scope.source)


def _choose(editor: QueryEditor, edits: Sequence[Edit], follow_up: FollowUp) -> Answer:
    context, scope = editor.context, editor.scope
    tried = "; ".join(f"{edit.probability:.2f} {edit.query!r}" for edit in edits[:OFFERED])
    context.trace.add("follow up", f"{follow_up.rule}: {follow_up.rest}", tried or "nothing")
    probabilities: dict[str, float] = {}
    for edit in edits:
        known = probabilities.get(edit.query, 0.0)
        probabilities[edit.query] = max(known, edit.probability)
    ranked = sorted(probabilities.items(), key=lambda item: -item[1])[:_MAX_RUN]
    runs = [(Edit(*item), context.run(item[0], scope)) for item in ranked]
    answered = [pair for pair in runs if pair[1].outcome == "answered"]
    usable = [(edit, answer) for edit, answer in answered if any(v != "" for v in answer.values)]
    if answered and not usable:
        return _refuse(context, scope, f"what {follow_up.text!r} asks for has an empty cell")
    usable = usable or [pair for pair in runs if pair[1].outcome == "empty"]
    if (follow_up.makes != "operate" or follow_up.rule == MEASURE) and is_clause(follow_up.text):
        # *Who was the first* is not answered by a number.
        question = read_question(follow_up.text)
        usable = [
            pair
            for pair in usable
            if not pair[1].values or fits_question_word(question, [*map(str, pair[1].values)], ())
        ]
    best: dict[tuple[object, ...], tuple[Edit, Answer]] = {}
    for edit, answer in usable:  # edits with the same values count together
        key = tuple(map(_normalize, answer.rows or answer.values))
        if key in best:
            first, answer = best[key]
            total = first.probability + edit.probability
            edit = first._replace(probability=min(total, MAX_PROBABILITY))
        best[key] = edit, answer
    pick = context.request.pick
    choices = sorted(best.values(), key=lambda choice: -choice[0].probability)
    if pick is not None and pick > len(choices):
        raise UsageError(
            f"there is no reading {pick}",
            where=f"the question has {len(choices)}",
            hint=f"ask without {CallOption.PICK} to see the readings",
        )
    if not choices:
        return _refuse(context, scope, _explain(follow_up, editor.answers))
    (edit, answer), *rivals = choices if pick is None else choices[pick - 1 : pick]
    idle = [e.probability for e, other in runs if other.outcome == "empty" and answer.values]
    is_sure = edit.probability >= max(_MIN_SURE, *idle, 0.0) and not (
        (rivals and rivals[0][0].probability >= _RIVAL * edit.probability)
        or (follow_up.makes == "take_place" and len(answer.values) > 1)  # *the second* is one
    )
    if pick is None and not (is_sure and not editor.is_by_chance):
        return _offer(context, scope, choices, follow_up)
    return context.trace.finish(
        answer,
        question=context.request.question,
        llm_query=edit.query,
        datasets=scope.datasets,
        source=scope.source,
        origin="read",
        confidence=round(edit.probability, 4),
    )


def _normalize(value: object) -> object:
    """Return a number for its text: *29800* and 29800 are the same answer."""
    read = read_value(value) if isinstance(value, str) else None
    return value if read is None or read.number is None or read.unit else read.number


def _explain(follow_up: FollowUp, names: Sequence[str] = ()) -> str:
    """Tell what is not explained; ``names`` are what a word that refers could mean."""
    shown = follow_up.pronoun or follow_up.rest or follow_up.text
    candidates = format_list(names, _MAX_NAMES, conjunction="or") if follow_up.pronoun else ""
    could_be = f"; it could be {candidates}" if candidates else ""
    return f"the data do not explain {shown!r} after the last question{could_be}"


def _refuse(context: QuestionContext, scope: Scope, message: str) -> Answer:
    answer = Answer("not_askable", problems=(Problem(ProblemKind.NOT_UNDERSTOOD, message),))
    return context.trace.finish(answer, question=context.request.question, datasets=scope.datasets)


def _offer(
    context: QuestionContext,
    scope: Scope,
    choices: Sequence[tuple[Edit, Answer]],
    follow_up: FollowUp,
) -> Answer:
    dataset = scope.datasets[0] if len(scope.datasets) == 1 else None
    refused = _refuse(context, scope, f"{follow_up.text!r} may mean more than one thing here")
    readings = tuple(
        show_values(
            QueryReading(edit.query, round(edit.probability, 4), scope.source, dataset), answer
        )
        for edit, answer in choices[:OFFERED]
    )
    return replace(refused, readings=readings)
