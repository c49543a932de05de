"""``ModelParameters``: what a user sets of a model's replies, by option, environment or ``tuqa.toml``.

A parameter that the user sets is sent or refused, never dropped in silence. One that this package sets, such
as temperature 0, is dropped if the model refuses it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..errors import BadSettings, UsageError
from ..settings import Settings
from ..wording import CallOption

PARAMETER_FIELDS: Mapping[str, tuple[str, ...]] = {
    "temperature": ("temperature",),
    "seed": ("seed", "random_seed"),
    "reply_tokens": ("max_tokens", "max_output_tokens", "num_predict"),
    "reasoning_effort": ("reasoning_effort", "effort", "thinking_level", "reasoning"),
    "extra_body": ("extra_body",),
}
"""Parameter → the fields of langchain's chat models that hold it; a model has one of them or none."""

PARAMETER_OPTIONS: Mapping[str, CallOption] = {
    name: CallOption[name.upper()] for name in PARAMETER_FIELDS
}


@dataclass(frozen=True, slots=True)
class ModelParameters:
    """Parameters of requests; None leaves a parameter to this package or to the provider.

    ``temperature`` replaces 0 for one query and 1 for votes. ``reply_tokens`` limits the length of a reply.
    ``extra_body`` has further fields of the request, for servers with parameters of their own.

    Raises:
        UsageError: a value has no meaning.
    """

    temperature: float | None = None
    seed: int | None = None
    reply_tokens: int | None = None
    reasoning_effort: str | None = None
    extra_body: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        for name, is_valid, allowed in _RULES:
            value = getattr(self, name)
            if value is not None and not is_valid(value):
                raise UsageError(f"{name}={value!r}", hint=f"{name} is {allowed}")

    @classmethod
    def read(cls, settings: Settings) -> ModelParameters:
        """Read the parameters of the settings, which are texts.

        Raises:
            BadSettings: a text cannot be read.
        """
        values: dict[str, Any] = {}
        for name, read in _READERS.items():
            text = getattr(settings, f"llm_{name}")
            if text is None:
                continue
            try:
                values[name] = read(text)
                cls(**{name: values[name]})
            except (ValueError, UsageError, RecursionError) as error:
                allowed = next(allowed for rule, _, allowed in _RULES if rule == name)
                raise BadSettings(
                    f"{text!r} cannot be read",
                    where=f"TUQA_LLM_{name.upper()}",
                    hint=f"it is {allowed}",
                ) from error
        return cls(**values)

    def over(self, defaults: ModelParameters) -> ModelParameters:
        """These parameters, and those of ``defaults`` where they are None."""
        return ModelParameters(**{**defaults.given, **self.given})

    @property
    def given(self) -> dict[str, Any]:
        """The parameters that are not None."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


_RULES: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("temperature", lambda value: value >= 0 and math.isfinite(value), "a number, at least 0"),
    ("seed", lambda value: isinstance(value, int), "a whole number"),
    ("reply_tokens", lambda value: value >= 1, "a whole number, at least 1"),
    (
        "reasoning_effort",
        lambda value: bool(value.strip()),
        "a word of the provider, as low or high",
    ),
    ("extra_body", lambda value: isinstance(value, Mapping), 'a JSON object, as {"top_k": 20}'),
)
"""Parameter, test of a value, and the allowed values in words."""

_READERS: Mapping[str, Callable[[str], Any]] = {
    "temperature": float,
    "seed": int,
    "reply_tokens": int,
    "reasoning_effort": str,
    "extra_body": json.loads,
}
