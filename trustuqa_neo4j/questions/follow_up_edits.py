"""The edits of a query that a follow-up can mean: each yields queries, by the rules of ``lexicon``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from ..language.ast import (
    Argument,
    Call,
    Literal,
    Query,
    Reference,
    Value,
)
from ..language.functions import DIFFERENCE, INTERSECTION, get_row, has_trait
from ..language.query_edits import (
    HEAD,
    KEY,
    RELATION,
    SEARCH,
    TAIL,
    VALUE,
    ConditionalSearch,
    append,
    append_call,
    find_members,
    get_relation,
    get_search,
    is_summary,
    is_truth,
    join,
    list_names,
    list_selections,
    make_call,
    negate_conditions,
    order_steps,
    read_query,
    redirect,
    rename_relation,
    replace_literal,
    restrict,
    turn_order,
    widen,
)
from ..language.selectors import EXTREMES, find_selector
from ..language.signatures import Trait
from ..lexicon.forms import stem
from ..lexicon.lexicon import load_lexicon
from ..lexicon.words import WORDS
from ..matching import normalize_name
from ..semantic_parser.reading import NUMBER_KINDS
from ..values import read_value
from .follow_up import (
    COUNT,
    EXISTS,
    EXPLANATION,
    MEASURE,
    MEMBERS,
    FollowUp,
    asks_for_members,
    asks_whether,
    complete_question,
    drop_others,
    drop_owner,
    drop_question,
    ends_with_auxiliary,
    find_fits,
    find_numbers,
    find_pronoun,
    get_roles,
    has_bearing,
    is_clause,
    list_content,
    list_words,
    name_ones,
    raise_comparative,
    read_operators,
    substitute,
)
from .follow_up_names import BOUNDS, SAME_PLACE, put_name, replace_name, widen_condition
from .query_editor import (
    TO_ENDS,
    Edit,
    Filter,
    QueryEditor,
    get_single_relation,
    has_names,
    is_extreme,
    project,
    write,
)

START = "start time"
_ALONE = 0.99  # share of a question as it stands
_LIST = 0.1  # share of a question for a column of all rows, after one for one value
_MAX_NAMES = 3  # of the last answer that a pronoun may mean
_TOPIC = 0.35  # share of a name of the last question for a pronoun that its answer can be


def _operate(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Apply an operation to the last result."""
    last, name = editor.context.request.last_question, follow_up.rule
    roles = get_roles(follow_up.pronoun)
    if name == EXPLANATION:
        yield from write(editor.last, last.confidence or 1.0 if last else 1.0)
    elif name == MEMBERS:
        yield from _list_members(editor)
    elif edits := [*_summarize_same(editor, name)]:
        yield from edits
    elif {*EXTREMES} & {*list_words(follow_up.text)} and (
        not editor.has_numbers or len(editor.values) == 1
    ):
        fit = next(find_fits(follow_up.text))
        yield from EDITS.get(fit.makes, change)(editor, replace(fit, pronoun=follow_up.pronoun))
    elif name == MEASURE or (
        name == COUNT and len(editor.values) == 1 and editor.extremes and "plural" not in roles
    ):
        # *How high is it?* after the highest one; *how many are they?* does not ask for its length.
        yield from _make_first(editor, follow_up, (_measure, _complete))
    elif len(editor.values) > 1:
        yield from write(append_call(editor.last, name, _find_operand(editor, name)), SAME_PLACE)
    elif "owner" in roles:
        yield from change(editor, follow_up)  # *his number*


def _measure(editor: QueryEditor, _: FollowUp) -> Iterator[Edit]:
    step = editor.members.step
    for relation in editor.extremes if step is not None else ():
        yield from write(project(editor.last, step or 0, relation), SAME_PLACE)


def _find_operand(editor: QueryEditor, name: str) -> int:
    """Return the step that a function of the last result has: what is seen is counted."""
    if name == COUNT:
        return editor.final
    if has_trait(name, Trait.OVER_ROWS):
        return editor.asked[0]
    return editor.members.step or editor.final


def _summarize_same(editor: QueryEditor, name: str) -> Iterator[Edit]:
    """Apply a function to what a sum was made from, or to what the highest one was chosen from."""
    if not get_row(name).in_groups:
        return
    if is_summary(editor.last.steps[-1].value):
        number, _ = editor.asked
        yield from write(_summarize(order_steps(editor.last, number), number, name), SAME_PLACE)
        return
    is_end = name == COUNT or find_selector(name)
    for selection in list_selections(editor.last) if not is_end else ():
        if is_extreme(selection):
            query = widen(editor.last, selection.step)
            yield from write(_summarize(query, query.steps[-1].number, name), SAME_PLACE)


def _summarize(query: Query, step: int, name: str = COUNT) -> Query:
    return append_call(query, name, step)


def _list_members(editor: QueryEditor) -> Iterator[Edit]:
    step = editor.members.step
    number, _value = editor.asked
    query = order_steps(editor.last, number)
    if step is not None and editor.is_rows(step) and editor.naming is not None:
        query = project(editor.last, step, editor.naming)
    yield from write(query, SAME_PLACE)


def _choose_from(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    if len(editor.values) == 1 and not is_summary(editor.last.steps[-1].value):
        yield from _turn_over(editor, follow_up)
    else:
        makers = (_choose_at_time, _choose_named, _select, _add_time)
        edits = [*_make_first(editor, raise_comparative(follow_up), makers)]
        queries = [query for edit in edits if (query := read_query(edit.query))]
        if follow_up.is_marked and not any(editor.run(query, 1).values for query in queries):
            # *And which have fewer than 12?* after those with more than 30
            edits = [*replace_conditions(editor, follow_up)] or edits
        yield from edits


def _choose_at_time(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Choose those for which the same held at another time: *who of them was there in 2012?*."""
    is_timed = any(selection.time for selection in list_selections(editor.last))
    for edit in _add_time(editor, follow_up) if is_timed else ():
        query = read_query(edit.query)
        if query is not None:
            joined, *ends = editor.join_result(query)
            yield from write(append_call(joined, INTERSECTION, *ends), edit.probability)


def _choose_named(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Choose by a question with the noun of the last one: *which ones are in Malm*."""
    named = name_ones(follow_up.text, editor.last_question)
    readings = editor.read_sure(named) if named else []
    others: list[Edit] = []
    if readings and WORDS.follow_ups.pronouns.keys().isdisjoint(list_words(follow_up.text)):
        others += replace_conditions(editor, replace(follow_up, rest=named))
    for query, probability in readings if not others else ():
        others += _restrict_to(editor, query, editor.members.step, probability)
    yield from others


def _restrict_to(
    editor: QueryEditor, query: Query, step: int | None, probability: float
) -> Iterator[Edit]:
    """Let a query choose from the members of a step of the last one; None: from all rows."""
    if step is None:
        yield from write(query, probability)
        return
    if any(map(is_extreme, list_selections(query))) and editor.is_one(step):
        return  # the highest of one
    joined, number = join(editor.last, query)
    steps = {s.number for s in joined.steps} - editor.numbers
    joined, is_restricted = restrict(joined, step, steps)
    if is_restricted:
        yield from write(joined, probability)
        return
    found = find_members(query, editor.columns).step
    if found is not None:
        both = append_call(joined, INTERSECTION, step, number(found))
        last = both.steps[-1].number
        if number(found) == joined.steps[-1].number:
            yield from write(both, probability)
        else:
            end = joined.steps[-1].number
            yield from write(
                order_steps(redirect(both, number(found), last, {end}), end), probability
            )


def _keep(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    yield from _make_first(editor, follow_up, (_turn_over, _add_time, _select))


def _select(
    editor: QueryEditor, follow_up: FollowUp, *, is_negated: bool | None = None
) -> Iterator[Edit]:
    """Select members as the last question asked for them, count them, or say whether there are any."""
    step, text = editor.members.step, follow_up.rest
    is_count = text.casefold().startswith(WORDS.follow_ups.counted)
    is_question = is_count or asks_for_members(text)
    is_truth = follow_up.makes == "choose_from" and asks_whether(text)
    filters = editor.group_filters([text]) if is_question else []
    filters = filters or [*editor.find_filters(drop_question(text))]
    ends = [f for f in filters if any(map(is_extreme, f.selections))]
    if ends and step is not None and editor.is_one(step):
        filters = [f for f in filters if f not in ends]  # one has no highest
    for found in filters:
        chosen = found if is_negated is None else found._replace(is_negated=is_negated)
        joined, new = editor.select(chosen, step)
        query = editor.finish(joined, step, new)
        if is_truth or is_count:
            yield from write(
                _summarize(joined, new, EXISTS if is_truth else COUNT), found.probability
            )
        elif is_question:
            yield from editor.show(query, new, found.probability)
        else:
            yield from write(query, found.probability)


def _leave_out(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    if editor.members.step is not None:
        yield from _select(editor, follow_up, is_negated=True)


def _negate(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Let one condition on rows fail: *and how many are not?*.

    Of nodes, it would also leave those that have another value beside this one.
    """
    selections = [*list_selections(editor.last)]
    are_rows = all(normalize_name(s.relation) in editor.columns for s in selections)
    step = editor.members.step or editor.final
    pronoun, _ = find_pronoun(follow_up.old)
    kept = editor.find_named(pronoun)
    if "owner" in get_roles(pronoun):  # *and which of hers are not?*
        texts = (literal.text for literal, _, _ in list_names(editor.last))
        kept = [text for text in texts if read_value(text) is None]
    said = {*list_words(follow_up.old)}  # *and which ones to Oslo are not?*: still to Oslo
    names = [literal.text for literal, _, _ in list_names(editor.last)]
    kept += [name for name in names if name and said.issuperset(list_words(name))]
    others = {*map(stem, list_content(follow_up.old))} - {*map(stem, list_words(pronoun))}
    known = {*map(stem, list_words(editor.last_question))}
    if not are_rows or not others <= known or (pronoun.count(" ") and not kept):
        return
    for query in (queries := [*negate_conditions(editor.last, kept)]):
        probability = SAME_PLACE / len(queries)
        if follow_up.rest.casefold() not in NUMBER_KINDS:
            if not editor.names_rows:
                # Of members of rows, those that have the value in another row are left out.
                query, number = join(editor.last, query)
                query = append_call(query, DIFFERENCE, number(editor.final), editor.final)
            yield from editor.show(query, step, probability)
        elif is_summary(query.steps[-1].value) and editor.names_rows:
            yield from write(query, probability)
        elif editor.names_rows:
            yield from write(_summarize(query, step), probability)


def _correct(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Put a name in the place of the one that is taken back: *not Japan, Italy*."""
    old = normalize_name(follow_up.old)
    yield from (
        edit
        for literal, edit in replace_name(editor, follow_up.name)
        if normalize_name(literal.text) in (old, *old.split())
    )


def change(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    makers: tuple[Edits, ...]
    if follow_up.pronoun:
        makers = (_follow_fact, _ask_of_owned, _refer)
    elif follow_up.has_others:
        makers = (_ask_others,)
    elif ends_with_auxiliary(follow_up.text):
        makers = (_complete,)
    elif follow_up.is_clause:
        makers = (
            _complete, _ask_number, _follow_fact, _add_time, replace_conditions, _ask_of_same
        )  # fmt: skip
    else:
        makers = (
            widen_condition, _follow_fact, put_name, _turn_over, _add_time, replace_conditions,
            _replace_relation,
        )  # fmt: skip
    yield from _make_first(editor, follow_up, makers)


def _ask_number(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Put a column of numbers in the place of the last one: *and how many juniors?*."""
    number, rest = NUMBER_KINDS & {" ".join(follow_up.rest.casefold().split()[:2])}, ""
    if number and editor.has_numbers and get_search(editor.last.steps[-1].value):
        rest = " ".join(follow_up.rest.split()[2:])
    rest = "" if is_clause(rest) else rest
    for edit in _replace_relation(editor, replace(follow_up, rest=rest)) if rest else ():
        query = read_query(edit.query)
        relation = get_relation(get_search(query.steps[-1].value)) if query else None
        if relation is not None and editor.count_numbers(relation) > 0.5:
            yield edit


def _complete(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    for query, probability in editor.read_sure(
        complete_question(follow_up.text, editor.last_question)
    ):
        yield from write(query, probability)


def _make_first(
    editor: QueryEditor, follow_up: FollowUp, makers: Iterable[Edits]
) -> Iterator[Edit]:
    """Make the edits of the first that makes any."""
    yield from next(filter(None, ([*make(editor, follow_up)] for make in makers)), [])


def _ask_of_same(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Ask a question that names nothing, of what the last one names: *and who was chancellor?*."""
    readings = editor.read(follow_up.rest)
    for reading in readings:
        query = read_query(reading.query)
        if query is None:
            continue
        if has_names(query):
            timed = editor.set_time(query) if follow_up.is_then else None
            if timed is not None:
                yield from write(timed, reading.probability)
            continue
        relation, search = get_single_relation(query), get_search(editor.asked[1])
        old = get_relation(search)
        is_graph = old is not None and normalize_name(old) not in editor.columns
        if relation and old and old != relation and is_graph:
            yield from write(rename_relation(editor.last, old, relation), reading.probability)
        else:
            yield from _restrict_to(editor, query, editor.members.step, reading.probability)
        is_list = get_search(query.steps[-1].value) is not None
        if not follow_up.is_then:
            # *which gate*: of the flight, rather than all gates
            share = _LIST if is_list and len(editor.values) == 1 else _ALONE
            yield Edit(reading.query, share * reading.probability)


def _turn_over(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Select the other end of an order, or more or fewer members: *and the least*, *the bottom 3*."""
    words = list_words(follow_up.rest)
    operators = read_operators(follow_up.rest, EXTREMES, editor.last_question)
    ends = {EXTREMES[operator] for operator in operators or ()}
    ends |= {False for word in words if word in WORDS.follow_ups.opposites.values()}
    selectors = {literal.text for literal, _, _ in list_names(editor.last)}
    if selectors.isdisjoint(WORDS.follow_ups.time_ends):
        ends = ends if WORDS.follow_ups.ordinals.isdisjoint(words) else set()  # *the first two*
    numbers = {*find_numbers(words).values()} - {"1"}
    if not ends and not WORDS.grammar.location_prepositions.isdisjoint(words):
        return  # *in 2010*, *on deck 5*
    if operators is None or not (ends or numbers) or max(len(ends), len(numbers)) > 1:
        return
    query = turn_order(editor.last, TO_ENDS[ends.pop()] if ends else {}, "".join(numbers))
    if query not in (None, editor.last):
        yield from write(query, SAME_PLACE)


def _follow_fact(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Ask for the fact before or after the last one, or when that began or ended: *who succeeded her?*."""
    times, search = WORDS.follow_ups.times, get_search(editor.asked[1]) or {}
    operators = read_operators(follow_up.text, times, editor.last_question) or ()
    asks_when = not WORDS.times.time_words.isdisjoint(list_words(follow_up.text))
    keys = {times[operator] for operator in operators}
    keys = {key for key in keys if asks_when != (key in WORDS.follow_ups.time_ends)}
    fact = {name: search[name].value for name in (HEAD, RELATION, TAIL) if name in search}
    missing = [name for name in (HEAD, TAIL) if name not in fact] or [HEAD]
    if missing[0] not in fact and len(editor.answers) == 1:
        fact[missing[0]] = Literal(editor.answers[0], 0)
    if len(fact) < 3 or len(keys) != 1 or not editor.has_times(get_relation(search) or ""):
        return
    key = keys.pop()
    start = Literal(key if asks_when else START, 0)
    query = append_call(editor.last, SEARCH, **fact, key=start)
    if not asks_when and len(editor.run(query).values) == 1:
        del fact[missing[0]]
        bound = Reference(query.steps[-1].number, 0)
        limit = Argument(VALUE, "<" if EXTREMES[key] else ">", bound, 0)
        call = make_call(SEARCH, {**fact, KEY: start})
        end = Argument(VALUE, "=", Literal(key, 0), 0)
        query = append(query, replace(call, arguments=(*call.arguments, limit, end)))
    elif not asks_when:
        return
    yield from write(query, SAME_PLACE)


def _add_time(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Let the facts of a graph hold at a time, or be the first, last or longest ones."""
    number, value = editor.asked
    search = get_search(value)
    relation, condition = get_relation(search), _read_time(follow_up.rest)
    if search is None or relation is None or condition is None or not {HEAD, TAIL} & {*search}:
        return
    time = condition[1].value
    known = f"{time.text} {editor.last_question}" if isinstance(time, Literal) else ""
    if read_operators(follow_up.rest, (*WORDS.follow_ups.time_ends, *BOUNDS), known) is None:
        return
    if not isinstance(value, Call) or not editor.has_times(relation):
        return
    kept = tuple(a for a in value.arguments if a.name not in (KEY, VALUE))
    timed = replace(value, arguments=(*kept, *condition))
    steps = tuple(replace(s, value=timed) if s.number == number else s for s in editor.last.steps)
    query = replace(editor.last, steps=steps)
    # *Who was the first of them?* asks for no number.
    asked = order_steps(query, number) if asks_for_members(follow_up.rest) else query
    yield from write(asked, SAME_PLACE)


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
                return _make_condition(START, "=", end)
    return None


def _make_condition(key: str, operator: str, text: str) -> tuple[Argument, Argument]:
    return (
        Argument(KEY, "=", Literal(key, 0), 0), Argument(VALUE, operator, Literal(text, 0), 0)
    )  # fmt: skip


def replace_conditions(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Replace conditions of the same relation, or add those of another."""
    other_ends: list[Edit] = []
    replaced: list[Edit] = []
    added: list[Edit] = []
    olds = [*list_selections(editor.last)]
    filters: Iterable[Filter] = (
        editor.group_filters([follow_up.rest])
        if follow_up.is_clause
        else editor.find_filters(follow_up.rest)
    )
    for found in filters:
        news = found.selections
        if found.is_negated or (
            all(new.texts == ("",) for new in news) and not has_bearing(follow_up.rest)
        ):
            continue  # *and the calories?* asks for them, and not for what has some
        same = [
            old
            for old in olds
            for new in news
            if old.relation == new.relation
            and (is_extreme(old) == is_extreme(new) or not new.texts)
            and (old.operators == new.operators or follow_up.is_marked or not follow_up.is_clause)
        ]
        others = [old for old in olds if all(map(is_extreme, (old, *news)))]
        if same or others:
            probability = max(found.probability, SAME_PLACE * (found.probability > 0.2))
            query = _put_instead(editor, found, same or others)
            edits = _write_asked(editor, found, query, probability)
            (replaced if same else other_ends).extend(edits)
        elif not follow_up.is_clause:
            added += _add_condition(editor, follow_up, found, any(map(is_extreme, news)))
    yield from replaced or other_ends or added


def _add_condition(
    editor: QueryEditor, follow_up: FollowUp, found: Filter, is_end: bool
) -> Iterator[Edit]:
    members = editor.members.step
    query, step = editor.select(found, None)
    query, is_restricted = restrict(query, step, editor.numbers)
    if is_restricted and not is_end:
        yield from _write_asked(editor, found, order_steps(query, editor.final), found.probability)
    elif not (is_end and members is not None and editor.is_one(members)):  # the highest of one
        query, step = editor.select(found, members)
        query = editor.finish(query, members, step)
        is_bare = WORDS.grammar.prepositions.isdisjoint(list_words(follow_up.rest)[:1])
        if is_end and is_bare and not found.asked:
            # *and the oldest?* after a number of them
            yield from editor.show(query, step, found.probability)
        else:
            yield from _write_asked(editor, found, query, found.probability)


def _write_asked(
    editor: QueryEditor, found: Filter, query: Query, probability: float
) -> Iterator[Edit]:
    for changed in editor.ask_for(query, found.asked) if found.asked else [query]:
        yield from write(changed, probability)


def _put_instead(editor: QueryEditor, found: Filter, olds: list[ConditionalSearch]) -> Query:
    """Put a filter in the place of selections."""
    steps = {step.number: step.value for step in editor.last.steps}
    replaced = {old.step for old in olds}
    search = get_search(steps[olds[0].step]) or {}
    head = search.get(HEAD)
    source = head.value.step if head and isinstance(head.value, Reference) else None
    while source in replaced:
        inner = (get_search(steps[source]) or {}).get(HEAD)
        source = inner.value.step if inner and isinstance(inner.value, Reference) else None
    timed = editor.set_time(found.query) if any(old.time for old in olds) else None
    query, step = editor.select(found._replace(query=timed or found.query), source)
    for old in sorted(replaced):
        query = redirect(query, old, step, editor.numbers)
    return order_steps(query, step if editor.final in replaced else editor.final)


def _replace_relation(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Put a column or relation in the place of the one that is asked for or compared."""
    if read_operators(follow_up.rest, WORDS.follow_ups.times, follow_up.rest):
        return  # *the day after*
    for start in ("", *WORDS.follow_ups.fragments[2:]):
        names: dict[str, float] = {}
        for reading in editor.read(start + follow_up.rest):
            query = read_query(reading.query)
            relation = get_single_relation(query) if query else None
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
            share = max(probability, SAME_PLACE * (probability > 0.3)) / len(places)
            yield from write(rename_relation(editor.last, old, name), share)


def _find_places(editor: QueryEditor, name: str) -> Iterator[str]:
    """Find the relations of the last query that a relation can replace."""
    share = editor.count_numbers(name)
    _, asked = editor.asked
    search = get_search(asked) or {}
    projected = None if TAIL in search else get_relation(search)
    said = {*map(stem, list_words(editor.last_question))}
    places = [
        place
        for place in editor.extremes
        if abs(editor.count_numbers(place) - share) < 0.5
        # *Its mileage?* takes no place in *the newest van*.
        and not said.isdisjoint(map(stem, list_content(place)))
    ]
    if projected is not None and (not places or abs(editor.count_numbers(projected) - share) < 0.5):
        places.append(projected)
    yield from (place for place in dict.fromkeys(places) if place != name)


def _ask_of_owned(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Ask the last question of what belongs to its name: *When did he die? And his wife?*."""
    is_owner = "owner" in get_roles(follow_up.rest.partition(" ")[0])
    if not (is_owner and follow_up.is_marked) or follow_up.is_clause or editor.is_asked_who:
        return
    for literal, _, (_, operator) in list_names(editor.last):
        text = substitute(follow_up.rest, follow_up.pronoun, literal.text)
        is_name = operator == "=" and read_value(literal.text) is None
        for query, probability in editor.read_sure(text) if is_name else ():
            joined, _, owned = editor.join_result(query)
            changed = order_steps(replace_literal(joined, literal, owned), editor.final)
            if any(editor.run(changed).values):
                yield from write(changed, probability)


def _refer(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Read the question for the members of the last answer, and for names of the last question."""
    text, pronoun = drop_others(follow_up.rest), follow_up.pronoun
    edits = _refer_to_any(editor, follow_up, text)
    named = editor.find_named(pronoun)
    for edit in _refer_to_named(editor, text, pronoun) if named else edits:
        query = read_query(edit.query)
        if not follow_up.has_others:
            yield edit
        elif query is not None:
            yield from _leave_known(editor, query, edit.probability)


def _refer_to_named(editor: QueryEditor, text: str, pronoun: str) -> Iterator[Edit]:
    """Read the question for the name that *that harbour* means."""
    for name in editor.find_named(pronoun)[:1]:
        for query, probability in editor.read_sure(substitute(text, pronoun, name)):
            yield from write(query, probability)


def _ask_others(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    for query, probability in editor.read_sure(drop_others(follow_up.rest)):
        if has_names(query) and not follow_up.is_then:
            yield from _leave_known(editor, query, probability)


def _leave_known(editor: QueryEditor, query: Query, probability: float) -> Iterator[Edit]:
    """Leave out the names that are known; others are asked for by what holds for them too."""
    changed, known = query, [literal for literal, _, _ in list_names(editor.last)]
    for name in known:
        changed = _without(editor, changed, changed.steps[-1].number, name)
    if editor.answers:
        joined, number = join(editor.last, changed)
        rest = _without(editor, joined, number(changed.steps[-1].number), editor.final)
        changed = changed if rest == joined else rest
    if changed != query:
        yield from write(changed, probability)


def _without(editor: QueryEditor, query: Query, step: int, known: Value | int) -> Query:
    """Leave out what a step has in common with ``known``; the query itself if that is nothing."""
    has_known = editor.run(append_call(query, INTERSECTION, set1=step, set2=known)).values
    return append_call(query, DIFFERENCE, set1=step, set2=known) if has_known else query


def _refer_to_any(editor: QueryEditor, follow_up: FollowUp, text: str) -> Iterator[Edit]:
    pronoun = follow_up.pronoun
    roles, step = get_roles(pronoun), editor.members.step
    is_person = "person" in roles and editor.is_asked_who
    # *Who wrote it? Where was he born?*: the author, and not the row of the book.
    is_several = "person" in roles and len(editor.answers) > 1
    edits: list[Edit] = []
    if step is not None and (editor.names_rows or not is_person) and not is_several:
        for reading in editor.read(drop_owner(text, pronoun), text):
            query = read_query(reading.query)
            if query is not None:
                edits += _restrict_to(editor, query, step, reading.probability)
    yield from edits
    is_sure = is_person or "place" in roles
    # *Who drove P-7? Which town was it for?*: the row of the parcel.
    is_row = bool(edits) and bool(editor.columns) and not roles
    is_several = is_several or (is_row and editor.is_asked_who)
    answers = _refer_to_answers(editor, text, pronoun, is_then=follow_up.is_then, is_sure=is_sure)
    edits = [] if is_several else [*answers]
    yield from edits
    # *Who is Ann's father? And her mother?* may mean Ann's.
    is_open = "owner" in roles and follow_up.is_marked and not follow_up.is_clause
    if editor.answers and (
        (is_person and not is_several and not is_open)
        or ("plural" in roles and (edits or editor.columns))
    ):
        return
    is_answer = bool(edits) and len(editor.answers) == 1
    share = _TOPIC if edits and roles and (is_person or roles[0] != "owner") else 1.0
    yield from _refer_to_names(editor, text, pronoun, share, is_answer=is_answer)


def _refer_to_names(
    editor: QueryEditor, text: str, pronoun: str, share: float, *, is_answer: bool
) -> Iterator[Edit]:
    """Read the question with a name of the last one, of a row or node if the answer can be meant too."""
    names = [
        literal.text
        for literal, _, (_, operator) in list_names(editor.last)
        if operator == "=" and not find_selector(literal.text) and read_value(literal.text) is None
    ]
    if "place" in get_roles(pronoun):
        names = [name for name in names if editor.is_place(name)] or names
    # A name alone leaves out what else the last question said.
    share = _TOPIC if len(names) > 1 else share
    for name in names:
        for reading in editor.read(substitute(text, pronoun, name), text):
            query = read_query(reading.query)
            if query is None or name not in [lit.text for lit, _, _ in list_names(query)]:
                continue
            if is_answer and not editor.is_entity(query, name):
                continue  # *it* is the row of the answer, and not the town that it is in
            timed = editor.set_time(query)
            if timed is not None:
                yield from write(timed, reading.probability)
            else:
                yield Edit(reading.query, share * reading.probability)


def _refer_to_answers(
    editor: QueryEditor, text: str, pronoun: str, *, is_then: bool, is_sure: bool
) -> Iterator[Edit]:
    """Read the question with a name of the last answer; of several names, one stands for all.

    A name that ``is_sure`` is meant, and no row with it.
    """
    for name in editor.answers[:_MAX_NAMES]:
        is_found = False
        for reading in editor.read(substitute(text, pronoun, name), text):
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
            query = (editor.set_time(query) if is_then else None) or query
            share = 1.0 if is_sure or editor.is_entity(query, name) else _TOPIC
            if len(editor.answers) > 1 and is_truth(query.steps[-1].value):
                share = _TOPIC  # *do they have a pool*: all of them, or one
            yield from write(query, share * reading.probability)
        if is_found:
            return


Edits: TypeAlias = Callable[[QueryEditor, FollowUp], Iterator[Edit]]
EDITS: Mapping[str, Edits] = {
    edit.__name__.removeprefix("_"): edit
    for edit in (
        _operate, _choose_from, _negate, _correct, _keep, _leave_out, change
    )
}  # fmt: skip
