"""The routes of the page. Views of questions and of data are in modules of their own."""

from __future__ import annotations

from starlette.routing import BaseRoute

from .ask_views import AskViews
from .data_views import DataViews
from .loads import Loads, Uploads
from .service import Service
from .templates import Templates, static_files


class Page:
    def __init__(self, service: Service, loads: Loads, uploads: Uploads) -> None:
        templates = Templates(service.options)
        self._ask = AskViews(service, templates, uploads)
        self._data = DataViews(service, templates, loads)

    def routes(self) -> list[BaseRoute]:
        return [*self._ask.routes(), *self._data.routes(), static_files()]
