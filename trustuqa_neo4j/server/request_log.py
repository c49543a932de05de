"""The log of requests: a line of JSON for each response, with an id that the response has too.

It has no query of an address and no body, in which tokens, questions and names of the data stand.
"""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime
from secrets import token_hex
from time import perf_counter
from typing import TextIO

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOGGER = logging.getLogger(__name__)
_ID_HEADER = b"x-request-id"
_ID = re.compile(rb"[\w.-]{1,64}", re.ASCII)
_MAX_PATH = 500  # characters


class RequestLog:
    """ASGI middleware that writes a line for each request, those that are refused too."""

    def __init__(self, app: ASGIApp, log: TextIO) -> None:
        self._app = app
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, time = perf_counter(), datetime.now(UTC)
        request = _read_id(scope)
        status: int | None = None  # without a response

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (_ID_HEADER, request.encode())]
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        finally:
            self._write(
                {
                    "time": time.isoformat(timespec="milliseconds"),
                    "id": request,
                    "method": scope["method"],
                    "path": scope["path"][:_MAX_PATH],
                    "status": status,
                    "ms": round((perf_counter() - begun) * 1000, 1),
                }
            )

    def _write(self, line: dict[str, object]) -> None:
        try:
            self._log.write(json.dumps(line) + "\n")
            self._log.flush()
        except OSError as error:
            # The request has been answered, or will be.
            _LOGGER.warning("the log of requests cannot be written: %s", error)


def _read_id(scope: Scope) -> str:
    """The id that a proxy or a program gave the request, else a new one."""
    given = next((text for name, text in scope["headers"] if name == _ID_HEADER), b"")
    return given.decode() if _ID.fullmatch(given) else token_hex(8)
