"""Errors of requests that only the server knows."""

from __future__ import annotations

from ..errors import AskingError, DataError, UsageError


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
