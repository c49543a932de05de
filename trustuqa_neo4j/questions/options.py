"""Options of a question, as the client's methods take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from threading import Event
from typing import TYPE_CHECKING, Any, TypedDict

from ..deadline import Deadline
from ..errors import ForbiddenByPrivacy, UsageError
from ..graph.connection import TIMEOUT
from ..llm.budget import PROMPT_BUDGET, Limits, Meter
from ..llm.parameters import ModelParameters
from ..matching.similarity import suggest_names
from ..model.dataset import Scope
from ..trace import Listener
from ..wording import CallOption

if TYPE_CHECKING:
    from ..llm.client import ModelWish
    from ..prompts.repair import RepairMode


DEFAULT_EXAMPLES = 8
DEFAULT_CANDIDATES = 16
DEFAULT_SIMILARITY = 0.6


_WHOLE_NUMBERS = frozenset(
    ("votes", "retries", "evidence", "limit", "max_calls", "max_tokens", "pick", "examples",
     "candidates", "prompt_tokens", "seed", "reply_tokens")
)  # fmt: skip
_NUMBERS = frozenset(("min_confidence", "timeout", "temperature", "min_similarity"))


class AskOptions(TypedDict, total=False):
    """Options of a question.

    ``source`` is one table or graph of the dataset. ``llm`` replaces the client's: ``demonstrations``,
    ``openai:NAME`` or a chat model. It writes ``votes`` queries, and the most frequent answer wins if at
    least ``min_confidence`` of them give it. A bad query is repaired in up to ``retries`` rounds, in the mode
    ``repair``: with question and schema (``full``) or without (``paper``). ``private``: the prompt shows only
    the schema, no values. ``fields`` restricts the demonstrations. ``entities`` are names that the question
    means: the prompt shows facts near them. ``max_calls`` and ``max_tokens`` limit the use of the model; its
    replies are cached unless ``keep`` is false. The answer has at most ``evidence`` facts, and ``limit``
    values or rows. ``timeout`` is in seconds, for the whole question; setting ``cancelled`` ends it.
    ``listen`` is called with each stage as it ends, those of its queries too. Without a model, a question
    that no demonstration fits is read by the semantic parser; a model gets its readings as hints. ``reader``
    false omits both. With ``demonstrations`` false, the semantic parser alone answers. ``pick`` runs one of
    its readings, from 1. If the model fails, the question is answered without it, unless ``fallback`` is
    false. ``inference`` false leaves out facts that follow from stored facts by the ontology. A model gets up
    to ``examples`` demonstrations, the best of ``candidates`` that each search finds; with fewer, it also
    gets so many worked examples over other data. A prompt has at most ``prompt_tokens``. ``temperature``,
    ``seed``, ``reply_tokens``, ``reasoning_effort`` and ``extra_body`` are sent to the model, as
    ``ModelParameters`` describes them; ``base_url`` is the address of a model that ``llm`` names. With
    ``llm_function``, the model computes what a query needs and the engine cannot: undefined functions, and
    comparisons of values that no reader can compare. These values are sent to it, and the answer is not
    ``grounded``. A query goes back to the model once if a name in it was read as one with a similarity below
    ``min_similarity``. With ``structured``, replies keep to a JSON Schema, with the relations of the data if
    they are few; the server of the model must know it.
    """

    source: str | None
    llm: ModelWish
    votes: int
    retries: int
    min_confidence: float
    private: bool
    fields: Mapping[str, str]
    entities: Sequence[str]
    repair: RepairMode
    evidence: int
    limit: int | None
    max_calls: int | None
    max_tokens: int | None
    keep: bool
    timeout: float
    cancelled: Event | None
    listen: Listener | None
    reader: bool
    demonstrations: bool
    pick: int | None
    fallback: bool
    inference: bool
    examples: int
    candidates: int
    prompt_tokens: int
    temperature: float | None
    seed: int | None
    reply_tokens: int | None
    reasoning_effort: str | None
    extra_body: Mapping[str, Any] | None
    base_url: str | None
    llm_function: bool
    min_similarity: float
    structured: bool


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question with its options; fields not described here are as in ``AskOptions``.

    ``scope`` is the data that may be used; ``is_chosen``: the caller named it. ``neighbours`` are datasets
    that know words of the question too, for a question that needs two of them.
    """

    question: str
    scope: Scope
    is_chosen: bool = True
    votes: int = 1
    retries: int = 3
    min_confidence: float = 0.0
    private: bool = False
    fields: Mapping[str, str] = field(default_factory=dict)
    entities: tuple[str, ...] = ()
    repair: RepairMode = "full"
    reader: bool = True
    demonstrations: bool = True
    pick: int | None = None
    fallback: bool = True
    examples: int = DEFAULT_EXAMPLES
    candidates: int = DEFAULT_CANDIDATES
    prompt_tokens: int = PROMPT_BUDGET
    parameters: ModelParameters = field(default_factory=ModelParameters)
    llm_function: bool = False
    min_similarity: float = DEFAULT_SIMILARITY
    structured: bool = False
    inference: bool = True
    neighbours: tuple[str, ...] = ()

    @property
    def needs_routing(self) -> bool:
        return not self.is_chosen and len(self.scope.datasets) > 1


def check_options(options: AskOptions) -> None:
    # A misspelt option would be ignored in silence.
    allowed = list(AskOptions.__annotations__)
    for name in options:
        if name not in allowed:
            nearest = suggest_names(name, allowed)
            hint = (
                f"; did you mean {nearest[0]!r}?"
                if nearest
                else f"; there are {', '.join(allowed)}"
            )
            raise TypeError(f"a question has no option {name!r}{hint}")
    for name, value in options.items():
        if name in _WHOLE_NUMBERS and not isinstance(value, Integral | None):
            raise UsageError(f"{name}={value!r} is no whole number", hint="give one, such as 3")
        if name in _NUMBERS and not isinstance(value, Real | None):
            raise UsageError(f"{name}={value!r} is no number", hint="give one, such as 0.5")


def ask_request(question: str, scope: Scope, is_chosen: bool, options: AskOptions) -> AskRequest:
    # Raises UsageError for a number without a meaning.
    votes, retries = options.get("votes", 1), options.get("retries", 3)
    confidence = options.get("min_confidence", 0.0)
    if not question.strip():
        raise UsageError("there is no question", hint="ask something")
    if votes < 1 or retries < 0 or not 0 <= confidence <= 1:
        raise UsageError(
            f"votes={votes}, retries={retries}, min_confidence={confidence}",
            hint="votes are at least 1, retries at least 0, a confidence is from 0 to 1",
        )
    pick = options.get("pick")
    if pick is not None and pick < 1:
        raise UsageError(f"pick={pick}", hint="readings are counted from 1")
    examples = options.get("examples", DEFAULT_EXAMPLES)
    candidates = options.get("candidates", DEFAULT_CANDIDATES)
    prompt_tokens = options.get("prompt_tokens", PROMPT_BUDGET)
    if examples < 0 or candidates < 1 or prompt_tokens < 1:
        raise UsageError(
            f"examples={examples}, candidates={candidates}, prompt_tokens={prompt_tokens}",
            hint="examples are at least 0, candidates and tokens of a prompt at least 1",
        )
    if options.get("llm_function", False) and options.get("private", False):
        raise ForbiddenByPrivacy(
            "the model is to compute with values of the data",
            where="and only the schema may leave (schema-only)",
            hint=f"leave out {CallOption.LLM_FUNCTION}, or the restriction to the schema",
        )
    similarity = options.get("min_similarity", DEFAULT_SIMILARITY)
    if not 0 <= similarity <= 1:
        raise UsageError(
            f"min_similarity={similarity}", hint="a similarity is from 0 to 1; 0 accepts all names"
        )
    return AskRequest(
        question,
        scope,
        is_chosen,
        votes,
        retries,
        confidence,
        options.get("private", False),
        options.get("fields") or {},
        _entities(options.get("entities", ())),
        options.get("repair", "full"),
        options.get("reader", True),
        options.get("demonstrations", True),
        pick,
        options.get("fallback", True),
        examples,
        candidates,
        prompt_tokens,
        ModelParameters(
            temperature=options.get("temperature"),
            seed=options.get("seed"),
            reply_tokens=options.get("reply_tokens"),
            reasoning_effort=options.get("reasoning_effort"),
            extra_body=options.get("extra_body"),
        ),
        options.get("llm_function", False),
        similarity,
        options.get("structured", False),
        options.get("inference", True),
    )


def _entities(entities: Sequence[str]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys((entities,) if isinstance(entities, str) else entities))
    if not all(name.strip() for name in names):
        raise UsageError("an entity without a name", hint="name what the question means")
    return names


def meter(options: AskOptions) -> Meter:
    return Meter(Limits(options.get("max_calls"), options.get("max_tokens")))


def deadline(options: AskOptions) -> Deadline:
    return Deadline(options.get("timeout", TIMEOUT), options.get("cancelled"))
