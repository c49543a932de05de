"""``QueryEditor``: the last query, read and changed in the context of the question that follows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import PurePath
from typing import NamedTuple

from ..answer import Answer
from ..language.ast import (
    Call,
    Literal,
    Query,
    Reference,
    Step,
    Value,
    walk_literals,
)
from ..language.functions import DIFFERENCE, INTERSECTION, NEGATION
from ..language.query_edits import (
    HEAD,
    KEY,
    RELATION,
    SEARCH,
    TAIL,
    VALUE,
    ConditionalSearch,
    Members,
    append_call,
    find_members,
    get_relation,
    get_search,
    get_summarized,
    is_summary,
    join,
    list_names,
    list_selections,
    make_call,
    order_steps,
    read_query,
    redirect,
    restrict,
    write_query,
)
from ..language.selectors import EXTREMES
from ..lexicon.forms import stem
from ..lexicon.words import WORDS
from ..matching import normalize_name
from ..model.dataset import Scope
from ..semantic_parser.question import GRAMMAR_WORDS
from ..semantic_parser.reading import MIN_PROBABILITY, QuestionReading
from ..values import read_value
from .context import QuestionContext
from .dataset_contents import DatasetContents, read_contents
from .follow_up import (
    COUNT,
    complete_question,
    drop_negation,
    list_content,
    list_spare,
    list_words,
    make_questions,
    read_operators,
)
from .with_semantic_parser import find_readings

_MIN_READING = 0.1  # probability of a reading of a part of a follow-up
MAX_PROBABILITY = 0.99
_SAMPLE = 30  # values that show the kind of a relation


_ENDS = WORDS.follow_ups.opposites
OPPOSITE_ENDS = {**_ENDS, **{low: high for high, low in _ENDS.items()}}
TO_ENDS = {
    False: {**_ENDS, ">=": "<="},
    True: {"<=": ">=", **{low: high for high, low in _ENDS.items()}},
}


class Edit(NamedTuple):
    """A query that a follow-up may mean."""

    query: str
    probability: float


class Filter(NamedTuple):
    """A query whose ``step`` selects rows or nodes, or, if ``is_negated``, those that are left out.

    ``asked`` is the column that the text asks for: *the salary of the manager*.
    """

    query: Query
    step: int
    probability: float
    is_negated: bool = False
    asked: str | None = None

    @property
    def selections(self) -> list[ConditionalSearch]:
        return [*list_selections(Query(cut(self.query, self.step)))]


@dataclass
class QueryEditor:
    """``readings_of_texts`` are the readings of each text, which several edits ask for."""

    context: QuestionContext
    scope: Scope
    last: Query
    readings_of_texts: dict[str, list[QuestionReading]] = field(default_factory=dict)

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

    @cached_property
    def relations(self) -> list[str]:
        """The columns and relations."""
        columns = (name for c in self.contents for table in c.tables for name in table.columns)
        return [*dict.fromkeys(chain(columns, *(c.relations for c in self.contents)))]

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The stems of the words of columns and relations."""
        return frozenset(chain(*map(self.find_stems, self.relations)))

    def has_times(self, relation: str) -> bool:
        """True if facts of the relation have times."""
        profiles = (contents.relations.get(relation) for contents in self.contents)
        return any(profile is not None and profile.held for profile in profiles)

    @cached_property
    def members(self) -> Members:
        return find_members(self.last, self.columns)

    @property
    def last_question(self) -> str:
        last = self.context.request.last_question
        return last.question if last else ""

    @cached_property
    def is_by_chance(self) -> bool:
        """True if the last query orders by a number that its question does not say, instead of another.

        Its answer can be right; what follows it would be asked of something else.
        """
        said = {*map(stem, list_content(self.last_question))}
        texts = [lit.text for step in self.last.steps for lit, _, _ in walk_literals(step.value)]
        said -= set().union(*map(self.find_stems, texts))
        return bool(self.extremes) and any(
            self.find_stems(name) & said and self.count_numbers(name) > 0.5
            for name in self.relations
        )

    @property
    def said(self) -> str:
        """The last question in small letters."""
        return self.last_question.casefold()

    @property
    def is_asked_who(self) -> bool:
        return list_words(self.last_question)[:1] == ["who"]

    def is_place(self, name: str) -> bool:
        """True if the last question has a preposition before a name."""
        before, _, _ = self.said.partition(name.casefold())
        words = [word for word in list_words(before) if word not in WORDS.grammar.articles]
        return bool(words) and words[-1] in WORDS.grammar.prepositions

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

    def read(self, text: str, said: str = "") -> list[QuestionReading]:
        """Read a text as a question; only readings that use all its words.

        A sure one may leave out some of those that the follow-up ``said``: *in which office does he sit*.
        """
        # Names, numbers, and words of columns and relations are never left out.
        spare = {
            word
            for word in {*list_content(said)} & {*list_spare(said)}
            if word in said and stem(word) not in self.vocabulary and word.isalpha()
        } - GRAMMAR_WORDS
        is_alone = spare.issuperset(list_content(said))
        return [
            reading
            for reading in self.find_readings(text)
            if reading.is_explained
            and (
                WORDS.follow_ups.empty.issuperset(reading.unexplained)
                or (
                    reading.is_sure
                    and spare.issuperset(reading.unexplained)
                    and len(reading.unexplained) <= len(spare) - is_alone
                )
            )
            and reading.probability >= _MIN_READING
        ]

    def read_sure(self, text: str) -> list[tuple[Query, float]]:
        """Read a text as a question that stands alone; only readings that would be answered."""
        sure = (reading for reading in self.read(text) if reading.is_sure)
        queries = ((read_query(reading.query), reading.probability) for reading in sure)
        return [(query, probability) for query, probability in queries if query is not None]

    def find_readings(self, text: str) -> list[QuestionReading]:
        if text not in self.readings_of_texts:
            request = replace(
                self.context.request, question=text, scope=self.scope, neighbours=(), follows=None
            )
            readings, _ = self.context.read(lambda reader: find_readings(reader, request))
            self.readings_of_texts[text] = [*readings]
        return self.readings_of_texts[text]

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
        """The names among the first values of the last answer: also *14*, if rows are called so."""
        texts = [value for value in self.values if isinstance(value, str)]
        names = [text for text in texts if read_value(text) is None]
        relation = self.members.relation
        are_rows = bool(texts) and not names and relation is not None and relation == self.naming
        return texts if are_rows else names

    @property
    def has_numbers(self) -> bool:
        """True if the last answer has numbers alone."""
        return bool(self.values) and not self.answers

    def set_time(self, query: Query) -> Query | None:
        """Let the facts of a query hold at the time of the last one; None if that is not possible."""
        moment = next((c for s in list_selections(self.last) for c in [s.time] if c), ())
        changed = tuple(
            replace(step, value=replace(value, arguments=(*value.arguments, *moment)))
            if isinstance(value := step.value, Call)
            and (search := get_search(value))
            and not {KEY, VALUE} & {*search}
            and self.has_times(get_relation(search) or "")
            else step
            for step in query.steps
        )
        return replace(query, steps=changed) if moment and changed != query.steps else None

    def names_nothing(self, text: str) -> bool:
        """True if a question asks for a column or relation of nothing: *which gate*."""
        if not WORDS.follow_ups.all_members.isdisjoint(list_words(text)):
            return False
        if read_operators(text, (*EXTREMES, *WORDS.follow_ups.times), "") or complete_question(
            text, self.last_question
        ):
            return True
        query = next((read_query(reading.query) for reading in self.read(text)), None)
        return query is not None and get_single_relation(query) is not None

    def list_cells(self, relation: str) -> tuple[str | float, ...]:
        query = append_call(self.last, SEARCH, **{RELATION: Literal(relation, 0)})
        values = self.run(query).values
        return tuple(value for value in values if isinstance(value, str | float))

    def has_name(self, parameter: str, relation: str | None, name: str) -> bool:
        """True if facts of a relation, or of any, have a name at an end."""
        given: dict[str, Value] = {parameter if parameter == HEAD else TAIL: Literal(name, 0)}
        if parameter != HEAD and relation is not None:
            given[RELATION] = Literal(relation, 0)
        found = self.run(append_call(self.last, SEARCH, **given), 1)
        return found.outcome == "answered" and all(
            m.how != "nearest" for m in found.mapped if m.given == name
        )

    def find_named(self, pronoun: str) -> list[str]:
        """Find the names that *that harbour* may mean: the answer, and names of the last question."""
        said = {*map(stem, list_words(pronoun)[1:])}
        asked = self.members.relation or get_relation(get_search(self.asked[1]))
        known = [(asked, name) for name in self.answers if len(self.answers) == 1]
        known += [(relation, literal.text) for literal, relation, _ in list_names(self.last)]
        named = [
            name
            for relation, name in known
            if relation and said and said == self.find_stems(relation)
        ]
        step = self.members.step
        cells = [name for name in self.relations if said and said == self.find_stems(name)]
        if not named and step is not None and len(cells) == 1:
            # of the row of the answer
            values = self.run(project(self.last, step, cells[0])).values
            named = (
                [value for value in values if isinstance(value, str)] if len(values) == 1 else []
            )
        return named

    @staticmethod
    def find_stems(relation: str) -> set[str]:
        """The stems of what the name of a column or relation says."""
        return {*map(stem, list_content(normalize_name(relation)))}

    def show(self, query: Query, step: int, probability: float) -> Iterator[Edit]:
        """Show the members of a step by name, where the last query counts them."""
        if is_summary(query.steps[-1].value):
            is_row = self.naming is not None and self.is_rows(self.members.step or step)
            named = project(query, step, self.naming or "") if is_row else query
            query = named if is_row else order_steps(query, step)
        yield from write(query, probability)

    def ask_for(self, query: Query, relation: str) -> Iterator[Query]:
        """Let a query that ends with a column or relation end with another one."""
        last = query.steps[-1]
        search = get_search(last.value) or {}
        if {*search} == {HEAD, RELATION}:
            given = {HEAD: search[HEAD].value, RELATION: Literal(relation, 0)}
            yield replace(
                query, steps=(*query.steps[:-1], Step(last.number, make_call(SEARCH, given)))
            )

    def find_filters(self, text: str) -> list[Filter]:
        """Find what selects rows or nodes in a fragment, the most probable first."""
        asking = [found for found in self.group_filters([text]) if found.asked]
        return asking or self.group_filters(make_questions(text))

    def group_filters(self, questions: Iterable[str]) -> list[Filter]:
        """Find what selects rows or nodes in a question; that of the next wording if none is probable.

        Readings with the same filter count together, whatever they ask of its members.
        """
        filters: dict[str, Filter] = {}
        for question in questions:
            same: dict[str, Filter] = {}
            positive = drop_negation(question)
            for reading in self.read(positive):
                found = self._read_filter(reading, positive)
                if found is not None:
                    found = found._replace(is_negated=positive != question)
                    key = f"{found.asked} {write_query(Query(cut(found.query, found.step)))}"
                    total = found.probability + (same[key].probability if key in same else 0.0)
                    same[key] = found._replace(probability=min(total, MAX_PROBABILITY))
            for key, found in same.items():
                if key not in filters or found.probability > filters[key].probability:
                    filters[key] = found
            if any(found.probability >= MIN_PROBABILITY for found in filters.values()):
                break
        return sorted(filters.values(), key=lambda found: -found.probability)

    def _read_filter(self, reading: QuestionReading, question: str) -> Filter | None:
        query = read_query(reading.query)
        if query is None:
            return None
        members = find_members(query, self.columns)
        step, asked = members.step, members.relation
        said = {*map(stem, list_content(question))}
        known = [None, self.naming, self.members.relation]
        if WORDS.grammar.attribute_prepositions.isdisjoint(list_words(question)):
            known += (s.relation for s in list_selections(query))  # *the smallest crew*
        asked = None if asked in known or not self.find_stems(asked or "") & said else asked
        # Values of a column, such as the most frequent, have no rows to choose from.
        are_values = self.members.step is not None and not [*list_selections(self.last)]
        is_table = (
            normalize_name(get_relation(get_search(query.steps[0].value)) or "") in self.columns
        )
        if step is None or not [*list_selections(query)] or (are_values and is_table):
            return None
        relation = self._find_bridge(query, question)
        if relation is not None:
            facts: dict[str, Value | int] = {RELATION: Literal(relation, 0), TAIL: step}
            query = append_call(Query(cut(query, step)), SEARCH, **facts)
            step = query.steps[-1].number
        return Filter(query, step, reading.probability, asked=asked)

    def _find_bridge(self, query: Query, question: str) -> str | None:
        """Find the only relation of a graph that a question names and its query leaves out.

        *Born in Ireland* is then said of a person, and not of a town in Ireland.
        """
        said = {*map(stem, list_content(question))}
        used = {selection.relation for selection in list_selections(query)}
        named = {
            name
            for contents in self.contents
            for name in contents.relations
            if normalize_name(name) not in self.columns and set() < self.find_stems(name) <= said
        } - used
        return named.pop() if len(named) == 1 else None

    def select(self, found: Filter, members: int | None) -> tuple[Query, int]:
        """Join the last query and a filter, which chooses from ``members``; return its step."""
        query, number = join(self.last, found.query)
        step = number(found.step)
        if members is None:
            if not found.is_negated:
                return query, step
            query = append_call(query, NEGATION, step)
            return query, query.steps[-1].number
        relations = {normalize_name(s.relation) for s in list_selections(found.query)}
        is_table = not relations.isdisjoint(self.columns)
        # Of nodes, ends of orders alone choose from some.
        ends = {s.step for s in list_selections(query) if is_extreme(s)}
        steps = ({s.number for s in query.steps} if is_table else ends) - self.numbers
        query, is_restricted = restrict(query, members, steps)
        if not is_restricted:
            query = append_call(query, INTERSECTION, members, step)
            step = query.steps[-1].number
        if found.is_negated:
            query = append_call(query, DIFFERENCE, members, step)
            step = query.steps[-1].number
        return query, step

    def join_result(self, query: Query) -> tuple[Query, Reference, Reference]:
        """Join the last query and another one; return the references to both results too."""
        joined, number = join(self.last, query)
        return joined, Reference(self.final, 0), Reference(number(query.steps[-1].number), 0)

    def finish(self, query: Query, old: int | None, new: int) -> Query:
        """Let the last query go on from the step ``new`` in the place of ``old``."""
        if old is None:
            query, _ = restrict(query, new, self.numbers)
        elif old == self.final:
            return order_steps(query, new)
        else:
            query = redirect(query, old, new, self.numbers)
        return order_steps(query, self.final)

    def is_one(self, step: int) -> bool:
        """True if a step selects one row or node."""
        counted = append_call(order_steps(self.last, step), COUNT, step)
        return [*map(str, self.run(counted).values)] == ["1"]

    @cached_property
    def extremes(self) -> list[str]:
        """The relations of numbers that the last query selects the ends of."""
        return [s.relation for s in list_selections(self.last) if is_extreme(s)]

    @property
    def names_rows(self) -> bool:
        """True if the last answer has the names of its rows or nodes, and not other cells of them."""
        relation = self.members.relation
        return relation is None or self.naming in (None, relation)

    @cached_property
    def naming(self) -> str | None:
        """The column that names the rows."""
        for reading in self.read(WORDS.follow_ups.rows):
            query = read_query(reading.query)
            members = find_members(query, self.columns) if query else None
            if members is not None and members.relation:
                return members.relation
        return None

    @property
    def row_noun(self) -> str:
        """The words for a row: the name of its column, and that of the table."""
        tables = (table for contents in self.contents for table in contents.tables)
        return " ".join((self.naming or "", *(PurePath(table.name).stem for table in tables)))

    def is_entity(self, query: Query, name: str) -> bool:
        """True if a name is that of a row or node, and not one of its other cells."""
        relations = {s.relation for s in list_selections(query) if name in s.texts}
        return not relations or self.naming is None or self.naming in relations

    def is_rows(self, number: int) -> bool:
        """True if a step selects rows of a table."""
        part = Query(cut(self.last, number))
        search = get_search(part.steps[-1].value)
        return (search is None or TAIL in search) and any(
            normalize_name(s.relation) in self.columns for s in list_selections(part)
        )

    def count_numbers(self, relation: str) -> float:
        """The share of values of a relation that are numbers."""
        values = self.list_cells(relation)
        numbers = [read_value(v) if isinstance(v, str) else None for v in values]
        found = sum(value is not None and value.number is not None for value in numbers)
        return found / len(values) if values else 0.0


def cut(query: Query, last: int) -> tuple[Step, ...]:
    return order_steps(query, last).steps


def write(query: Query, probability: float) -> Iterator[Edit]:
    text = write_query(query)
    if text is not None:
        yield Edit(text, probability)


def project(query: Query, step: int, relation: str) -> Query:
    parameters: dict[str, Value | int] = {HEAD: step, RELATION: Literal(relation, 0)}
    return append_call(query, SEARCH, **parameters)


def get_single_relation(query: Query) -> str | None:
    relations = {
        relation
        for step in query.steps
        if (search := get_search(step.value))
        and not {HEAD, TAIL} & {*search}
        and (relation := get_relation(search)) is not None
    }
    return relations.pop() if len(relations) == 1 and not [*list_selections(query)] else None


def has_names(query: Query) -> bool:
    """True if a query selects by a name, a bound or an end of an order."""
    return any(literal.text for literal, _, _ in list_names(query))


def is_extreme(selection: ConditionalSearch) -> bool:
    is_ranked = not selection.texts and selection.operators != ["="]
    return is_ranked or [text.casefold() in OPPOSITE_ENDS for text in selection.texts] == [True]
