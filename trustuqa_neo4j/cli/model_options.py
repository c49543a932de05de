"""Options of the commands that ask a model, and their section in the help."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from ..questions.options import AskOptions

F = TypeVar("F", bound=Callable[..., Any])

_TITLE = "Model options"
_SECTION = frozenset(
    ("llm", "base_url", "votes", "retries", "repair_prompt", "fallback", "max_calls", "max_tokens",
     "examples", "candidates", "prompt_tokens", "temperature", "seed", "reply_tokens", "reasoning_effort",
     "extra_body", "no_cache", "private", "show_prompt", "llm_function", "structured")
)  # fmt: skip
"""Names of the options that only a model needs."""


class JsonObject(click.ParamType[Mapping[str, Any]]):
    name = "JSON"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Mapping[str, Any]:
        try:
            content = json.loads(value)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            self.fail(f'{value!r} is not a JSON object, as {{"top_k": 20}}', param, ctx)
        return content


_OPTIONS = (
    click.option(
        "--examples",
        type=click.IntRange(0),
        default=8,
        show_default=True,
        help="Number of demonstrations for a model; with fewer, so many worked examples over other data are "
        "added.",
        metavar="K",
    ),
    click.option(
        "--candidates",
        type=click.IntRange(1),
        default=16,
        show_default=True,
        help="Number of demonstrations that each search finds; the most similar --examples are shown.",
        metavar="M",
    ),
    click.option(
        "--prompt-tokens",
        type=click.IntRange(1),
        default=12_000,
        show_default=True,
        help="Maximum number of tokens of a prompt.",
        metavar="N",
    ),
    click.option(
        "--base-url",
        help="Address of the server of the model.  [env: OPENAI_BASE_URL]",
        metavar="URL",
    ),
    click.option(
        "--temperature",
        type=click.FloatRange(0),
        help="Temperature of the model.  [default: 0, for votes 1; env: TUQA_LLM_TEMPERATURE]",
        metavar="X",
    ),
    click.option("--seed", type=int, help="Seed of the model.  [env: TUQA_LLM_SEED]", metavar="N"),
    click.option(
        "--reply-tokens",
        type=click.IntRange(1),
        help="Maximum number of tokens of a reply.  [env: TUQA_LLM_REPLY_TOKENS]",
        metavar="N",
    ),
    click.option(
        "--reasoning-effort",
        help="How long the model thinks: low, medium, high or another word of its provider.  "
        "[env: TUQA_LLM_REASONING_EFFORT]",
        metavar="WORD",
    ),
    click.option(
        "--llm-function",
        is_flag=True,
        help="Let the model compute what the engine cannot, with values of the data; the answer says so.",
    ),
    click.option(
        "--structured",
        is_flag=True,
        help="Let replies keep to a JSON Schema with the relations of the data.",
    ),
    click.option(
        "--extra-body",
        type=JsonObject(),
        help="Further fields of the request, as a JSON object.  [env: TUQA_LLM_EXTRA_BODY]",
        metavar="JSON",
    ),
)


def model_parameter_options(command: F) -> F:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def take_model_parameters(options: Mapping[str, Any]) -> AskOptions:
    return {
        "examples": options["examples"],
        "candidates": options["candidates"],
        "prompt_tokens": options["prompt_tokens"],
        "base_url": options["base_url"],
        "temperature": options["temperature"],
        "seed": options["seed"],
        "reply_tokens": options["reply_tokens"],
        "reasoning_effort": options["reasoning_effort"],
        "extra_body": options["extra_body"],
        "llm_function": options["llm_function"],
        "structured": options["structured"],
    }


class ModelCommand(click.Command):
    """Writes the options that only a model needs as a section of their own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        general: list[tuple[str, str]] = []
        model: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            if (record := parameter.get_help_record(ctx)) is not None:
                (model if parameter.name in _SECTION else general).append(record)
        for title, records in (("Options", general), (_TITLE, model)):
            with formatter.section(title):
                formatter.write_dl(records)
