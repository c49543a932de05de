"""``Endpoint``: a row of the table from which routes and the description of the API are made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from .tokens import Right

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A method and a path, with what its description says.

    ``body`` describes the JSON of the request; ``returns`` is the name of a schema in the description, or of
    the items of a list. ``streams``: it also answers with events. ``needs`` is the right that it needs.
    """

    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    name: str
    summary: str
    handler: Handler
    returns: str
    body: type[BaseModel] | None = None
    takes_files: bool = False
    is_list: bool = False
    streams: bool = False
    status: int = 200
    query: tuple[str, ...] = ()
    needs: Right = "ask"
