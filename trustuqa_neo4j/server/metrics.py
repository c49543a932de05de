"""Counts and times of requests, in the text format of Prometheus: no names of the data and no questions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from time import perf_counter
from typing import Any

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..answer import Outcome
from .admission import Admission

PATH = "/metrics"
_SECONDS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
_CONVERTER = re.compile(r":\w+}")
_UNKNOWN = "unknown"  # a path without a route, which anyone can make up


class Metrics:
    """The metrics of one server; ``admission`` knows what runs and waits."""

    def __init__(self, admission: Admission) -> None:
        self._registry = CollectorRegistry()
        names = ("method", "path", "status")
        self.requests: Counter = Counter(
            "tuqa_requests", "Requests by path and status.", names, registry=self._registry
        )
        self.seconds: Histogram = Histogram(
            "tuqa_request_seconds", "Time until the end of a response.", ("path",),
            buckets=_SECONDS, registry=self._registry,
        )  # fmt: skip
        self._outcomes = Counter(
            "tuqa_answers",
            "Questions and queries by outcome.",
            ("outcome",),
            registry=self._registry,
        )
        for name, count in (
            ("running", lambda: admission.running),
            ("waiting", lambda: admission.waiting),
        ):
            gauge = Gauge(f"tuqa_requests_{name}", f"Requests {name} now.", registry=self._registry)
            gauge.set_function(count)

    def count_answer(self, outcome: Outcome) -> None:
        self._outcomes.labels(outcome).inc()

    async def send(self, _: Request) -> Response:
        """The metrics as text."""
        return Response(generate_latest(self._registry), media_type=CONTENT_TYPE_LATEST)


class RequestMetrics:
    """ASGI middleware that counts each request, those that are refused too."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = perf_counter()
        status = "none"

        async def send_counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, send_counted)
        except Exception:
            status = "500"  # which is sent outside of this
            raise
        finally:
            path = _name_path(scope)
            self._metrics.requests.labels(scope["method"], path, status).inc()
            self._metrics.seconds.labels(path).observe(perf_counter() - begun)


def _name_path(scope: Mapping[str, Any]) -> str:
    """The path of the route of a request, in which names of the data are only ``{dataset}``."""
    endpoint = scope.get("endpoint")
    for route in scope["app"].routes if endpoint is not None else ():
        if endpoint in (getattr(route, "endpoint", None), getattr(route, "app", None)):
            return _CONVERTER.sub("}", route.path)
    return _UNKNOWN
