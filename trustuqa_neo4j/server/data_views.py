"""Views of data: datasets, their schemas, and loads of files."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .loads import Loads
from .service import Service
from .templates import Templates


class DataViews:
    def __init__(self, service: Service, templates: Templates, loads: Loads) -> None:
        self._service = service
        self._templates = templates
        self._loads = loads

    def routes(self) -> list[Route]:
        return [Route("/data", self.list_datasets)]

    async def list_datasets(self, request: Request) -> Response:
        datasets = await self._service.call(self._service.tuqa.datasets)
        return self._templates.respond(request, "datasets.html", datasets=datasets)
