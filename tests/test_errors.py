"""Kind, text and exit code of errors."""

from __future__ import annotations

import copy
import inspect
import pickle

import pytest

from trustuqa_neo4j import errors
from trustuqa_neo4j.errors import (
    AskingError,
    DatabaseError,
    DataError,
    ModelError,
    TrustUQAError,
    UnknownDataset,
    UsageError,
)

ALL = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, TrustUQAError)
]


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, "no dataset 'x'"),
        ({"where": "here"}, "no dataset 'x', here"),
        ({"hint": "look"}, "no dataset 'x'\nhint: look"),
        ({"where": "here", "hint": "look"}, "no dataset 'x', here\nhint: look"),
    ],
)
def test_an_error_says_what_where_and_what_to_try(parts: dict[str, str], text: str) -> None:
    error = UnknownDataset("no dataset 'x'", **parts)
    assert str(error) == text
    assert (error.what, error.where, error.hint) == (
        "no dataset 'x'",
        parts.get("where", ""),
        parts.get("hint", ""),
    )
    assert error.args == (error.what, error.where, error.hint)


KINDS = {
    "AuthenticationFailed": "authentication failed",
    "BadSettings": "bad settings",
    "DataError": "data error",
    "EmbeddedError": "embedded error",
    "MissingExtra": "missing extra",
    "ReadOnlyServer": "read only server",
    "ServerDidNotStop": "server did not stop",
    "TimedOut": "timed out",
    "TrustUQAError": "trust UQA error",
}


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_the_kind_is_the_name_in_words(name: str, kind: str) -> None:
    assert getattr(errors, name)("x").kind == kind


def test_no_two_errors_have_one_kind() -> None:
    assert len({kind("x").kind for kind in ALL}) == len(ALL)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_the_exit_code_is_that_of_the_family(kind: type[TrustUQAError]) -> None:
    families: dict[type[TrustUQAError], int] = {
        UsageError: 2,
        DataError: 1,
        AskingError: 1,
        errors.Cancelled: 1,
        errors.InternalError: 1,
        ModelError: 3,
        DatabaseError: 3,
    }
    codes = [code for family, code in families.items() if issubclass(kind, family)]
    assert kind.exit_code == (codes[0] if codes else 1)
    assert len(codes) == (kind is not TrustUQAError)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_error_says_when_it_is_raised(kind: type[TrustUQAError]) -> None:
    assert (kind.__doc__ or "").endswith(".")


def test_errors_can_be_copied_and_sent_to_other_processes() -> None:
    error = errors.UnknownDataset("no dataset 'x'", where="here", hint="look")
    for other in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert (type(other), str(other)) == (errors.UnknownDataset, str(error))


def test_lists_that_are_cut() -> None:
    names = ["a", "b", "c", "d"]
    assert errors.format_list(names, 4) == "a, b, c, d"
    assert errors.format_list(names, 2) == "a, b and 2 more"
    assert errors.format_list(names, 3, conjunction="or") == "a or b or c or 1 more"
    assert errors.format_list(names[:2], 3, total=5000) == "a, b and 4,998 more"
    assert errors.format_list([], 3) == ""
    assert errors.format_rest(4, 4, "row", "--json prints all") == ""
    assert (
        errors.format_rest(5, 4, "class", "--json prints all")
        == "… 1 more class (--json prints all)"
    )
    assert errors.format_rest(5001, 4, "class") == "… 4,997 more classes"
    assert errors.format_rest(6, 4) == "… 2 more"
    assert (
        errors.format_count(1, "row") + errors.format_count(2000, "class") == "1 row2,000 classes"
    )
