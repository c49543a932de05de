"""Spans of OpenTelemetry: one for a question, a query or a load, and in it one for each stage.

They are recorded if the program has imported ``opentelemetry``, as one that records spans has; this package
needs nothing for that. Their attributes are outcomes, counts, times and names of datasets: no question,
query, value or message, which may quote the data.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from time import time_ns
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from .answer import Answer
from .errors import TrustUQAError
from .stage import Stage

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer
    from opentelemetry.util.types import AttributeValue

    from .loading.request import LoadReport
    from .trace import Listener

P = ParamSpec("P")
Q = ParamSpec("Q")
S = TypeVar("S")
T = TypeVar("T")

_LOGGER = logging.getLogger(__name__)

_USAGE = {
    "input_tokens": "gen_ai.usage.input_tokens", "output_tokens": "gen_ai.usage.output_tokens"
}  # fmt: skip


def describe_answer(answer: Answer) -> dict[str, AttributeValue | None]:
    """The attributes of an answer."""
    values = answer.values if answer.rows is None else answer.rows
    return {
        "tuqa.outcome": answer.outcome,
        "tuqa.origin": answer.origin,
        "tuqa.confidence": answer.confidence,
        "tuqa.datasets": answer.datasets or None,
        "tuqa.values": len(values),
        "tuqa.facts": answer.evidence_total,
        **{name: answer.usage.get(key) for key, name in _USAGE.items()},
    }


def describe_load(report: LoadReport) -> dict[str, AttributeValue | None]:
    """The attributes of a load."""
    return {
        "tuqa.datasets": (report.dataset,), "tuqa.facts": report.facts, "tuqa.sources": report.sources
    }  # fmt: skip


def trace_call(
    describe: Callable[[T], Mapping[str, AttributeValue | None]], *, has_stages: bool
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Make a decorator that records a span for each call of a method of the client.

    ``describe`` makes attributes of what the call returns. ``has_stages``: the method has an option
    ``listen``, which gets each stage.
    """

    def decorate(method: Callable[P, T]) -> Callable[P, T]:
        @wraps(method)
        def call(*arguments: P.args, **options: P.kwargs) -> T:
            # A program that records spans has imported this before its first question, maybe not to the end.
            api = sys.modules.get("opentelemetry.trace")
            if api is None or not hasattr(api, "use_span"):
                return method(*arguments, **options)
            tracer: Tracer | None = _record(api.get_tracer, "trustuqa_neo4j")
            if tracer is None:
                return method(*arguments, **options)
            span = _record(tracer.start_span, f"tuqa.{method.__name__}")
            if span is None:
                return method(*arguments, **options)
            # Messages of errors may quote the data.
            with api.use_span(span, record_exception=False, set_status_on_exception=False):
                try:
                    return _call_in_span(api, tracer, span, *arguments, **options)
                finally:
                    _record(span.end)

        def _call_in_span(
            api: Any, tracer: Tracer, span: Span, *arguments: P.args, **options: P.kwargs
        ) -> T:
            if not span.is_recording():
                return method(*arguments, **options)
            if has_stages:
                listener = cast("Listener | None", options.get("listen"))
                options["listen"] = _record_stages(tracer, listener)
            try:
                result = method(*arguments, **options)
            except BaseException as error:
                kind = error.kind if isinstance(error, TrustUQAError) else type(error).__name__
                span.set_attribute("error.type", kind)
                span.set_status(api.StatusCode.ERROR)
                raise
            span.set_attributes(_drop_unknown(describe(result)))
            return result

        return call

    return decorate


def _record_stages(tracer: Tracer, listener: Listener | None) -> Listener:
    """A listener that records a span for each stage as it ends, and tells ``listener``."""

    def record(stage: Stage) -> None:
        end = time_ns()
        attributes: dict[str, AttributeValue | None] = {
            "tuqa.step": stage.step,
            "tuqa.statements": len(stage.sent),
            "tuqa.rows": sum(statement.rows for statement in stage.sent),
        }
        span = _record(
            tracer.start_span,
            f"tuqa.{stage.stage}",
            start_time=end - int(stage.ms * 1_000_000),
            attributes=_drop_unknown(attributes),
        )
        if span is not None:
            _record(span.end, end)
        if listener is not None:
            listener(stage)

    return record


def _record(call: Callable[Q, S], *arguments: Q.args, **options: Q.kwargs) -> S | None:
    """Call what processors of the program hear; None if one fails, which must not end a question."""
    try:
        return call(*arguments, **options)
    except Exception:  # any: they are not code of this package
        _LOGGER.warning("a span is not recorded", exc_info=True)
        return None


def _drop_unknown(attributes: Mapping[str, Any]) -> dict[str, AttributeValue]:
    return {name: value for name, value in attributes.items() if value is not None}
