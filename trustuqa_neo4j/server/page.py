"""The routes of the page. Views of questions and of data are in modules of their own."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from .ask_views import AskViews
from .data_views import DataViews
from .loads import Loads
from .problems import describe_problem, problem_response
from .service import Service
from .templates import Templates, static_files
from .uploads import Uploads


class Page:
    def __init__(self, service: Service, loads: Loads, uploads: Uploads) -> None:
        self._templates = Templates(service.options)
        self._ask = AskViews(service, self._templates, uploads)
        self._data = DataViews(service, self._templates, loads)

    def routes(self) -> list[BaseRoute]:
        return [*self._ask.routes(), *self._data.routes(), static_files()]

    async def handle_http_error(self, request: Request, error: Exception) -> Response:
        """The response where there is no such path or method: a page for people, JSON for programs."""
        assert isinstance(error, HTTPException)
        kind = {404: "no such page", 405: "method not allowed"}.get(error.status_code)
        detail = error.detail or "the request has a mistake"
        hint = "GET /api/v1/openapi.json describes what there is"
        problem = describe_problem(error.status_code, kind or "bad request", detail, hint)
        if "text/html" not in request.headers.get("accept", ""):
            return problem_response(problem, error.headers)
        return self._templates.show_problem(
            request, {**problem, "hint": "ask, or look at the data"}
        )
