"""Errors as problem details (RFC 9457), with the hint of the error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from .. import errors
from ..errors import AskingError, DataError, TrustUQAError, UsageError

# Errors of requests that only the server knows.


class BadBody(UsageError):
    """The body of a request is not as described."""


class NotAllowed(UsageError):
    """The token of the request, or the server, may not do that."""


class ServerBusy(AskingError):
    """Too many requests wait already."""


class UnknownAnswer(DataError):
    """No answer, or no fact of one, with this id."""


class UnknownLoad(DataError):
    """No load with this id."""


class UnknownPreview(DataError):
    """No preview with this id, or not any more."""


MEDIA_TYPE = "application/problem+json"

# The first class that an error belongs to decides.
_STATUS: tuple[tuple[type[TrustUQAError], int], ...] = (
    (ServerBusy, 503),
    (NotAllowed, 403),
    (errors.ForbiddenByPrivacy, 403),
    (errors.MissingExtra, 501),
    (errors.UsageError, 400),
    (errors.UnknownDataset, 404),
    (errors.UnknownSource, 404),
    (UnknownAnswer, 404),
    (UnknownLoad, 404),
    (UnknownPreview, 404),
    (errors.IncompleteDataset, 409),
    (errors.DatasetExists, 409),
    (errors.LoadRunning, 409),
    (errors.LoadTakenOver, 409),
    (errors.Cancelled, 409),
    (errors.DataError, 422),
    (errors.AskingError, 422),
    (errors.ModelTimedOut, 504),
    (errors.ModelBusy, 503),
    (errors.ModelError, 502),
    (errors.TimedOut, 504),
    (errors.DatabaseError, 503),
)


def make_problem(error: TrustUQAError) -> dict[str, Any]:
    """Describe an error of the package as a problem."""
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
    detail = ", ".join(filter(None, (error.what, error.where)))
    return describe_problem(status, error.kind, detail, error.hint)


def describe_problem(status: int, kind: str, detail: str, hint: str = "") -> dict[str, Any]:
    """A problem with the fields of RFC 9457, and ``hint``: what to try."""
    problem: dict[str, Any] = {
        "type": f"urn:tuqa:problem:{kind.lower().replace(' ', '-')}",
        "title": kind,
        "status": status,
        "detail": detail,
    }
    return problem | ({"hint": hint} if hint else {})


def problem_response(
    problem: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Response:
    # Where programs for the API of OpenAI look for the reason.
    error = {"message": "; ".join(filter(None, (problem["detail"], problem.get("hint"))))}
    retry = {"Retry-After": "1"} if problem["status"] == 503 else {}
    return Response(
        json.dumps({**problem, "error": error}, ensure_ascii=False),
        status_code=problem["status"],
        media_type=MEDIA_TYPE,
        headers={**retry, **(headers or {})},
    )
