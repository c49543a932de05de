"""The bodies of requests to the API."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from ..curation.api import MAX_WHY
from ..model.demonstration import Demonstration
from ..questions.options import OPTIONS, AskOptions, CheckOptions, QueryOptions

MAX_TEXT = 20_000

_Datasets = Annotated[
    Annotated[str, Field(min_length=1)] | Annotated[list[str], Field(min_length=1)] | None,
    Field(description="A dataset, or several; null: chosen by the question."),
]
_Query = Annotated[
    str, Field(min_length=1, max_length=MAX_TEXT, description="Steps in the query language.")
]
_Question = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]


def _fields(kind: type) -> dict[str, Any]:
    """The fields of a body for the options of ``kind`` that HTTP has."""
    rows = {name: row for name, row in OPTIONS.items() if name in kind.__annotations__}
    return {
        name: (row.json_type, Field(**row.schema))
        for name, row in rows.items()
        if row.http is not None
    }


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


class TeachBody(_Body):
    """A question with the query that answers it."""

    question: _Question
    query: _Query
    source: Annotated[str | None, Field(description=OPTIONS["source"].help)] = None

    @property
    def demonstration(self) -> Demonstration:
        return Demonstration(self.question, self.query, **self.options)


class FeedbackBody(TeachBody):
    """A question with a query that does not answer it."""

    why: Annotated[str, Field(max_length=MAX_WHY, description="What is wrong.")] = ""

    @property
    def demonstration(self) -> Demonstration:
        return replace(super().demonstration, why=self.why)


class RenameBody(_Body):
    """The new name of a dataset."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]


AskBody: type[_QuestionBody] = create_model(
    "AskBody",
    __base__=_QuestionBody,
    __doc__="A question in plain words.",
    **_fields(AskOptions),
)
RunBody: type[_QueryBody] = create_model(
    "RunBody", __base__=_QueryBody, __doc__="A query to run.", **_fields(QueryOptions)
)
CheckBody: type[_CheckedBody] = create_model(
    "CheckBody",
    __base__=_CheckedBody,
    __doc__="A query to check; nothing is run.",
    **_fields(CheckOptions),
)
