"""Sets of cells and of nodes."""

from __future__ import annotations

import pytest
from support.cells import cells, nodes, texts

from trustuqa_neo4j.reasoning import sets
from trustuqa_neo4j.reasoning.results import Cell, Nodes


def test_distinct_members() -> None:
    assert texts(sets.distinct_cells(cells("a", "A", "1,000", "1000.0", "b"))) == [
        "a",
        "1,000",
        "b",
    ]
    assert texts(sets.distinct_cells(cells("5 km", "5"))) == ["5 km", "5"]
    assert sets.distinct_cells(()) == ()


def test_nodes_with_one_name_stay_apart() -> None:
    assert len(sets.distinct_cells(nodes("a", "a"))) == 2
    assert len(sets.distinct_cells((*nodes("a"), *nodes("a")))) == 1


def test_name_and_its_node_are_one_member() -> None:
    result = sets.distinct_cells((*cells("b", "x"), *nodes("a", "B", "7"), *cells("A", "7.0")))
    assert [(cell.text, cell.node) for cell in result] == [
        ("x", None),
        ("a", 1),
        ("B", 2),
        ("7", 3),
    ]


def test_sets_of_names_and_values() -> None:
    first, second = cells("a", "b", "1,000", "b"), cells("B", "c", "1000")
    assert texts(sets.intersect_cells([first, second])) == ["b", "1,000"]
    assert texts(sets.unite_cells([first, second])) == ["a", "b", "1,000", "c"]
    assert texts(sets.subtract_cells([first, second])) == ["a"]
    assert texts(sets.subtract_cells([first, second, cells("A")])) == []
    assert texts(sets.intersect_cells([first])) == ["a", "b", "1,000"]


def test_sets_of_nodes_and_names() -> None:
    members = nodes("Bea", "Cid", "850", "1999-03-05")
    assert texts(sets.intersect_cells([members, cells("bea", "-850")])) == ["Bea"]
    assert texts(sets.intersect_cells([members, cells("850.0")])) == ["850"]
    assert texts(sets.intersect_cells([members, cells("1999")])) == ["1999-03-05"]
    assert texts(sets.intersect_cells([cells("cid", "850.0", "x"), members])) == ["cid", "850.0"]
    assert texts(sets.intersect_cells([members, cells("x", "1999-03-06")])) == []
    assert texts(sets.subtract_cells([members, cells("CID")])) == ["Bea", "850", "1999-03-05"]


def test_sets_with_nodes_and_names() -> None:
    first, second = (*nodes("a", "b"), *cells("x")), (*nodes("a"), *cells("X", "y"))
    assert texts(sets.intersect_cells([first, second])) == ["a", "x"]
    assert texts(sets.subtract_cells([first, second])) == ["b"]


def test_nodes_of_several_datasets_are_joined_by_name() -> None:
    first, second = nodes("Perth", "Fife"), nodes("PERTH", begin=7)
    assert texts(sets.intersect_cells([first, second])) == []
    assert texts(sets.intersect_cells([first, second], by_name=True)) == ["Perth"]
    assert texts(sets.subtract_cells([first, second], by_name=True)) == ["Fife"]
    assert texts(sets.intersect_cells([nodes("-5"), nodes("5", begin=7)], by_name=True)) == []


def test_combined_nodes() -> None:
    first, second = Nodes((3, 1, 3, 2), (30, 10, 31, 20)), Nodes((2, 3), (40, 41))
    assert sets.intersect_nodes([first, second]) == Nodes((3, 2), (30, 20))
    assert sets.subtract_nodes([first, second]) == Nodes((1,), (10,))
    assert sets.unite_nodes([second, first]) == Nodes((2, 3, 1), (40, 41, 10))
    assert sets.intersect_nodes([first, second, Nodes((2,))]) == Nodes((2,), (20,))
    assert sets.subtract_nodes([first, second, Nodes((1,))]) == Nodes()


def test_origins_are_complete_or_empty() -> None:
    result = sets.unite_nodes([Nodes((1,), (10,)), Nodes((2,))])
    assert result == Nodes((1, 2), ())


@pytest.mark.parametrize("is_reversed", [False, True])
def test_intersection_of_rows_and_their_cells(is_reversed: bool) -> None:
    rows, cells_ = Nodes((10, 20, 30)), Nodes((1, 2), (20, 40))
    sets_of_nodes = [cells_, rows] if is_reversed else [rows, cells_]
    assert sets.intersect_nodes(sets_of_nodes) == Nodes((20,))
    assert sets.intersect_nodes([rows, Nodes((1,), (40,))]) == Nodes()


def test_difference_of_rows_and_their_cells() -> None:
    rows, cells_ = Nodes((10, 20, 30)), Nodes((1, 2), (20, 40))
    assert sets.subtract_nodes([rows, cells_]) == Nodes((10, 30))
    assert sets.subtract_nodes([cells_, rows]) == Nodes((2,), (40,))
    assert sets.subtract_nodes([rows, Nodes((1,), (40,))]) == rows
    assert sets.subtract_nodes([Nodes((1, 1, 2), (20, 40, 20)), rows]) == Nodes((1,), (40,))


def test_cell_identity() -> None:
    assert Cell("5", node=4).identity == ("node", 4)
    assert cells("5.0 km")[0].identity == ("number", 5.0, "km")
    assert cells("Zoë")[0].identity == ("text", "zoe")
