"""How relations meet, and what follows from declarations: without a database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustuqa_neo4j.checking.meetings import Alike, Meetings, Side, meetings
from trustuqa_neo4j.checking.ontology import Ontology
from trustuqa_neo4j.checking.vocabulary import Figures, Vocabulary
from trustuqa_neo4j.triples import ClassDeclared, RelationDeclared


def start(relation: str) -> Side:
    return Side("start", relation)


def end(relation: str) -> Side:
    return Side("end", relation)


def members(name: str) -> Side:
    return Side("class", name)


NAMES = st.lists(st.sampled_from("pqrs"), unique=True).map(sorted).map(tuple)
NODES = st.lists(st.tuples(NAMES, NAMES, NAMES, st.booleans(), st.integers(1, 3)), max_size=12)
SIDES = [Side(which, name) for which in ("start", "end", "class") for name in "pqrst"]  # type: ignore[arg-type]


@given(NODES)
def test_meetings_count_nodes(groups: list[tuple[tuple[str, ...], ...]]) -> None:
    alike = [Alike(*group) for group in groups]  # type: ignore[call-arg, arg-type]
    nodes = [
        (
            {*map(start, group.starts), *map(end, group.ends), *map(members, group.classes)},
            group.nameless,
        )
        for group in alike
        for _ in range(group.nodes)
    ]
    found = meetings(alike)
    kept = found.to_parameters()
    assert Meetings.of_parameters(**kept).to_parameters() == kept  # type: ignore[arg-type]
    for met in (found, Meetings.of_parameters(**kept)):  # type: ignore[arg-type]
        for one in SIDES:
            assert met.size(one) == sum(one in sides for sides, _ in nodes)
            assert met.ids(one) == sum(one in sides and nameless for sides, nameless in nodes)
            for other in SIDES:
                assert met.shared(one, other) == sum({one, other} <= sides for sides, _ in nodes)


def test_names_of_any_letters_are_kept() -> None:
    found = meetings([Alike(("a\x1fb", "", "é\n"), ("\x1f",), (), False, 2**31)])
    again = Meetings.of_parameters(**found.to_parameters())  # type: ignore[arg-type]
    assert [*again.places] == [start("a\x1fb"), start(""), start("é\n"), end("\x1f")]
    assert again.shared(start("a\x1fb"), end("\x1f")) == 2**31


# Which relations fit a side, by index.

CLASSES = st.lists(st.sampled_from("ABCDX"), unique=True, max_size=2).map(tuple)
UNIONS = st.lists(CLASSES, max_size=2).map(tuple)
DECLARED = st.lists(st.builds(ClassDeclared, st.sampled_from("ABCD"), CLASSES, CLASSES), max_size=6)
RELATIONS = st.lists(
    st.builds(
        RelationDeclared, st.sampled_from("pqrt"), UNIONS, UNIONS,
        st.sampled_from([None, None, True, False]), parents=CLASSES.map(lambda of: ("q",) * len(of)),
    ),
    max_size=6,
)  # fmt: skip
ALIKE = st.lists(st.tuples(NAMES, NAMES, CLASSES, st.just(False), st.integers(1, 20)), max_size=8)


@settings(max_examples=300)
@given(DECLARED, RELATIONS, ALIKE)
def test_relations_that_fit_are_those_of_which_each_fits(
    classes: list[ClassDeclared],
    relations: list[RelationDeclared],
    groups: list[tuple[tuple[str, ...], ...]],
) -> None:
    """Found by the classes that they start from and lead to: the same as comparing one by one."""
    figures = {name: Figures(count) for count, name in enumerate("pqs")}
    met = meetings(Alike(*group) for group in groups)  # type: ignore[call-arg, arg-type]
    found = Vocabulary(Ontology.of(classes, relations), met, figures)
    order = sorted(
        {*figures, *found.ontology.relations},
        key=lambda name: (-figures.get(name, Figures()).facts, name),
    )
    sides = [
        *(Side(which, name) for which in ("start", "end") for name in "pqrst"),
        *map(members, "ABCDX"),
    ]  # type: ignore[arg-type]
    for here in sides:
        starting = [name for name in order if found.fit(here, start(name))]
        assert found.starting(here) == starting
        assert found.leading(here) == [name for name in order if found.fit(here, end(name))]
        for there in sides:
            assert found.fit(here, there) == found.fit(there, here)
            leading = [name for name in order if found.fit(there, end(name))]
            ways = [[name] for name in starting if name in leading] + [
                [name, further]
                for name in starting
                for further in leading
                if found.fit(end(name), start(further))
            ]
            assert found.way(here, there) == (ways[0] if ways else [])


# What follows from declarations.


def never(one: str, other: str) -> bool:
    return False


def test_classes_in_a_circle() -> None:
    circle = [ClassDeclared(f"c{n}", (f"c{(n + 1) % 5}",)) for n in range(5)]
    found = Ontology.of(
        [*circle, ClassDeclared("own", ("own",), ("own",)), ClassDeclared("other")], ()
    )
    assert found.above("c0") == found.below("c3") == {f"c{n}" for n in range(5)}
    assert found.fits("c1", "c0")
    assert found.above("own") == found.below("own") == {"own"}
    assert not found.apart("own", "own", never)
    assert found.apart("own", "other", never)
    assert not found.apart("c0", "unheard of", never)


def test_relations_in_a_circle_and_their_own_domain() -> None:
    found = Ontology.of(
        [ClassDeclared("r", ("r",))],
        [RelationDeclared("r", (("r",),), (("r",),), parents=("q", "r")),
         RelationDeclared("q", (("A", "B"),), (("Thing", "A"), ()), parents=("r",))],
    )  # fmt: skip
    assert found.domains("r") == (("r",), ("A", "B"))
    assert found.domains("q") == (("A", "B"), ("r",))
    assert found.ranges("q") == found.ranges("r") == (("r",),)
    vocabulary = Vocabulary(found)
    assert not vocabulary.clash(start("r"), end("r"))
    assert vocabulary.kind(start("r")) == "a r"


def test_contradictory_declarations() -> None:
    """What nothing can be, nothing is: the relation is empty, unless the data shows that it is not."""
    ontology = Ontology.of(
        [ClassDeclared("A", disjoint=("B",)), ClassDeclared("B"), ClassDeclared("C", ("A", "B"))],
        [RelationDeclared("r", (), (("A",), ("B",)), False), RelationDeclared("s", (("A",),)),
         RelationDeclared("v", (), (("A",),), True), RelationDeclared("v", (), (), False)],
    )  # fmt: skip
    declared = Vocabulary(ontology)
    assert declared.clash(end("r"), start("s"))
    assert declared.leads_to_values(end("v"))  # who says it first is heard
    shown = replace(declared, met=meetings([Alike(("s",), ("r",), (), False, 1)]))
    assert not shown.clash(end("r"), start("s"))
    both = replace(declared, met=meetings([Alike((), (), ("A", "B"), False, 1)]))
    assert not both.clash(end("r"), start("s"))


def chain(count: int) -> Ontology:
    return Ontology.of((ClassDeclared(f"c{n}", (f"c{n - 1}",)) for n in range(1, count)), ())


def tree(count: int) -> Ontology:
    return Ontology.of((ClassDeclared(f"c{n}", (f"c{n // 2}",)) for n in range(1, count)), ())


@pytest.mark.parametrize(("made", "last"), [(tree, 99_999), (chain, 99_999)])
def test_very_many_axioms(made: Callable[[int], Ontology], last: int) -> None:
    found = made(last + 1)
    assert found.fits(f"c{last}", "c1")
    assert not found.fits("c1", f"c{last}")
    assert found.apart(f"c{last}", f"c{last - 1}", never) is (made is tree)
    assert f"c{last}" in found.below("c1")


def test_very_many_declarations_of_one_relation_and_of_many() -> None:
    classes = [ClassDeclared(f"c{n}", disjoint=(f"c{n - 1}",)) for n in range(50_000)]
    relations = [RelationDeclared(f"r{n}", ((f"c{n}",),), ((f"c{n + 1}",),)) for n in range(50_000)]
    vocabulary = Vocabulary(Ontology.of(classes, relations))
    assert not vocabulary.clash(end("r7"), start("r8"))
    assert vocabulary.clash(end("r7"), start("r9"))
    assert vocabulary.starting(end("r7")) == ["r8"]
    assert vocabulary.way(end("r7"), members("c9")) == ["r8"]
