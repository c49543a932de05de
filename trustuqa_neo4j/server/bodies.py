"""The bodies of requests to the API."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

MAX_TEXT = 20_000
MAX_FACTS = 10_000

_Datasets = Annotated[
    Annotated[str, Field(min_length=1)] | Annotated[list[str], Field(min_length=1)] | None,
    Field(description="A dataset, or several; null: chosen by the question."),
]
_Source = Annotated[str | None, Field(description="One table or graph of the dataset.")]
_Evidence = Annotated[int, Field(ge=0, le=MAX_FACTS, description="Facts in the answer, at most.")]
_Limit = Annotated[int | None, Field(ge=1, description="Values or rows in the answer, at most.")]
_Inference = Annotated[
    bool, Field(description="Count facts that follow from stored ones by the ontology.")
]
_Timeout = Annotated[
    float | None,
    Field(ge=0.1, le=86_400, description="Seconds; the server has a limit of its own."),
]
_Query = Annotated[
    str, Field(min_length=1, max_length=MAX_TEXT, description="Steps in the query language.")
]
_Question = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]


class _Body(BaseModel):
    # A misspelt option would be ignored in silence.
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


class AskBody(_Body):
    """A question in plain words."""

    question: _Question
    dataset: _Datasets = None
    source: _Source = None
    evidence: _Evidence = 50
    limit: _Limit = None
    inference: _Inference = True
    timeout: _Timeout = None
    reader: Annotated[
        bool, Field(description="False: only demonstrations and the model answer.")
    ] = True
    pick: Annotated[
        int | None, Field(ge=1, description="Run this one of the readings, from 1.")
    ] = None
    fields: Annotated[
        dict[str, str], Field(description="Restricts the demonstrations, as `--field` does.")
    ] = Field(default_factory=dict)
    entities: Annotated[
        list[str], Field(max_length=100, description="Names that the question means.")
    ] = Field(default_factory=list)


class RunBody(_Body):
    """A query to run."""

    query: _Query
    dataset: _Datasets = None
    source: _Source = None
    evidence: _Evidence = 50
    limit: _Limit = None
    inference: _Inference = True
    timeout: _Timeout = None


class CheckBody(_Body):
    """A query to check; nothing is run."""

    query: _Query
    dataset: _Datasets = None
    source: _Source = None
    question: Annotated[
        str | None,
        Field(
            max_length=MAX_TEXT, description="Warns of what it mentions and the query does not use."
        ),
    ] = None
    inference: _Inference = True
    timeout: _Timeout = None


class TeachBody(_Body):
    """A question with the query that answers it."""

    question: _Question
    query: _Query
    source: _Source = None
