"""The bodies of requests to the API."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from ..questions.options import OPTIONS

MAX_TEXT = 20_000

_Datasets = Annotated[
    Annotated[str, Field(min_length=1)] | Annotated[list[str], Field(min_length=1)] | None,
    Field(description="A dataset, or several; null: chosen by the question."),
]
_Query = Annotated[
    str, Field(min_length=1, max_length=MAX_TEXT, description="Steps in the query language.")
]
_Question = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]


def _fields(*names: str) -> dict[str, Any]:
    """Fields of a body for rows of the table of options."""
    return {name: (OPTIONS[name].json_type, Field(**OPTIONS[name].schema)) for name in names}


class _Body(BaseModel):
    # A misspelt option would be ignored in silence.
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    @property
    def options(self) -> dict[str, Any]:
        """The options of the table."""
        return {name: value for name, value in self.model_dump().items() if name in OPTIONS}


class _QuestionBody(_Body):
    question: _Question
    dataset: _Datasets = None


class _QueryBody(_Body):
    query: _Query
    dataset: _Datasets = None


class _CheckedBody(_QueryBody):
    question: Annotated[
        str | None,
        Field(
            max_length=MAX_TEXT, description="Warns of what it mentions and the query does not use."
        ),
    ] = None


class _TaughtBody(_Body):
    question: _Question
    query: _Query


AskBody = create_model(
    "AskBody", __base__=_QuestionBody, __doc__="A question in plain words.",
    **_fields(*(name for name, row in OPTIONS.items() if row.http is not None)),
)  # fmt: skip
RunBody = create_model(
    "RunBody", __base__=_QueryBody, __doc__="A query to run.",
    **_fields("source", "evidence", "limit", "inference", "timeout"),
)  # fmt: skip
CheckBody = create_model(
    "CheckBody", __base__=_CheckedBody, __doc__="A query to check; nothing is run.",
    **_fields("source", "inference", "timeout"),
)  # fmt: skip
TeachBody = create_model(
    "TeachBody", __base__=_TaughtBody, __doc__="A question with the query that answers it.",
    **_fields("source"),
)  # fmt: skip
