"""The application: page, API, chat, MCP and health behind one guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ..client import TrustUQA
from ..errors import TrustUQAError
from ..loading.request import LoadReport
from ..mcp.server import make_http_routes, make_server
from ..model.demonstration import Demonstration
from .access import check_token_right, require_owner
from .api import Api, handle_bad_form, handle_error, json_response
from .ask_views import AskViews
from .chat import Chat
from .data_views import DataViews
from .loads import Loads
from .metrics import PATH as METRICS_PATH
from .metrics import RequestMetrics
from .options import ServerOptions
from .problems import describe_problem, problem_response
from .request_log import RequestLog
from .security import Guard
from .service import ClientGone, Service
from .templates import Templates, static_files
from .uploads import Uploads


class _ServerChanges:
    """Adds demonstrations and data for agents as for people: bounded, and in turn."""

    def __init__(self, service: Service, loads: Loads) -> None:
        self._service = service
        self._loads = loads

    def check_load(self) -> None:
        check_token_right("load")

    async def teach(self, dataset: str, demonstration: Demonstration) -> Demonstration:
        check_token_right("teach")
        return await self._service.teach(dataset, demonstration)

    async def load(self, path: str, *, dataset: str, format: str | None) -> LoadReport:  # noqa: A002 # the client's
        return await self._loads.load_path(path, dataset=dataset, format=format)


def make_app(tuqa: TrustUQA, options: ServerOptions, workspace: Path) -> Starlette:
    """Make the application over ``tuqa``, which stays the caller's.

    ``workspace`` is the folder of ``open_workspace``.
    """
    service = Service(tuqa, options)
    files = Uploads(workspace)
    loads = Loads(tuqa, files, options)
    agents = make_server(
        tuqa,
        private=options.private,
        allow_teach=options.allow_teach,
        load_folder=options.agent_folder,
        answers=service.answers,
        changes=_ServerChanges(service, loads),
        enter=service.admission.enter,
        view=options.address,
        timeout=options.timeout,
    )
    page = Page(service, loads, files)
    file = options.request_log
    log = [] if file is None else [Middleware(RequestLog, log=file)]
    agent_routes = make_http_routes(agents, options.host)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with agents.session_manager.run():
            yield
            await loads.cancel_all()

    async def send_health(_: Request) -> Response:
        """Tell whether the database answers."""
        version = await service.ping()
        requests = service.admission
        return json_response(
            {
                "status": "ok",
                "neo4j": version,
                "running": requests.running,
                "waiting": requests.waiting,
            }
        )

    return Starlette(
        routes=[
            Route("/healthz", send_health),
            Route(METRICS_PATH, require_owner(service.metrics.send)),
            *Api(service, loads).routes(),
            *Chat(service).routes(),
            *agent_routes,
            *page.routes(),
        ],
        middleware=[
            *log,
            Middleware(RequestMetrics, metrics=service.metrics),
            Middleware(Guard, options=options),
        ],
        exception_handlers={
            TrustUQAError: handle_error,
            MultiPartException: handle_bad_form,
            HTTPException: page.handle_http_error,
            ClientGone: _handle_closed,
            ClientDisconnect: _handle_closed,
            Exception: _handle_fault,
        },
        lifespan=lifespan,
    )


async def _handle_fault(_: Request, error: Exception) -> Response:  # noqa: ARG001 # Starlette's
    # It is also logged.
    detail = "a fault of this server; its messages have the details"
    return problem_response(describe_problem(500, "fault", detail, "report it"))


async def _handle_closed(_: Request, error: Exception) -> Response:  # noqa: ARG001 # Starlette's
    # Nobody reads it.
    return Response(status_code=499)


# The routes of the page. Views of questions and of data are in modules of their own.


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
