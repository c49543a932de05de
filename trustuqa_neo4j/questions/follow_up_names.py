"""The edits that put names and bounds in the places of others: *and in Malm?*, *under 20*."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..language.ast import Literal
from ..language.query_edits import TAIL, is_summary, list_names, replace_bound, replace_literal
from ..language.selectors import find_selector
from ..lexicon.forms import stem
from ..lexicon.lexicon import load_lexicon
from ..values import read_value
from .follow_up import FollowUp, find_whole, list_words, read_shift
from .query_editor import Edit, QueryEditor, write

SAME_PLACE = 0.85  # of a name or bound in the place of one of its kind
_BOTH = 0.4  # share of a bound in the place of an opposite one that leaves something between them


def widen_condition(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Leave out the condition on what is named as a whole: *and over all years?*."""
    noun = find_whole(follow_up.rest)
    names = [
        (literal, relation)
        for literal, relation, (parameter, _) in list_names(editor.last)
        if relation and parameter == TAIL and not find_selector(literal.text)
    ]
    chosen = [literal for literal, relation in names if editor.find_stems(relation) == {noun}]
    if not chosen and noun in {*map(stem, list_words(f"{editor.said} {editor.row_noun}"))}:
        chosen = [literal for literal, _ in names]
    query = editor.last
    for literal in chosen:
        query = replace_bound(query, literal, Literal("", literal.position), "!=")
    if chosen:
        yield from write(query, SAME_PLACE if is_summary(query.steps[-1].value) else _BOTH)


def put_name(editor: QueryEditor, follow_up: FollowUp) -> Iterator[Edit]:
    """Put names or bounds in the places of those of their kinds: *Japan*, *Japan in 2012*."""
    shift = read_shift(follow_up.rest)
    if shift is not None:
        for literal, _, _ in list_names(editor.last):
            moved = shift.move(literal.text)
            if moved is not None:
                time = Literal(moved, literal.position)
                yield from write(replace_literal(editor.last, literal, time), SAME_PLACE)
        return
    places = replace_name(editor, follow_up.name)
    # *In 2012* takes the place of what *in* stands before, and not of *over 2000*.
    before = follow_up.rest.casefold().removesuffix(follow_up.name.casefold())
    said = [p for p in places if before and f"{before}{p[0].text}".casefold() in editor.said]
    edits = [edit for _, edit in said or places]
    words = follow_up.name.split()
    for size in range(1, len(words)) if not edits else ():
        first = replace(follow_up, rest=" ".join(words[:size]).rstrip(",")).name
        second = replace(follow_up, rest=" ".join(words[size:])).name
        for literal, _ in replace_name(editor, first):
            changed = replace_literal(editor.last, literal, Literal(first, literal.position))
            other = replace(editor, last=changed)
            edits += (edit for old, edit in replace_name(other, second) if old.text != first)
    yield from edits


def replace_name(editor: QueryEditor, text: str) -> list[tuple[Literal, Edit]]:
    """Put a name or bound in the place of one of its kind."""
    sign, name = _read_bound(text)
    value = read_value(name)
    if find_selector(name):
        return []
    found: list[tuple[Literal, Edit]] = []
    for literal, relation, (parameter, operator) in list_names(editor.last):
        if find_selector(literal.text) or not literal.text:
            continue
        old = read_value(literal.text)
        if (value is None) != (old is None):
            continue
        is_open = False
        if value is not None and old is not None:
            are_bounds = operator != "=" and None not in (value.number, old.number)
            # *Over 10* and then *under 20* may mean both.
            if sign and are_bounds and sign[0] != operator[0] and value.number != old.number:
                is_open = ((old.number or 0) < (value.number or 0)) == (sign[0] == "<")
            is_alike = (_shape(name) == _shape(literal.text) and not sign) or are_bounds
            is_same = is_alike and value.unit in (None, old.unit)
        else:
            is_same = operator == "=" and editor.has_name(parameter, relation, name)
        if is_same:
            new = Literal(name, literal.position)
            query = replace_bound(editor.last, literal, new, sign or operator)
            edits = write(query, _BOTH if is_open else SAME_PLACE)
            found += ((literal, edit) for edit in edits)
    alike = [pair for pair in found if _shape(pair[0].text) == _shape(name)]
    return alike if value is not None and alike else found


def _read_bound(text: str) -> tuple[str, str]:
    """Read *over 30* as the sign of a comparison and a number."""
    words = text.split()
    for size in range(len(words) - 1, 0, -1):
        rest = " ".join(words[size:])
        for operator in load_lexicon().operators.get(" ".join(words[:size]).casefold(), ()):
            if operator in BOUNDS and read_value(rest) is not None:
                return BOUNDS[operator], rest
    return "", text


BOUNDS = {"more_than": ">", "at_least": ">=", "less_than": "<", "at_most": "<="}


def _shape(text: str) -> str:
    return "".join("9" if sign.isdigit() else sign for sign in text.casefold())
