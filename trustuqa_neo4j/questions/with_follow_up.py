"""Answers a question that follows another by an edit of its query.

The rules of ``lexicon`` say which edit a follow-up makes. What it names is read as any question is, and that
query is joined with the last one. The best edit is answered if no other is nearly as probable; else the edits
are offered with their values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

from ..answer import Answer, QueryReading
from ..errors import QuestionTooLong, UsageError
from ..language.ast import (
    Argument,
    Call,
    Literal,
    Problem,
    ProblemKind,
    Query,
    Reference,
    Step,
    Value,
)
from ..language.functions import DIFFERENCE, INTERSECTION, has_trait
from ..language.query_edits import (
    HEAD,
    KEY,
    RELATION,
    SEARCH,
    TAIL,
    VALUE,
    ConditionalSearch,
    Members,
    append,
    find_members,
    get_relation,
    get_search,
    get_summarized,
    is_summary,
    is_truth,
    join,
    list_names,
    list_selections,
    make_call,
    order_steps,
    read_query,
    redirect,
    rename_relation,
    replace_literal,
    restrict,
    write_query,
)
from ..language.selectors import EXTREMES, find_selector
from ..language.signatures import Trait
from ..lexicon.lexicon import load_lexicon
from ..lexicon.words import WORDS
from ..matching import normalize_name
from ..model.dataset import Scope
from ..semantic_parser.question import GRAMMAR_WORDS
from ..semantic_parser.reading import MIN_PROBABILITY, QuestionReading
from ..values import read_value
from ..wording import CallOption, render_options
from .context import QuestionContext, enter_scope
from .dataset_contents import DatasetContents, read_contents
from .follow_up import (
    FollowUp,
    asks_for_members,
    drop_owner,
    get_roles,
    is_clause,
    make_questions,
    read_follow_up,
    substitute,
)
from .past_question import PastQuestion
from .with_semantic_parser import OFFERED, find_readings, show_values

_MIN_SURE = 0.7  # probability of an edit that is answered: it rests on two readings
_MIN_READING = 0.1  # probability of a reading of a part of a follow-up
_SAME_PLACE = 0.85  # of a name or bound in the place of one of its kind
_RIVAL = 0.4  # share of the best probability that makes another edit a rival
_MAX_RELEASED = 0.75  # probability that others without an answer leave to one
_MAX_RUN = 5  # edits
_MAX_NAMES = 3  # of the last answer that a pronoun may mean
_TOPIC = 0.35  # share of a name of the last question for a pronoun that its answer can be
_SAMPLE = 30  # values that show the kind of a relation


class Edit(NamedTuple):
    """A query that a follow-up may mean."""

    query: str
    probability: float


class Filter(NamedTuple):
    """A query whose ``step`` selects rows or nodes."""

    query: Query
    step: int
    probability: float


def answer_follow_up(
    context: QuestionContext, answer_alone: Callable[[QuestionContext], Answer]
) -> Answer | None:
    """Answer a question that follows another; None if it stands alone.

    ``answer_alone`` answers what stands alone but for its opener: *and who owns the Bellis?*
    """
    last, follow_up = context.request.last_question, read_follow_up(context.request.question)
    if last is None or follow_up is None:
        return None
    scope = _find_scope(context, last)
    query = read_query(last.query) if last.query else None
    is_fragment = context.request.question.startswith(follow_up.rest) and not follow_up.pronoun
    if query is None and is_fragment:
        return None
    if query is None:
        return _refuse(context, scope, "the question follows one that has no answer")
    context.read(lambda reader: enter_scope(reader, scope))
    editor = _Editor(context, scope, query)
    if follow_up.is_bound and any(r.is_sure for r in editor.read(context.request.question)):
        return None
    try:
        edits = list(_EDITS[follow_up.rule.makes](editor, follow_up))
    except QuestionTooLong as error:
        return _refuse(context, scope, error.summary)
    if not edits and is_clause(follow_up.text) and not follow_up.pronoun:
        request = replace(context.request, question=follow_up.text, follows=None)
        answer = answer_alone(replace(context, request=request))
        return replace(answer, question=context.request.question)
    tried = "; ".join(f"{edit.probability:.2f} {edit.query!r}" for edit in edits[:OFFERED])
    context.trace.add("follow up", f"{follow_up.rule.name}: {follow_up.rest}", tried or "nothing")
    return _choose(context, scope, edits, follow_up)


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


def _choose(
    context: QuestionContext, scope: Scope, edits: Iterable[Edit], follow_up: FollowUp
) -> Answer:
    probabilities: dict[str, float] = {}
    for edit in edits:
        known = probabilities.get(edit.query, 0.0)
        probabilities[edit.query] = max(known, edit.probability)
    ranked = sorted(probabilities.items(), key=lambda item: -item[1])[:_MAX_RUN]
    tried = [(Edit(*item), context.run(item[0], scope)) for item in ranked]
    usable = [pair for pair in tried if pair[1].outcome == "answered"] or [
        pair for pair in tried if pair[1].outcome == "empty"
    ]
    # What the others would have been probable for, if they had an answer, speaks for those that have one.
    idle = sum(edit.probability for edit, answer in tried if answer.outcome != "answered")
    best: dict[tuple[object, ...], tuple[Edit, Answer]] = {}
    for edit, answer in usable:
        best.setdefault(answer.rows or answer.values, (edit, answer))
    pick = context.request.pick
    choices = [*best.values()]
    if pick is not None and pick > len(choices):
        raise UsageError(
            f"there is no reading {pick}",
            where=f"the question has {len(choices)}",
            hint=f"ask without {CallOption.PICK} to see the readings",
        )
    if not choices:
        return _refuse(context, scope, _explain(follow_up))
    (edit, answer), *rivals = choices if pick is None else choices[pick - 1 : pick]
    probability = min(edit.probability + idle, _MAX_RELEASED) if usable[0][1].values else 0.0
    probability = max(edit.probability, probability)
    is_sure = probability >= _MIN_SURE and not (
        rivals and rivals[0][0].probability >= _RIVAL * edit.probability
    )
    if not is_sure and pick is None:
        return _offer(context, scope, choices, follow_up)
    return context.trace.finish(
        answer,
        question=context.request.question,
        llm_query=edit.query,
        datasets=scope.datasets,
        source=scope.source,
        origin="read",
        confidence=round(probability, 4),
    )


def _explain(follow_up: FollowUp) -> str:
    shown = follow_up.pronoun or follow_up.rest or follow_up.text
    return f"the data do not explain {shown!r} after the last question"


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


@dataclass
class _Editor:
    context: QuestionContext
    scope: Scope
    last: Query

    @cached_property
    def contents(self) -> list[DatasetContents]:
        contents, _ = self.context.read(
            lambda reader: [
                read_contents(reader, dataset, self.scope.source) for dataset in self.scope.datasets
            ]
        )
        return contents

    @cached_property
    def columns(self) -> frozenset[str]:
        """The normalized names of the columns of tables."""
        tables = (table for contents in self.contents for table in contents.tables)
        return frozenset(normalize_name(column) for table in tables for column in table.columns)

    def has_times(self, relation: str) -> bool:
        """True if facts of the relation have times."""
        profiles = (contents.relations.get(relation) for contents in self.contents)
        return any(profile is not None and profile.held for profile in profiles)

    @cached_property
    def members(self) -> Members:
        return find_members(self.last, self.columns)

    @property
    def final(self) -> int:
        return self.last.steps[-1].number

    @property
    def numbers(self) -> frozenset[int]:
        return frozenset(step.number for step in self.last.steps)

    @property
    def asked(self) -> tuple[int, Value]:
        """The last step that no summary is of."""
        steps = {step.number: step.value for step in self.last.steps}
        number = self.final
        while (operand := get_summarized(steps[number])) is not None:
            number = operand
        return number, steps[number]

    def read(self, text: str, *, is_whole: bool = True) -> list[QuestionReading]:
        """Read a text as a question; only readings that use all its words, or are sure without one."""
        request = replace(
            self.context.request, question=text, scope=self.scope, neighbours=(), follows=None
        )
        readings, _ = self.context.read(lambda reader: find_readings(reader, request))
        return [
            reading
            for reading in readings
            if reading.is_explained
            and (not reading.unexplained or (reading.is_sure and not is_whole))
            and reading.probability >= _MIN_READING
        ]

    def run(self, query: Query, limit: int = _SAMPLE) -> Answer:
        text = write_query(query)
        if text is None:
            return Answer("failed")
        return replace(self.context, evidence=0, limit=limit, listen=None).run(text, self.scope)

    @cached_property
    def values(self) -> tuple[object, ...]:
        """The first values of the last answer."""
        return self.run(self.last).values

    @cached_property
    def answers(self) -> list[str]:
        """The names among the first values of the last answer."""
        return [v for v in self.values if isinstance(v, str) and read_value(v) is None]

    def find_filters(self, text: str) -> list[Filter]:
        """Find what selects rows or nodes in a fragment, the most probable first."""
        return self.group_filters(make_questions(text))

    def group_filters(self, questions: Iterable[str]) -> list[Filter]:
        """Find what selects rows or nodes in a question; that of the next wording if none is probable.

        Readings with the same filter count together, whatever they ask of its members.
        """
        filters: dict[str, Filter] = {}
        for question in questions:
            same: dict[str, Filter] = {}
            for reading in self.read(question):
                found = self._read_filter(reading)
                if found is not None:
                    key = write_query(Query(_cut(found.query, found.step))) or ""
                    total = found.probability + (same[key].probability if key in same else 0.0)
                    same[key] = found._replace(probability=min(total, 0.99))
            for key, found in same.items():
                if key not in filters or found.probability > filters[key].probability:
                    filters[key] = found
            if any(found.probability >= MIN_PROBABILITY for found in filters.values()):
                break
        return sorted(filters.values(), key=lambda found: -found.probability)

    def _read_filter(self, reading: QuestionReading) -> Filter | None:
        query = read_query(reading.query)
        if query is None:
            return None
        step = find_members(query, self.columns).step
        if step is None or not [*list_selections(query)]:
            return None
        return Filter(query, step, reading.probability)

    def select(self, found: Filter, members: int | None) -> tuple[Query, int]:
        """Join the last query and a filter, which chooses from ``members``; return its step."""
        query, number = join(self.last, found.query)
        step = number(found.step)
        if members is None:
            return query, step
        steps = {s.number for s in query.steps} - self.numbers
        query, is_restricted = restrict(query, members, steps)
        if not is_restricted:
            both = make_call(INTERSECTION, {}, Reference(members, 0), Reference(step, 0))
            query = append(query, both)
            step = query.steps[-1].number
        return query, step

    def finish(self, query: Query, old: int | None, new: int) -> Query:
        """Let the last query go on from the step ``new`` in the place of ``old``."""
        if old is None:
            query, _ = restrict(query, new, self.numbers)
        elif old == self.final:
            return order_steps(query, new)
        else:
            query = redirect(query, old, new, self.numbers)
        return order_steps(query, self.final)

    @cached_property
    def naming(self) -> str | None:
        """The column that names the rows."""
        for reading in self.read(WORDS.follow_ups.rows):
            query = read_query(reading.query)
            members = find_members(query, self.columns) if query else None
            if members is not None and members.relation:
                return members.relation
        return None

    def is_entity(self, query: Query, name: str) -> bool:
        """True if a name is that of a row or node, and not one of its other cells."""
        relations = {s.relation for s in list_selections(query) if name in s.texts}
        return not relations or self.naming is None or self.naming in relations

    def is_rows(self, number: int) -> bool:
        """True if a step selects rows of a table."""
        cut = Query(_cut(self.last, number))
        search = get_search(cut.steps[-1].value)
        return (search is None or TAIL in search) and any(
            normalize_name(s.relation) in self.columns for s in list_selections(cut)
        )

    def count_numbers(self, relation: str) -> float:
        """The share of values of a relation that are numbers."""
        search = make_call(SEARCH, {RELATION: Literal(relation, 0)})
        values = self.run(append(self.last, search)).values
        numbers = [read_value(v) if isinstance(v, str) else None for v in values]
        found = sum(value is not None and value.number is not None for value in numbers)
        return found / len(values) if values else 0.0


def _cut(query: Query, last: int) -> tuple[Step, ...]:
    return order_steps(query, last).steps


def _write(query: Query, probability: float) -> Iterator[Edit]:
    text = write_query(query)
    if text is not None:
        yield Edit(text, probability)


# The edits: each yields queries, in the words of the rules of ``lexicon``


def _explain_again(editor: _Editor, _: FollowUp) -> Iterator[Edit]:
    last = editor.context.request.last_question
    yield from _write(
        editor.last, 1.0 if last is None or last.confidence is None else last.confidence
    )


def _summarize(editor: _Editor, follow_up: FollowUp) -> Iterator[Edit]:
    function = follow_up.rule.function
    if has_trait(function, Trait.OVER_ROWS):
        number, _ = editor.asked
    else:
        number = editor.final if editor.members.step is None else editor.members.step
    query = append(editor.last, make_call(function, {}, Reference(number, 0)))
    yield from _write(query, _SAME_PLACE)


def _list_members(editor: _Editor, _: FollowUp) -> Iterator[Edit]:
    step = editor.members.step
    number, _value = editor.asked
    query = order_steps(editor.last, number)
    if step is not None and editor.is_rows(step) and editor.naming is not None:
        query = _project(editor.last, step, editor.naming)
    yield from _write(query, _SAME_PLACE)


def _project(query: Query, step: int, relation: str) -> Query:
    arguments: dict[str, Value] = {HEAD: Reference(step, 0), RELATION: Literal(relation, 0)}
    return append(query, make_call(SEARCH, arguments))


def _choose_from(editor: _Editor, follow_up: FollowUp) -> Iterator[Edit]:
    step = editor.members.step
    if len(editor.values) == 1:
        yield from _turn_over(editor, follow_up.rest)
    elif asks_for_members(follow_up.rest):
        # *which of them were built in 2010*: members as the last question asked for them
        filters = editor.group_filters([follow_up.rest]) or editor.find_filters(follow_up.rest)
        for found in filters:
            joined, new = editor.select(found, step)
            yield from _write(editor.finish(joined, step, new), found.probability)
        yield from _add_time(editor, follow_up.rest)
    else:
        for reading in _read_any(editor, follow_up.rest):
            query = read_query(reading.query)
            if query is not None:
                yield from _restrict_to(editor, query, step, reading.probability)


def _restrict_to(
    editor: _Editor, query: Query, step: int | None, probability: float
) -> Iterator[Edit]:
    """Let a query choose from the members of a step of the last one; None: from all rows."""
    if step is None:
        yield from _write(query, probability)
        return
    joined, number = join(editor.last, query)
    steps = {s.number for s in joined.steps} - editor.numbers
    joined, is_restricted = restrict(joined, step, steps)
    if is_restricted:
        yield from _write(joined, probability)
        return
    found = find_members(query, editor.columns).step
    if found is not None:
        both = append(
            joined, make_call(INTERSECTION, {}, Reference(step, 0), Reference(number(found), 0))
        )
        last = both.steps[-1].number
        if number(found) == joined.steps[-1].number:
            yield from _write(both, probability)
        else:
            end = joined.steps[-1].number
            yield from _write(
                order_steps(redirect(both, number(found), last, {end}), end), probability
            )


def _read_any(editor: _Editor, text: str) -> list[QuestionReading]:
    starts = (text,) if is_clause(text) else ()
    for question in (*starts, *make_questions(text)):
        readings = editor.read(question)
        if readings:
            return readings
    return []


def _keep(editor: _Editor, follow_up: FollowUp) -> Iterator[Edit]:
    yield from _add_time(editor, follow_up.rest)
    step = editor.members.step
    for found in editor.find_filters(follow_up.rest):
        query, new = editor.select(found, step)
        yield from _write(editor.finish(query, step, new), found.probability)


def _leave_out(editor: _Editor, follow_up: FollowUp) -> Iterator[Edit]:
    step = editor.members.step
    if step is None:
        return
    for found in editor.find_filters(follow_up.rest):
        query, new = editor.select(found, step)
        query = append(query, make_call(DIFFERENCE, {}, Reference(step, 0), Reference(new, 0)))
        yield from _write(editor.finish(query, step, query.steps[-1].number), found.probability)


def _change(editor: _Editor, follow_up: FollowUp) -> Iterator[Edit]:
    if follow_up.pronoun:
        yield from _refer(editor, follow_up)
        return
    if follow_up.is_clause:
        yield from _ask_otherwise(editor, follow_up.rest) or _replace_conditions(editor, follow_up)
        return
    for make in (_replace_name, _turn_over, _add_time):
        text = follow_up.name if make is _replace_name else follow_up.rest
        edits = [*make(editor, text)]
        if edits:
            yield from edits
            return
    edits = [*_replace_conditions(editor, follow_up)]
    yield from edits or _replace_relation(editor, follow_up)


def _ask_otherwise(editor: _Editor, text: str) -> list[Edit]:
    """Put another question word in the place of that of the last question, as in *and when?*."""
    last = editor.context.request.last_question
    if last is None or text.casefold() not in WORDS.grammar.question_words:
        return []
    words = last.question.split()
    if not words or words[0].casefold() not in WORDS.grammar.question_words:
        return []
    readings = editor.read(" ".join((text, *words[1:])), is_whole=False)
    return [Edit(reading.query, reading.probability) for reading in readings]


def _replace_name(editor: _Editor, name: str) -> Iterator[Edit]:
    """Put a name or bound in the place of one of its kind."""
    value = read_value(name)
    if find_selector(name):
        return
    for literal, relation, (parameter, operator) in list_names(editor.last):
        if find_selector(literal.text) or not literal.text:
            continue
        old = read_value(literal.text)
        if (value is None) != (old is None):
            continue
        if value is not None and old is not None:
            are_bounds = operator != "=" and None not in (value.number, old.number)
            is_alike = _shape(name) == _shape(literal.text) or are_bounds
            is_same = is_alike and value.unit in (None, old.unit)
        else:
            is_same = operator == "=" and _is_name_there(editor, parameter, relation, name)
        if is_same:
            new = Literal(name, literal.position)
            yield from _write(replace_literal(editor.last, literal, new), _SAME_PLACE)


def _shape(text: str) -> str:
    return "".join("9" if sign.isdigit() else sign for sign in text.casefold())


def _is_name_there(editor: _Editor, parameter: str, relation: str | None, name: str) -> bool:
    given: dict[str, Value] = {parameter if parameter == HEAD else TAIL: Literal(name, 0)}
    if parameter != HEAD and relation is not None:
        given[RELATION] = Literal(relation, 0)
    found = editor.run(append(editor.last, make_call(SEARCH, given)), 1)
    return found.outcome == "answered" and all(
        m.how != "nearest" for m in found.mapped if m.given == name
    )


def _turn_over(editor: _Editor, text: str) -> Iterator[Edit]:
    """Select the other end of an order: *and the least*."""
    operators = load_lexicon().operators
    words = re.findall(r"\w+", text.casefold())
    ends = {EXTREMES[o] for word in words for o in operators.get(word, ()) if o in EXTREMES}
    if len(ends) != 1 or any(word not in operators and word not in GRAMMAR_WORDS for word in words):
        return
    for literal, _, _ in list_names(editor.last):
        word = literal.text.casefold()
        if word in _OPPOSITES and EXTREMES[word] not in ends:
            new = Literal(_OPPOSITES[word], literal.position)
            yield from _write(replace_literal(editor.last, literal, new), _SAME_PLACE)


def _add_time(editor: _Editor, text: str) -> Iterator[Edit]:
    """Let the facts of a graph hold at a time, or be the first, last or longest ones."""
    number, value = editor.asked
    search = get_search(value)
    relation, condition = get_relation(search), _read_time(text)
    if search is None or relation is None or condition is None or not {HEAD, TAIL} & {*search}:
        return
    if not isinstance(value, Call) or not editor.has_times(relation):
        return
    kept = tuple(a for a in value.arguments if a.name not in (KEY, VALUE))
    timed = replace(value, arguments=(*kept, *condition))
    steps = tuple(replace(s, value=timed) if s.number == number else s for s in editor.last.steps)
    yield from _write(replace(editor.last, steps=steps), _SAME_PLACE)


def _read_time(text: str) -> tuple[Argument, Argument] | None:
    """Read *before 2017* or *the longest* as a condition on the time of facts."""
    words, operators = text.casefold().split(), load_lexicon().operators
    for word in words:
        moment = read_value(word)
        if moment is not None and moment.start is not None:
            less, greater = WORDS.comparisons.less & {*words}, WORDS.comparisons.greater & {*words}
            return _make_condition("time", "<" if less else ">" if greater else "=", word)
        if word in WORDS.times.longest:
            return _make_condition("duration", "=", word)
        for end in operators.get(word, ()):
            if end in WORDS.follow_ups.time_ends:
                return _make_condition("start time", "=", end)
    return None


def _make_condition(key: str, operator: str, text: str) -> tuple[Argument, Argument]:
    return (
        Argument(KEY, "=", Literal(key, 0), 0), Argument(VALUE, operator, Literal(text, 0), 0)
    )  # fmt: skip


_ENDS = WORDS.follow_ups.opposites
_OPPOSITES = {**_ENDS, **{low: high for high, low in _ENDS.items()}}


def _is_extreme(selection: ConditionalSearch) -> bool:
    return len(selection.texts) == 1 and selection.texts[0].casefold() in _OPPOSITES


def _replace_conditions(editor: _Editor, follow_up: FollowUp) -> Iterator[Edit]:
    """Replace conditions of the same relation, or add those of another."""
    olds = [*list_selections(editor.last)]
    filters = (
        editor.group_filters([follow_up.rest])
        if follow_up.is_clause
        else editor.find_filters(follow_up.rest)
    )
    for found in filters:
        news = [*list_selections(Query(_cut(found.query, found.step)))]
        same = [old for old in olds if any(old.relation == new.relation for new in news)]
        if not same and all(map(_is_extreme, news)):
            same = [old for old in olds if _is_extreme(old)]
        if same:
            probability = max(found.probability, _SAME_PLACE * (found.probability > 0.2))
            yield from _write(_put_instead(editor, found, same), probability)
        elif not follow_up.is_clause:
            query, step = editor.select(found, None)
            query, is_restricted = restrict(query, step, editor.numbers)
            if is_restricted and not any(map(_is_extreme, news)):
                yield from _write(order_steps(query, editor.final), found.probability)
            else:
                members = editor.members.step
                query, step = editor.select(found, members)
                yield from _write(editor.finish(query, members, step), found.probability)


def _put_instead(editor: _Editor, found: Filter, olds: list[ConditionalSearch]) -> Query:
    """Put a filter in the place of selections."""
    steps = {step.number: step.value for step in editor.last.steps}
    replaced = {old.step for old in olds}
    search = get_search(steps[olds[0].step]) or {}
    head = search.get(HEAD)
    source = head.value.step if head and isinstance(head.value, Reference) else None
    while source in replaced:
        inner = (get_search(steps[source]) or {}).get(HEAD)
        source = inner.value.step if inner and isinstance(inner.value, Reference) else None
    query, step = editor.select(found, source)
    for old in sorted(replaced):
        query = redirect(query, old, step, editor.numbers)
    return order_steps(query, step if editor.final in replaced else editor.final)


def _replace_relation(editor: _Editor, follow_up: FollowUp) -> Iterator[Edit]:
    """Put a column or relation in the place of the one that is asked for or compared."""
    for start in ("", *WORDS.follow_ups.fragments[2:]):
        names: dict[str, float] = {}
        for reading in editor.read(start + follow_up.rest):
            query = read_query(reading.query)
            relation = _single_relation(query) if query else None
            if query is not None and relation is not None and is_summary(query.steps[-1].value):
                # *average salary*
                yield from _restrict_to(editor, query, editor.members.step, reading.probability)
            elif relation is not None:
                names[relation] = names.get(relation, 0.0) + reading.probability
        if names:
            break
    for name, probability in names.items():
        places = [*_find_places(editor, name)]
        for old in places:
            share = max(probability, _SAME_PLACE * (probability > 0.3)) / len(places)
            yield from _write(rename_relation(editor.last, old, name), share)


def _single_relation(query: Query) -> str | None:
    relations = {
        relation
        for step in query.steps
        if (search := get_search(step.value))
        and not {HEAD, TAIL} & {*search}
        and (relation := get_relation(search)) is not None
    }
    return relations.pop() if len(relations) == 1 and not [*list_selections(query)] else None


def _find_places(editor: _Editor, name: str) -> Iterator[str]:
    """Find the relations of the last query that a relation can replace."""
    share = editor.count_numbers(name)
    extremes = [s.relation for s in list_selections(editor.last) if _is_extreme(s)]
    _, asked = editor.asked
    search = get_search(asked) or {}
    projected = None if TAIL in search else get_relation(search)
    places = {place for place in extremes if abs(editor.count_numbers(place) - share) < 0.5}
    if projected is not None and (not places or abs(editor.count_numbers(projected) - share) < 0.5):
        places.add(projected)
    yield from places - {name}


def _refer(editor: _Editor, follow_up: FollowUp) -> Iterator[Edit]:
    """Read the question for the members of the last answer, and for names of the last question."""
    text, pronoun = follow_up.rest, follow_up.pronoun
    step = editor.members.step
    if step is not None:
        for reading in editor.read(drop_owner(text, pronoun), is_whole=False):
            query = read_query(reading.query)
            if query is not None:
                yield from _restrict_to(editor, query, step, reading.probability)
    yield from _refer_to_answers(editor, text, pronoun)
    if "plural" in get_roles(pronoun) and editor.answers:
        return
    share = _TOPIC if editor.answers and "person" in get_roles(pronoun) else 1.0
    for literal, _, (_, operator) in list_names(editor.last):
        name = literal.text
        if operator == "=" and not find_selector(name) and read_value(name) is None:
            for reading in editor.read(substitute(text, pronoun, name), is_whole=False):
                yield Edit(reading.query, share * reading.probability)


def _refer_to_answers(editor: _Editor, text: str, pronoun: str) -> Iterator[Edit]:
    """Read the question with a name of the last answer; of several names, one stands for all."""
    for name in editor.answers[:_MAX_NAMES]:
        is_found = False
        for reading in editor.read(substitute(text, pronoun, name), is_whole=False):
            query = read_query(reading.query)
            literals = [lit for lit, _, _ in list_names(query) if lit.text == name] if query else []
            if query is None or not literals:
                continue
            is_found = True
            if len(editor.answers) > 1:
                query, _ = join(editor.last, query)
                for literal, _, _ in [*list_names(query)]:
                    if literal in literals:
                        query = replace_literal(query, literal, Reference(editor.final, 0))
            share = 1.0 if editor.is_entity(query, name) else _TOPIC
            if len(editor.answers) > 1 and is_truth(query.steps[-1].value):
                share = _TOPIC  # *do they have a pool*: all of them, or one
            yield from _write(query, share * reading.probability)
        if is_found:
            return


_Edits: TypeAlias = Callable[[_Editor, FollowUp], Iterator[Edit]]
_EDITS: Mapping[str, _Edits] = {
    edit.__name__.removeprefix("_"): edit
    for edit in (
        _explain_again, _summarize, _list_members, _choose_from, _keep, _leave_out, _change
    )
}  # fmt: skip
