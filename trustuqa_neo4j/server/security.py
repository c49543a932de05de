"""``Guard``: what a request must show before anything of the server sees it.

A page of another site can send requests to a server of this machine. So the name of the host, the origin and
a token are checked; and the page may load nothing from elsewhere, run no script that is not in a file of this
server, and stand in no frame.
"""

from __future__ import annotations

import asyncio
import secrets
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..render.picture import STYLE
from .options import ServerOptions
from .problems import describe_problem, problem_response

AGENT_PATH = "/mcp"
OPEN_PATHS = frozenset(("/healthz",))
UPLOAD_PATHS = ("/api/v1/loads", "/data/preview")

_SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))

# A picture has a style of its own.
_PICTURE_STYLE = b64encode(sha256(STYLE.encode()).digest()).decode()
_HEADERS = {
    "Content-Security-Policy": (
        f"default-src 'none'; script-src 'self'; style-src 'self' 'sha256-{_PICTURE_STYLE}'; "
        "img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Under "no-referrer", forms without a script are sent with the origin "null".
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

# Style and scripts need the token, too.
_REFUSAL_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Open the printed address · TrustUQA</title>
</head>
<body>
<main>
<h1>Open the printed address</h1>
<p>This server answers only those who have its token. When it started, <code>tuqa serve</code> printed the
address of this page with the token: open that one.</p>
<p>After the server has started again, its token is another one.</p>
</main>
</body>
</html>
"""


class _BodyTooLong(Exception):
    """The body has more bytes than its path may take."""


class _BodyTooSlow(Exception):
    """The rest of the body did not come."""


class Guard:
    """ASGI middleware that checks host, origin, token and length, and adds headers to every response."""

    def __init__(self, app: ASGIApp, options: ServerOptions) -> None:
        self._app = app
        self._options = options
        self._hosts = options.allowed_hosts
        # Browsers send the cookies of a host to all its ports.
        self._cookie = f"tuqa_token_{options.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    own.setdefault(name, value)
                if not scope["path"].startswith("/static/"):
                    own.setdefault("Cache-Control", "no-store")
            await send(message)

        response = self._refuse(scope, headers)
        if response is not None:
            await response(scope, receive, send_protected)
            return
        limit = (
            self._options.max_upload
            if scope["path"].startswith(UPLOAD_PATHS)
            else self._options.max_body
        )
        timeout = self._options.body_timeout
        try:
            await self._app(scope, _limit_body(receive, limit, timeout), send_protected)
        except _BodyTooSlow:
            response = _problem(
                408, "body too slow", f"no part of the body came for {timeout:g} seconds",
                "send the request again, all of it",
            )  # fmt: skip
            await response(scope, receive, send_protected)
        except _BodyTooLong:
            problem = describe_problem(
                413,
                "body too long",
                f"more than {limit:,} bytes",
                "send less, or load with tuqa-load",
            )
            await problem_response(problem)(scope, receive, send_protected)

    def _refuse(self, scope: Scope, headers: Headers) -> Response | None:
        """The response to a request that must not pass; None if it may."""
        host = headers.get("host", "")
        if host.lower() not in self._hosts:
            return _problem(
                421, "unknown host", f"this server is not {host[:200]!r}", "use the printed address"
            )
        if scope["method"] not in _SAFE_METHODS and not _is_same_origin(headers, host):
            return _problem(
                403, "foreign origin", "the request comes from a page of another site",
                "use the page of this server, or send no Origin",
            )  # fmt: skip
        if scope["path"] in OPEN_PATHS:
            return None
        shown = (*_cookies(headers, self._cookie), *_bearer(headers))
        if self._shows_token(shown):
            return None
        if scope["path"] == AGENT_PATH and _is_among(self._options.agent_token, shown):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if scope["method"] == "GET" and self._shows_token(v for k, v in query if k == "token"):
            return self._keep_token(scope, query)
        if "text/html" in headers.get("accept", ""):
            return HTMLResponse(_REFUSAL_PAGE, 401)
        return problem_response(
            describe_problem(
                401, "no token", "the request shows no token of this server, or an old one",
                "open the address that tuqa serve printed, or send it as Authorization: Bearer TOKEN",
            ),
            {"WWW-Authenticate": "Bearer"},
        )  # fmt: skip

    def _shows_token(self, texts: Iterable[str]) -> bool:
        return _is_among(self._options.token, texts)

    def _keep_token(self, scope: Scope, query: list[tuple[str, str]]) -> Response:
        # The address of the page does not keep the token: it would be in the history of the browser.
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        path = "/" + scope["path"].lstrip("/")
        response = RedirectResponse(f"{path}?{rest}" if rest else path, status_code=303)
        response.set_cookie(self._cookie, self._options.token, httponly=True, samesite="lax")
        return response


def _problem(status: int, kind: str, detail: str, hint: str) -> Response:
    return problem_response(describe_problem(status, kind, detail, hint))


def _is_among(token: str | None, texts: Iterable[str]) -> bool:
    # As long as it takes for any text, so that the time tells nothing.
    return token is not None and any(
        secrets.compare_digest(text.encode(), token.encode()) for text in texts
    )


def _is_same_origin(headers: Headers, host: str) -> bool:
    """True unless a browser says that the request comes from elsewhere."""
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc.lower() == host.lower()


def _cookies(headers: Headers, name: str) -> tuple[str, ...]:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ()
    return () if morsel is None else (morsel.value,)


def _bearer(headers: Headers) -> tuple[str, ...]:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return (token.strip(),) if scheme.lower() == "bearer" else ()


def _limit_body(receive: Receive, limit: int, timeout: float) -> Receive:
    length, is_complete = 0, False

    async def receive_limited() -> Message:
        nonlocal length, is_complete
        # After the body comes only the end of the connection, which may take as long as it likes.
        try:
            async with asyncio.timeout(None if is_complete else timeout):
                message = await receive()
        except TimeoutError as error:
            raise _BodyTooSlow from error
        is_complete = not message.get("more_body", False)
        length += len(message.get("body", b""))
        if length > limit:
            raise _BodyTooLong
        return message

    return receive_limited
