"""The table of options: every front has its rows, with the same range and the same refusal."""

from __future__ import annotations

import re
from numbers import Integral, Real
from typing import Any

import click
import pytest
from pydantic import ValidationError

from trustuqa_neo4j.cli import ask
from trustuqa_neo4j.cli.question_options import TableOption
from trustuqa_neo4j.errors import ForbiddenByPrivacy, UsageError
from trustuqa_neo4j.model.dataset import Scope
from trustuqa_neo4j.option import ANYTHING, GROUPS, NAMES, OBJECT, SWITCH, OptionRow
from trustuqa_neo4j.questions.options import (
    OPTIONS,
    AskOptions,
    AskRequest,
    CheckOptions,
    QueryOptions,
    read_options,
)
from trustuqa_neo4j.server.bodies import AskBody, CheckBody, RunBody

ROWS = [pytest.param(name, row, id=name) for name, row in OPTIONS.items()]
CHECKED = [param for param in ROWS if OPTIONS[str(param.id)].kind is not ANYTHING]
PARAMETERS = {p.name: p for p in ask.command.params if isinstance(p, TableOption)}


def bad_values(row: OptionRow) -> list[Any]:
    """A value of another type, and one beyond each end of the range."""
    kind = row.kind
    beyond: list[Any] = [{Integral: 1.5, Real: "high", str: " ", bool: "yes"}.get(kind.type, 3)]
    if kind.least is not None:
        beyond.append(kind.least - 1)
    if kind.most is not None:
        beyond.append(kind.most + 1)
    if kind.above is not None:
        beyond.append(kind.above)
    return beyond


def read_in_shell(name: str, *words: str) -> Any:
    """The value of an option, as the client gets it."""
    context = ask.command.make_context("ask", ["who?", *words])
    return context.params[name]


def test_type_checkers_read_the_same_keywords() -> None:
    static = {name: ref.__forward_arg__ for name, ref in AskOptions.__annotations__.items()}
    annotations = (
        AskRequest.__annotations__
        | AskRequest.__dataclass_fields__["parameters"].default_factory.__annotations__
    )  # type: ignore[union-attr]
    assert static == {name: annotations[name] for name in OPTIONS}


@pytest.mark.parametrize(("name", "row"), ROWS)
def test_the_default_is_allowed_and_none_means_it(name: str, row: OptionRow) -> None:
    if row.default is not None:
        assert row.kind.accepts(row.default)
    request = AskRequest("who?", Scope(("films",)), **read_options({name: None}))
    holder = request if hasattr(request, name) else request.parameters
    assert getattr(holder, name) == row.default
    assert row.help.endswith(".")
    assert row.group in GROUPS


@pytest.mark.parametrize(("name", "row"), CHECKED)
def test_python_refuses_what_is_out_of_range(name: str, row: OptionRow) -> None:
    for value in bad_values(row):
        message = re.escape(f"{name}={value!r} is not {row.kind.words}\nhint: leave {name} out")
        with pytest.raises(UsageError, match=message):
            read_options({name: value})


@pytest.mark.parametrize(("name", "row"), ROWS)
def test_the_shell_has_the_same_option(name: str, row: OptionRow) -> None:
    assert (name in PARAMETERS) == bool(row.shell)
    if not row.shell or name == "evidence":  # its number depends on --picture
        return
    flag, _, value = row.shell.partition(" ")
    assert PARAMETERS[name].opts == [flag]
    assert read_in_shell(name) == row.default
    if row.kind is SWITCH:
        words = {"on|off": ["off" if row.default else "on"], "": []}.get(value, [value])
        assert read_in_shell(name, flag, *words) is not row.default
    elif row.kind.type in (Integral, Real):
        for number in bad_values(row):
            with pytest.raises(click.BadParameter, match=str(number)) as caught:
                read_in_shell(name, flag, str(number))
            assert flag in caught.value.format_message()


@pytest.mark.parametrize(("name", "row"), ROWS)
def test_a_field_of_http_has_the_same_range(name: str, row: OptionRow) -> None:
    assert (name in AskBody.model_fields) == (row.http is not None)
    if row.http is None:
        return
    schema = AskBody.model_json_schema()["properties"][name]
    assert schema["description"] == row.help
    assert schema["default"] == row.schema["default"]
    values = bad_values(row)[1:] if row.kind in (SWITCH, NAMES, OBJECT) else bad_values(row)
    for value in values:
        if value == " ":
            continue  # text may be empty here, and Python refuses it
        with pytest.raises(ValidationError, match=name):
            AskBody(question="who?", **{name: value})


def test_a_misspelt_option_gets_the_nearest_name() -> None:
    with pytest.raises(TypeError, match="no option 'vote'; did you mean 'votes'"):
        read_options({"vote": 3})
    with pytest.raises(TypeError, match="no option 'xyzzy'; there are source, inference"):
        read_options({"xyzzy": 3})


def test_a_query_has_options_of_its_own() -> None:
    with pytest.raises(TypeError, match="a query has no option 'votes'; there are source"):
        read_options({"votes": 3}, QueryOptions)
    with pytest.raises(UsageError, match="limit=0 is not a whole number, at least 1"):
        read_options({"limit": 0}, QueryOptions)
    for body, kind in ((RunBody, QueryOptions), (CheckBody, CheckOptions)):
        assert set(kind.__annotations__) & set(AskBody.model_fields) <= set(body.model_fields)


def test_values_that_contradict_each_other() -> None:
    with pytest.raises(ForbiddenByPrivacy, match="leave out llm_function"):
        read_options({"llm_function": True, "private": True})
    with pytest.raises(UsageError, match="an entity without a name"):
        read_options({"entities": [" "]})
    assert read_options({"entities": ["Ada", "Ada"]})["entities"] == ("Ada",)


def test_the_docstring_describes_every_option_in_its_group() -> None:
    blocks = str(AskOptions.__doc__).split("\n\n")
    groups = {title: lines for title, *lines in (block.split("\n") for block in blocks)}
    assert list(groups) == [f"{group}:" for group in GROUPS]
    for name, row in OPTIONS.items():
        assert f"    {name}: {row.help}" in groups[f"{row.group}:"]
