"""The table of functions: what parser, check, plan and prompt rely on."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.language import function_names
from trustuqa_neo4j.language.function_names import (
    FUNCTION_NAMES,
    PARAMETER_NAMES,
    find_function,
    suggest_function,
)
from trustuqa_neo4j.language.functions import FUNCTIONS
from trustuqa_neo4j.matching import suggest_names

GET = FUNCTIONS[0]


def test_names_and_synonyms_are_declared_once() -> None:
    names = [name for f in FUNCTIONS for name in (f.name, *f.synonyms)]
    assert len(set(names)) == len(names) == len(FUNCTION_NAMES)
    for function in FUNCTIONS:
        parameters = [name for p in function.parameters for name in (p.name, *p.synonyms)]
        assert len(set(parameters)) == len(parameters)
        assert set(parameters) <= set(PARAMETER_NAMES)
        assert function.prompt.startswith(f"{function.name}(")


def test_what_a_function_takes_is_declared_without_contradiction() -> None:
    for function in FUNCTIONS:
        assert function.max_operands is None or function.min_operands <= function.max_operands
        assert all(function.parameter(name) for name in function.required)
        assert function.parameters or not function.positional
        assert function.max_operands != 0 or function.parameters


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("get_information", "get_information"),
        ("MEAN", "mean"),
        ("Average", "mean"),
        ("union", "set_union"),
    ],
)
def test_a_function_is_found_by_any_of_its_names(given: str, name: str) -> None:
    function = find_function(given)
    assert function is not None
    assert function.name == name


@pytest.mark.parametrize(
    ("composed", "name"),
    [
        ("get_average", "mean"),
        ("calculateMaxValue", "max"),
        ("count_entities", "count"),
        ("check_if_equal", "equals"),
        ("is_greater_than", "greater_than"),
        ("calculate_difference", "distance"),
        ("calculate_age_difference", "distance"),
        ("years_difference", "year_difference"),
        ("compare_populations", "compare"),
    ],
)
def test_verb_and_noun_do_not_change_a_function(composed: str, name: str) -> None:
    function = find_function(composed)
    assert function is not None
    assert function.name == name


@pytest.mark.parametrize(
    "composed",
    [
        "is_first", "check_count", "percentage_difference", "compare_lower", "get_value", "consecutive_wins",
        "calculate_streak", "find", "compare_all_other_rows",
    ],
)  # fmt: skip
def test_words_that_change_a_function_make_it_unknown(composed: str) -> None:
    assert find_function(composed) is None


def test_no_synonym_is_composed_of_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for function in FUNCTIONS:
        for synonym in function.synonyms:
            monkeypatch.delitem(function_names._BY_NAME, synonym)
            function_names._find_composed.cache_clear()
            assert function_names._find_composed(synonym) is not function, synonym
            monkeypatch.undo()
    function_names._find_composed.cache_clear()


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("head_entity", "head_entity"),
        ("Head", "head_entity"),
        ("TAIL", "tail_entity"),
        ("column", "key"),
    ],
)
def test_a_parameter_is_found_by_any_of_its_names(given: str, name: str) -> None:
    parameter = GET.parameter(given)
    assert parameter is not None
    assert parameter.name == name


def test_what_is_not_declared_is_not_found() -> None:
    assert find_function("get") is None
    assert GET.parameter("head_entities") is None


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("get_info", "get_information"),
        ("Counts", "count"),
        ("set_diference", "set_difference"),
        ("x", None),
        ("x" * 100_000, None),
    ],
)
def test_the_nearest_function_is_suggested(given: str, near: str | None) -> None:
    assert suggest_function(given) == near


def test_the_nearest_of_other_names_is_suggested() -> None:
    names = [parameter.name for parameter in GET.parameters]
    assert suggest_names("tail_entitty", names, 1) == ["tail_entity"]
    assert suggest_names("zzz", names) == []
