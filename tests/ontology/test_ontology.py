"""How relations meet, and what follows from declarations: without a database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustuqa_neo4j.model.facts import ClassDeclared, RelationDeclared
from trustuqa_neo4j.ontology.join_statistics import (
    CharacteristicSet,
    JoinStatistics,
    RelationEnd,
    count_joins,
)
from trustuqa_neo4j.ontology.ontology import Ontology
from trustuqa_neo4j.ontology.schema_knowledge import SchemaKnowledge, TailStatistics


def start(relation: str) -> RelationEnd:
    return RelationEnd("start", relation)


def end(relation: str) -> RelationEnd:
    return RelationEnd("end", relation)


def members(name: str) -> RelationEnd:
    return RelationEnd("class", name)


NAMES = st.lists(st.sampled_from("pqrs"), unique=True).map(sorted).map(tuple)
NODES = st.lists(st.tuples(NAMES, NAMES, NAMES, st.booleans(), st.integers(1, 3)), max_size=12)
ENDS = [RelationEnd(which, name) for which in ("start", "end", "class") for name in "pqrst"]  # type: ignore[arg-type]


@given(NODES)
def test_join_statistics_count_nodes(groups: list[tuple[tuple[str, ...], ...]]) -> None:
    alike = [CharacteristicSet(*group) for group in groups]  # type: ignore[call-arg, arg-type]
    nodes = [
        (
            {*map(start, group.starts), *map(end, group.ends), *map(members, group.classes)},
            group.is_nameless,
        )
        for group in alike
        for _ in range(group.nodes)
    ]
    counted = count_joins(alike)
    parameters = counted.to_parameters()
    assert JoinStatistics.from_parameters(**parameters).to_parameters() == parameters  # type: ignore[arg-type]
    for joins in (counted, JoinStatistics.from_parameters(**parameters)):  # type: ignore[arg-type]
        for first in ENDS:
            assert joins.count_nodes(first) == sum(first in ends for ends, _ in nodes)
            assert joins.count_nameless(first) == sum(
                first in ends and nameless for ends, nameless in nodes
            )
            for second in ENDS:
                assert joins.count_shared(first, second) == sum(
                    {first, second} <= ends for ends, _ in nodes
                )


def test_names_with_any_character() -> None:
    joins = count_joins([CharacteristicSet(("a\x1fb", "", "é\n"), ("\x1f",), (), False, 2**31)])
    restored = JoinStatistics.from_parameters(**joins.to_parameters())  # type: ignore[arg-type]
    assert [*restored.ends] == [start("a\x1fb"), start(""), start("é\n"), end("\x1f")]
    assert restored.count_shared(start("a\x1fb"), end("\x1f")) == 2**31


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
def test_relations_of_an_end_agree_with_pairwise_comparison(
    classes: list[ClassDeclared],
    relations: list[RelationDeclared],
    groups: list[tuple[tuple[str, ...], ...]],
) -> None:
    """Found by the classes that they start from and lead to: the same as comparing one by one."""
    tails = {name: TailStatistics(count) for count, name in enumerate("pqs")}
    joins = count_joins(CharacteristicSet(*group) for group in groups)  # type: ignore[call-arg, arg-type]
    schema = SchemaKnowledge(Ontology.from_declarations(classes, relations), joins, tails)
    order = sorted(
        {*tails, *schema.ontology.relations},
        key=lambda name: (-tails.get(name, TailStatistics()).facts, name),
    )
    ends = [
        *(RelationEnd(which, name) for which in ("start", "end") for name in "pqrst"),
        *map(members, "ABCDX"),
    ]  # type: ignore[arg-type]
    for source in ends:
        starting = [name for name in order if schema.is_possible_join(source, start(name))]
        assert schema.relations_from(source) == starting
        assert schema.relations_to(source) == [
            name for name in order if schema.is_possible_join(source, end(name))
        ]
        for target in ends:
            assert schema.is_possible_join(source, target) == schema.is_possible_join(
                target, source
            )
            leading = [name for name in order if schema.is_possible_join(target, end(name))]
            paths = [[name] for name in starting if name in leading] + [
                [name, second]
                for name in starting
                for second in leading
                if schema.is_possible_join(end(name), start(second))
            ]
            assert schema.find_path(source, target) == (paths[0] if paths else [])


# What follows from declarations.


def never(first: str, second: str) -> bool:
    return False


def test_classes_in_a_circle() -> None:
    circle = [ClassDeclared(f"c{n}", (f"c{(n + 1) % 5}",)) for n in range(5)]
    ontology = Ontology.from_declarations(
        [*circle, ClassDeclared("own", ("own",), ("own",)), ClassDeclared("other")], ()
    )
    assert ontology.superclasses("c0") == ontology.subclasses("c3") == {f"c{n}" for n in range(5)}
    assert ontology.is_subclass("c1", "c0")
    assert ontology.superclasses("own") == ontology.subclasses("own") == {"own"}
    assert not ontology.are_disjoint("own", "own", never)
    assert ontology.are_disjoint("own", "other", never)
    assert not ontology.are_disjoint("c0", "unheard of", never)


def test_relations_in_a_circle() -> None:
    ontology = Ontology.from_declarations(
        [ClassDeclared("r", ("r",))],
        [RelationDeclared("r", (("r",),), (("r",),), parents=("q", "r")),
         RelationDeclared("q", (("A", "B"),), (("Thing", "A"), ()), parents=("r",))],
    )  # fmt: skip
    assert ontology.domains("r") == (("r",), ("A", "B"))
    assert ontology.domains("q") == (("A", "B"), ("r",))
    assert ontology.ranges("q") == ontology.ranges("r") == (("r",),)
    schema = SchemaKnowledge(ontology)
    assert not schema.is_impossible_join(start("r"), end("r"))
    assert schema.describe_nodes(start("r")) == "a r"


def test_contradictory_declarations() -> None:
    """What nothing can be, nothing is: the relation is empty, unless the data shows that it is not."""
    ontology = Ontology.from_declarations(
        [ClassDeclared("A", disjoint=("B",)), ClassDeclared("B"), ClassDeclared("C", ("A", "B"))],
        [RelationDeclared("r", (), (("A",), ("B",)), False), RelationDeclared("s", (("A",),)),
         RelationDeclared("v", (), (("A",),), True), RelationDeclared("v", (), (), False)],
    )  # fmt: skip
    declared = SchemaKnowledge(ontology)
    assert declared.is_impossible_join(end("r"), start("s"))
    assert declared.has_values(end("v"))  # who says it first is heard
    with_node = replace(
        declared, joins=count_joins([CharacteristicSet(("s",), ("r",), (), False, 1)])
    )
    assert not with_node.is_impossible_join(end("r"), start("s"))
    with_member = replace(
        declared, joins=count_joins([CharacteristicSet((), (), ("A", "B"), False, 1)])
    )
    assert not with_member.is_impossible_join(end("r"), start("s"))


def chain(count: int) -> Ontology:
    return Ontology.from_declarations(
        (ClassDeclared(f"c{n}", (f"c{n - 1}",)) for n in range(1, count)), ()
    )


def tree(count: int) -> Ontology:
    return Ontology.from_declarations(
        (ClassDeclared(f"c{n}", (f"c{n // 2}",)) for n in range(1, count)), ()
    )


@pytest.mark.parametrize(("make", "last"), [(tree, 99_999), (chain, 99_999)])
def test_very_many_axioms(make: Callable[[int], Ontology], last: int) -> None:
    ontology = make(last + 1)
    assert ontology.is_subclass(f"c{last}", "c1")
    assert not ontology.is_subclass("c1", f"c{last}")
    assert ontology.are_disjoint(f"c{last}", f"c{last - 1}", never) is (make is tree)
    assert f"c{last}" in ontology.subclasses("c1")


def test_very_many_declarations_of_one_relation_and_of_many() -> None:
    classes = [ClassDeclared(f"c{n}", disjoint=(f"c{n - 1}",)) for n in range(50_000)]
    relations = [RelationDeclared(f"r{n}", ((f"c{n}",),), ((f"c{n + 1}",),)) for n in range(50_000)]
    schema = SchemaKnowledge(Ontology.from_declarations(classes, relations))
    assert not schema.is_impossible_join(end("r7"), start("r8"))
    assert schema.is_impossible_join(end("r7"), start("r9"))
    assert schema.relations_from(end("r7")) == ["r8"]
    assert schema.find_path(end("r7"), members("c9")) == ["r8"]
