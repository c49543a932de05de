"""The options of a question: one table, from which every front makes its own.

A new option is a field of ``AskRequest``, and a key of ``AskOptions`` for type checkers.
"""

# ruff: noqa: RUF009  # an option is a field

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from ..deadline import TIMEOUT
from ..errors import ForbiddenByPrivacy, UsageError
from ..evidence import EVIDENCE
from ..llm.budget import PROMPT_BUDGET
from ..llm.parameters import PARAMETERS, ModelParameters
from ..matching import ask_for_nearest
from ..option import (
    ANYTHING,
    GROUPS,
    LIMITS,
    MODEL,
    NAMES,
    OBJECT,
    OUTPUT,
    PAST,
    PROMPT,
    QUESTION,
    SWITCH,
    TEXT,
    OptionRow,
    choice,
    list_options,
    number,
    option,
    whole,
)
from ..wording import name_option
from .past_question import Followed, PastQuestion

if TYPE_CHECKING:
    from threading import Event

    from ..llm.client import ModelWish
    from ..model.dataset import Scope
    from ..prompts.repair import RepairMode
    from ..trace import Listener


# Type checkers read the keys; ``OPTIONS`` describes them, and a test compares the two.


class CheckOptions(TypedDict, total=False):
    source: str | None
    inference: bool
    timeout: float
    cancelled: Event | None


class QueryOptions(CheckOptions, total=False):
    evidence: int
    limit: int | None
    listen: Listener | None


class AskOptions(QueryOptions, total=False):
    entities: Sequence[str]
    fields: Mapping[str, str]
    reader: bool
    demonstrations: bool
    pick: int | None
    follows: Followed | None
    llm: ModelWish
    base_url: str | None
    fallback: bool
    model_precision: float
    votes: int
    retries: int
    repair: RepairMode
    llm_function: bool
    prose: bool
    structured: bool
    keep: bool
    max_calls: int | None
    max_tokens: int | None
    min_confidence: float
    min_similarity: float
    examples: int
    candidates: int
    prompt_tokens: int
    private: bool
    temperature: float | None
    seed: int | None
    reply_tokens: int | None
    reasoning_effort: str | None
    extra_body: Mapping[str, Any] | None


MODEL_WORK = {
    "llm_function": "compute with values of the data", "prose": "word the values of the answer"
}  # fmt: skip
"""Options that let a model do more than write queries, with that work; it is sent values for it."""

MODEL_PRECISION = 0.55  # assumed: enough for an answer, and below those of which the reader is sure


# fmt: off
@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question with its options.

    ``scope`` is the data that may be used; ``is_chosen``: the caller named it. ``neighbours`` are datasets
    that know words of the question too, for a question that needs two of them.
    """

    question: str
    scope: Scope
    is_chosen: bool = True
    source: str | None = option(
        None, TEXT, QUESTION, "--source NAME",
        "Query only this source, a table or graph of the dataset.", http={})
    entities: Sequence[str] = option(
        (), NAMES, QUESTION, "--entity NAME", "Name of an entity that the question means; repeatable.",
        http={"default": [], "max_length": 100})
    fields: Mapping[str, str] = option(
        {}, OBJECT, QUESTION, "", "Use only demonstrations with these fields.", http={})
    reader: bool = option(
        True, SWITCH, QUESTION, "--reader on|off",
        "Read a question with the words of the data: to answer it, or as hints for a model.", http={})
    demonstrations: bool = option(
        True, SWITCH, QUESTION, "", "False: the semantic parser alone answers.")
    pick: int | None = option(
        None, whole(1), QUESTION, "--pick N", "Run this one of the readings that were offered.", http={})
    follows: Followed | None = option(
        None, PAST, QUESTION, "",
        "The answer that the question follows: its question, llm_query, datasets and source.", http={})
    inference: bool = option(
        True, SWITCH, QUESTION, "--no-inference", "Count facts that follow from stored ones by the ontology.",
        off="Count only stored facts, not those that follow from them by the ontology.", http={})
    llm: ModelWish = option(
        None, ANYTHING, MODEL, "--llm MODEL",
        "What writes the query: demonstrations, or a model (openai:NAME).", note="env: TUQA_LLM")
    base_url: str | None = option(
        None, ANYTHING, MODEL, "--base-url URL", "Address of the server of the model.",
        note="env: OPENAI_BASE_URL")
    fallback: bool = option(
        True, SWITCH, MODEL, "--fallback on|off", "If the model fails, answer without it.")
    model_precision: float = option(
        MODEL_PRECISION, number(0, 1), MODEL, "--model-precision X",
        "Assumed share of right answers of the model where the reader is not sure, from 0 to 1.")
    votes: int = option(
        1, whole(1, 100), MODEL, "--votes N",
        "Number of queries from the model; the most frequent answer wins.")
    retries: int = option(
        3, whole(0, 10), MODEL, "--retries N", "How often a wrong query is sent back to the model.")
    repair: RepairMode = option(
        "full", choice("full", "paper"), MODEL, "--repair-prompt full|paper",
        "Send it back with question and schema (full) or without them (paper).")
    llm_function: bool = option(
        False, SWITCH, MODEL, "--llm-function",
        "Let the model compute what the engine cannot, with values of the data; the answer says so.")
    prose: bool = option(
        False, SWITCH, MODEL, "--prose",
        "Let the model word the answer in a sentence, from its values; the sentence is marked.", http={})
    structured: bool = option(
        False, SWITCH, MODEL, "--structured",
        "Let replies keep to a JSON Schema with the relations of the data.")
    parameters: ModelParameters = field(default_factory=ModelParameters)
    keep: bool = option(
        True, SWITCH, MODEL, "--no-cache", "Read and write the cache of model replies.",
        off="Do not read or write the cache of model replies.")
    timeout: float = option(
        TIMEOUT, number(above=0), LIMITS, "--timeout S", "Maximum time for one question, in seconds.",
        http={"default": None, "ge": 0.1, "le": 86_400})
    cancelled: Event | None = option(
        None, ANYTHING, LIMITS, "", "An event that ends the question when it is set.")
    max_calls: int | None = option(
        None, whole(0), LIMITS, "--max-calls N", "Maximum number of requests to the model.")
    max_tokens: int | None = option(
        None, whole(0), LIMITS, "--max-tokens N", "Maximum number of tokens of the model.")
    min_confidence: float = option(
        0.0, number(0, 1), LIMITS, "--min-confidence X", "Reject answers with less confidence, from 0 to 1.")
    min_similarity: float = option(
        0.6, number(0, 1), LIMITS, "--min-similarity S",
        "A query with a name that was read as a less similar one goes back to the model once.")
    examples: int = option(
        8, whole(0), PROMPT, "--examples K",
        "Number of demonstrations for a model; with fewer, as many worked examples are added.")
    candidates: int = option(
        16, whole(1), PROMPT, "--candidates M",
        "Number of demonstrations that each search finds; the most similar examples are shown.")
    prompt_tokens: int = option(
        PROMPT_BUDGET, whole(1), PROMPT, "--prompt-tokens N", "Maximum number of tokens of a prompt.")
    private: bool = option(
        False, SWITCH, PROMPT, "--private schema-only", "Send the model only the schema, no data.")
    evidence: int = option(
        EVIDENCE, whole(0), OUTPUT, "--evidence N", "Maximum number of facts in the answer.",
        http={"default": 50, "le": 10_000})
    limit: int | None = option(
        None, whole(1), OUTPUT, "--limit N", "Maximum number of values or rows in the answer.", http={})
    listen: Listener | None = option(
        None, ANYTHING, OUTPUT, "", "Called with each stage as it ends, in the thread of the question.")
    neighbours: tuple[str, ...] = ()

    @property
    def last_question(self) -> PastQuestion | None:
        return None if self.follows is None else PastQuestion.read(self.follows)

    @property
    def needs_routing(self) -> bool:
        return not self.is_chosen and len(self.scope.datasets) > 1
# fmt: on


OPTIONS: Mapping[str, OptionRow] = {**list_options(AskRequest), **PARAMETERS}


def _describe_options(names: Sequence[str]) -> str:
    """Name and help of each option, in the groups of the shell."""
    blocks = []
    for group in GROUPS:
        rows = [name for name in names if OPTIONS[name].group == group]
        lines = [f"    {name}: {OPTIONS[name].help}" for name in rows]
        blocks += ["\n".join((f"{group}:", *lines))] if rows else []
    return "\n\n".join(blocks)


for _kind in (CheckOptions, QueryOptions, AskOptions):
    _kind.__doc__ = _describe_options(list(_kind.__annotations__))


def read_options(options: Mapping[str, Any], kind: type = AskOptions) -> dict[str, Any]:
    """Check options and return those that are not None; the others have their default.

    Raises:
        TypeError: ``kind`` has no such option.
        UsageError: a value has no meaning.
    """
    names = list(kind.__annotations__)
    values: dict[str, Any] = {}
    for name, value in options.items():
        # A misspelt option would be ignored in silence.
        if name not in names:
            hint = ask_for_nearest(name, names).strip() or f"there are {', '.join(names)}"
            subject = "a question" if kind is AskOptions else "a query"
            raise TypeError(f"{subject} has no option {name!r}; {hint}")
        if value is not None:
            OPTIONS[name].check(name, value)
            values[name] = value
    for name, work in MODEL_WORK.items() if values.get("private") else ():
        if values.get(name):
            raise ForbiddenByPrivacy(
                f"the model is to {work}",
                where="and only the schema may leave (schema-only)",
                hint=f"leave out {name_option(name)}, or the restriction to the schema",
            )
    if entities := values.get("entities"):
        texts = (entities,) if isinstance(entities, str) else entities
        if not all(text.strip() for text in texts):
            raise UsageError("an entity without a name", hint="name what the question means")
        values["entities"] = tuple(dict.fromkeys(texts))
    if "follows" in values:
        PastQuestion.read(values["follows"])
    if parameters := {name: values.pop(name) for name in PARAMETERS if name in values}:
        values["parameters"] = ModelParameters(**parameters)
    return values
