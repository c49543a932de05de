"""Templates of the page: everything from the data is escaped, and nothing is fetched from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from ..errors import TrustUQAError
from ..evidence import format_value
from ..render.terminal import escape_controls
from .access import list_rights
from .endpoints import Handler
from .options import ServerOptions
from .problems import make_problem

_STATIC = "static"


class Templates:
    """Renders a template as a page, or as the part of one that a script of the page asked for."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._environment = Environment(
            loader=PackageLoader("trustuqa_neo4j.server"),
            autoescape=select_autoescape(default=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters["value"] = lambda value: escape_controls(format_value(value))
        self._environment.filters["number"] = lambda number: f"{number:,}"
        self._environment.filters["shown"] = _show_text
        self._environment.filters["message"] = _show_message
        self._environment.filters["picture"] = Markup

    def render(self, template: str, /, **content: Any) -> str:
        text = self._environment.get_template(template).render(
            options=self._options, rights=list_rights(), **content
        )
        # A name of the data may have half of a surrogate pair.
        return text.encode("utf-8", "replace").decode("utf-8")

    def respond(
        self, request: Request, template: str, /, status: int = 200, **content: Any
    ) -> Response:
        """The page, or only its part ``main`` for a request of the script."""
        return HTMLResponse(
            self.render(template, is_part=is_part(request), **content),
            status,
            {"Vary": "HX-Request"},
        )

    def show_problems(self, view: Handler) -> Handler:
        """Wrap ``view``: an error of the package becomes a page, or a part of one."""

        async def respond(request: Request) -> Response:
            try:
                return await view(request)
            except TrustUQAError as error:
                return self.show_problem(request, make_problem(error))

        return respond

    def show_problem(self, request: Request, problem: Mapping[str, Any]) -> Response:
        return self.respond(request, "problem.html", problem["status"], problem=problem)


def _show_text(text: object) -> Markup:
    """Text from the data, which neither steers the page nor turns the text around it."""
    return Markup("<bdi>{}</bdi>").format(escape_controls(str(text)))


def _show_message(text: object) -> Markup:
    """A message of ours, with what stands between backticks as code; names of the data may be in it."""
    parts = escape_controls(str(text)).split("`")
    if len(parts) % 2 == 0:
        return _show_text(text)
    code = Markup("<code>{}</code>")
    shown = (code.format(part) if place % 2 else escape(part) for place, part in enumerate(parts))
    return Markup("<bdi>{}</bdi>").format(Markup().join(shown))


def is_part(request: Request) -> bool:
    """True if a script of the page asks for a part of it."""
    headers = request.headers
    return headers.get("hx-request") == "true" and "hx-history-restore-request" not in headers


def static_files() -> Mount:
    """The files of the page: style, scripts, icon."""
    folder = str(resources.files("trustuqa_neo4j.server").joinpath(_STATIC))
    return Mount(f"/{_STATIC}", StaticFiles(directory=folder), name=_STATIC)
