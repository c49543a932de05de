"""Sets of cells and of nodes."""

from __future__ import annotations

import pytest
from reasoning_cells import cells, nodes, texts

from trustuqa_neo4j.reasoning import sets
from trustuqa_neo4j.reasoning.results import Cell, Nodes


def test_each_member_once() -> None:
    assert texts(sets.distinct(cells("a", "A", "1,000", "1000.0", "b"))) == ["a", "1,000", "b"]
    assert texts(sets.distinct(cells("5 km", "5"))) == ["5 km", "5"]
    assert sets.distinct(()) == ()


def test_two_nodes_of_one_name_are_two() -> None:
    assert len(sets.distinct(nodes("a", "a"))) == 2
    assert len(sets.distinct((*nodes("a"), *nodes("a")))) == 1


def test_a_name_and_its_node_are_one() -> None:
    found = sets.distinct((*cells("b", "x"), *nodes("a", "B", "7"), *cells("A", "7.0")))
    assert [(cell.text, cell.node) for cell in found] == [("x", None), ("a", 1), ("B", 2), ("7", 3)]


def test_sets_of_names_and_values() -> None:
    one, two = cells("a", "b", "1,000", "b"), cells("B", "c", "1000")
    assert texts(sets.intersection([one, two])) == ["b", "1,000"]
    assert texts(sets.union([one, two])) == ["a", "b", "1,000", "c"]
    assert texts(sets.difference([one, two])) == ["a"]
    assert texts(sets.difference([one, two, cells("A")])) == []
    assert texts(sets.intersection([one])) == ["a", "b", "1,000"]


def test_sets_of_nodes_and_names() -> None:
    there = nodes("Bea", "Cid", "850", "1999-03-05")
    assert texts(sets.intersection([there, cells("bea", "-850")])) == ["Bea"]
    assert texts(sets.intersection([there, cells("850.0")])) == ["850"]
    assert texts(sets.intersection([there, cells("1999")])) == ["1999-03-05"]
    assert texts(sets.intersection([cells("cid", "850.0", "x"), there])) == ["cid", "850.0"]
    assert texts(sets.intersection([there, cells("x", "1999-03-06")])) == []
    assert texts(sets.difference([there, cells("CID")])) == ["Bea", "850", "1999-03-05"]


def test_the_same_nodes_and_names_beside_them() -> None:
    one, two = (*nodes("a", "b"), *cells("x")), (*nodes("a"), *cells("X", "y"))
    assert texts(sets.intersection([one, two])) == ["a", "x"]
    assert texts(sets.difference([one, two])) == ["b"]


def test_nodes_of_several_datasets_are_joined_by_name() -> None:
    one, two = nodes("Perth", "Fife"), nodes("PERTH", begin=7)
    assert texts(sets.intersection([one, two])) == []
    assert texts(sets.intersection([one, two], by_name=True)) == ["Perth"]
    assert texts(sets.difference([one, two], by_name=True)) == ["Fife"]
    assert texts(sets.intersection([nodes("-5"), nodes("5", begin=7)], by_name=True)) == []


def test_sets_of_nodes_alone() -> None:
    one, two = Nodes((3, 1, 3, 2), (30, 10, 31, 20)), Nodes((2, 3), (40, 41))
    assert sets.of_nodes("set_intersection", [one, two]) == Nodes((3, 2), (30, 20))
    assert sets.of_nodes("set_difference", [one, two]) == Nodes((1,), (10,))
    assert sets.of_nodes("set_union", [two, one]) == Nodes((2, 3, 1), (40, 41, 10))
    assert sets.of_nodes("set_intersection", [one, two, Nodes((2,))]) == Nodes((2,), (20,))
    assert sets.of_nodes("set_difference", [one, two, Nodes((1,))]) == Nodes()


def test_origins_are_known_of_all_or_of_none() -> None:
    found = sets.of_nodes("set_union", [Nodes((1,), (10,)), Nodes((2,))])
    assert found == Nodes((1, 2), ())


@pytest.mark.parametrize("turned", [False, True])
def test_rows_and_cells_have_those_rows_in_common_that_the_cells_stand_for(turned: bool) -> None:
    rows, cells_ = Nodes((10, 20, 30)), Nodes((1, 2), (20, 40))
    given = [cells_, rows] if turned else [rows, cells_]
    assert sets.of_nodes("set_intersection", given) == Nodes((20,))
    assert sets.of_nodes("set_intersection", [rows, Nodes((1,), (40,))]) == Nodes()


def test_rows_without_those_that_cells_stand_for() -> None:
    rows, cells_ = Nodes((10, 20, 30)), Nodes((1, 2), (20, 40))
    assert sets.of_nodes("set_difference", [rows, cells_]) == Nodes((10, 30))
    assert sets.of_nodes("set_difference", [cells_, rows]) == Nodes((2,), (40,))
    assert sets.of_nodes("set_difference", [rows, Nodes((1,), (40,))]) == rows
    assert sets.of_nodes("set_difference", [Nodes((1, 1, 2), (20, 40, 20)), rows]) == Nodes(
        (1,), (40,)
    )


def test_what_cells_stand_for() -> None:
    assert Cell("5", node=4).identity == ("node", 4)
    assert cells("5.0 km")[0].identity == ("number", 5.0, "km")
    assert cells("Zoë")[0].identity == ("text", "zoe")
