"""Views of questions: the form, the answer with its proof, its steps and its picture."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .loads import Uploads
from .service import Service
from .templates import Templates


class AskViews:
    def __init__(self, service: Service, templates: Templates, uploads: Uploads) -> None:
        self._service = service
        self._templates = templates
        self._uploads = uploads

    def routes(self) -> list[Route]:
        return [Route("/", self.show_form)]

    async def show_form(self, request: Request) -> Response:
        datasets = await self._service.call(self._service.tuqa.datasets)
        return self._templates.respond(request, "ask.html", datasets=datasets)
