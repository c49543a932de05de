"""Repairs of what is wrong with mappings; each is one function, named in ``docs/formats/r2rml.md``.

A repair says nothing that the mapping does not: it makes one of what can only have been meant to be one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

from .r2rml_mapping import Mapping, Reference, Said, Template, TermMap, TriplesMap, bare

_SEPARATORS = re.compile(r"[-_.~]|%20")


def one_spelling(mapping: Mapping) -> Mapping:
    """Templates that differ only in hyphens and the like, or in case, are one.

    They are if one of them alone is used for subjects that have classes, or, where none has a class, for
    subjects at all: what the others mint is otherwise never described, or never pointed to.
    """
    spelt: defaultdict[tuple[object, ...], dict[Template, None]] = defaultdict(dict)
    for term in _templates(mapping):
        assert term.template is not None
        spelt[_folded(term.template)][term.template] = None
    subjects = {each.subject.template for each in mapping.maps.values()}
    classed = {each.subject.template for each in mapping.maps.values() if each.classes}
    right: dict[Template, Template] = {}
    for alike in spelt.values():
        told = [template for template in alike if template in classed] or [
            template for template in alike if template in subjects
        ]
        if len({template.texts for template in told}) == 1:
            right |= {each: told[0] for each in alike if each.texts != told[0].texts}
    return _with_templates(mapping, right)


REPAIRS: tuple[Callable[[Mapping], Mapping], ...] = (one_spelling,)
"""All repairs, in the order in which they are made."""


def _templates(mapping: Mapping) -> list[TermMap]:
    terms = (term for each in mapping.maps.values() for term in each.terms)
    return [term for term in terms if term.template is not None and term.kind != "literal"]


def _folded(template: Template) -> tuple[object, ...]:
    """What is left of a template without what may be spelt otherwise."""
    texts = tuple(_SEPARATORS.sub("", text).casefold() for text in template.texts)
    return texts, tuple(bare(column).casefold() for column in template.columns)


def _with_templates(mapping: Mapping, right: dict[Template, Template]) -> Mapping:
    def term(given: TermMap) -> TermMap:
        found = right.get(given.template) if given.template is not None else None
        if found is None or given.kind == "literal" or given.template is None:
            return given
        what = f"{_shown(given.template)} is read as {_shown(found)}, which is the same but for its spelling"
        # The columns stay as they are written here: another table may write them another way.
        return replace(given, template=replace(given.template, texts=found.texts), repaired=what)

    def triples_map(given: TriplesMap) -> TriplesMap:
        said = tuple(
            Said(
                tuple(map(term, each.predicates)),
                tuple(one if isinstance(one, Reference) else term(one) for one in each.objects),
            )
            for each in given.said
        )
        return replace(given, subject=term(given.subject), said=said)

    return replace(mapping, maps={key: triples_map(each) for key, each in mapping.maps.items()})


def _shown(template: Template) -> str:
    """The end of a template, behind the last slash before its first column."""
    first = template.texts[0].rpartition("/")[2]
    pairs = zip(template.columns, template.texts[1:], strict=True)
    return first + "".join(f"{{{column}}}{text}" for column, text in pairs)
