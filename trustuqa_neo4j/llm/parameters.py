"""``ModelParameters``: what a user sets of a model's replies, by option, environment or ``tuqa.toml``.

A parameter that the user sets is sent or refused, never dropped in silence. One that this package sets, such
as temperature 0, is dropped if the model refuses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import BadSettings, UsageError
from ..option import MODEL, OBJECT, Kind, list_options, number, option, whole
from ..settings import Settings

PARAMETER_FIELDS: Mapping[str, tuple[str, ...]] = {
    "temperature": ("temperature",),
    "seed": ("seed", "random_seed"),
    "reply_tokens": ("max_tokens", "max_output_tokens", "num_predict"),
    "reasoning_effort": ("reasoning_effort", "effort", "thinking_level", "reasoning"),
    "extra_body": ("extra_body",),
}
"""Parameter → the fields of langchain's chat models that hold it; a model has one of them or none."""


@dataclass(frozen=True, slots=True)
class ModelParameters:
    """Parameters of requests; None leaves a parameter to this package or to the provider.

    ``temperature`` replaces 0 for one query and 1 for votes. ``reply_tokens`` limits the length of a reply.
    ``extra_body`` has further fields of the request, for servers with parameters of their own.

    Raises:
        UsageError: a value has no meaning.
    """

    temperature: float | None = option(
        None, number(0), MODEL, "--temperature X", "Temperature of the model.",
        note="default: 0, for votes 1; env: TUQA_LLM_TEMPERATURE",
    )  # fmt: skip
    seed: int | None = option(
        None, whole(), MODEL, "--seed N", "Seed of the model.", note="env: TUQA_LLM_SEED"
    )
    reply_tokens: int | None = option(
        None, whole(1), MODEL, "--reply-tokens N", "Maximum number of tokens of a reply.",
        note="env: TUQA_LLM_REPLY_TOKENS",
    )  # fmt: skip
    reasoning_effort: str | None = option(
        None, Kind("a word of the provider, as low or high", str), MODEL, "--reasoning-effort WORD",
        "How long the model thinks: low, medium, high or another word of its provider.",
        note="env: TUQA_LLM_REASONING_EFFORT",
    )  # fmt: skip
    extra_body: Mapping[str, Any] | None = option(
        None, OBJECT, MODEL, "--extra-body JSON", "Further fields of the request, as a JSON object.",
        note="env: TUQA_LLM_EXTRA_BODY",
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name, value in self.given.items():
            PARAMETERS[name].check(name, value)

    @classmethod
    def read(cls, settings: Settings) -> ModelParameters:
        """Read the parameters of the settings, which are texts.

        Raises:
            BadSettings: a text cannot be read.
        """
        values: dict[str, Any] = {}
        for name, parameter in PARAMETERS.items():
            text = getattr(settings, f"llm_{name}")
            if text is None:
                continue
            try:
                values[name] = parameter.kind.parse(text)
                parameter.check(name, values[name])
            except (ValueError, UsageError, RecursionError) as error:
                raise BadSettings(
                    f"{text!r} cannot be read",
                    where=f"TUQA_LLM_{name.upper()}",
                    hint=f"it is {parameter.kind.words}",
                ) from error
        return cls(**values)

    def over(self, defaults: ModelParameters) -> ModelParameters:
        """These parameters, and those of ``defaults`` where they are None."""
        return ModelParameters(**{**defaults.given, **self.given})

    @property
    def given(self) -> dict[str, Any]:
        """The parameters that are not None."""
        values = {name: getattr(self, name) for name in PARAMETERS}
        return {name: value for name, value in values.items() if value is not None}


PARAMETERS = list_options(ModelParameters)
