"""``Guard``: what a request must show before anything of the server sees it.

A page of another site can send requests to a server of this machine. So the name of the host, the origin and
a token are checked; and the page may load nothing from elsewhere, run no script that is not in a file of this
server, and stand in no frame.

Browsers send a cookie to every port of its host. So the cookie of the page is not the token, but the name of
a session, which the server forgets; and a request with a cookie must come from the page itself.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from itertools import chain
from time import monotonic
from urllib.parse import parse_qsl, urlencode

from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import BadSettings
from ..render import chart, picture
from .access import NOBODY, Access, Accesses
from .options import MAX_HEAD, ServerOptions
from .problems import NotAllowed, describe_problem, make_problem, problem_response
from .tokens import hash_token

_LOGGER = logging.getLogger(__name__)

AGENT_PATH = "/mcp"
OPEN_PATHS = frozenset(("/healthz",))
UPLOAD_PATHS = frozenset(("/api/v1/loads", "/data/preview"))

_SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))
_ASK_PATH = (
    "/ask"  # a question takes time, and a model costs money, so other pages must not lead to one
)

_SESSION_TIME = 12 * 3600.0  # seconds
_MAX_SESSIONS = 100  # of a token
_MAX_HEADERS = 100
_MAX_UPLOADS = 8  # at a time, since each takes disk space
_MIN_RATE = 1_000.0  # bytes of a body per second, on average

# A picture has a style of its own.
_STYLES = " ".join(
    f"'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'"
    for style in (picture.STYLE, chart.STYLE)
)
_STATIC_HEADERS = (
    (
        b"content-security-policy",
        f"default-src 'none'; script-src 'self'; style-src 'self' {_STYLES}; "
        "img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'".encode(),
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # Under "no-referrer", forms without a script are sent with the origin "null".
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_HEADERS = (*_STATIC_HEADERS, (b"cache-control", b"no-store"))

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


class Sessions:
    """The browsers that have shown a token: its digest, by the digest of what their cookie says."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[float, str]] = {}

    def begin(self, token: str) -> str:
        """Return the text of a new cookie for a token; of too many sessions of it the oldest ends."""
        name, now = secrets.token_urlsafe(32), monotonic()
        self._entries = {key: entry for key, entry in self._entries.items() if entry[0] > now}
        own = [key for key, (_, shown) in self._entries.items() if shown == token]
        if len(own) >= _MAX_SESSIONS:
            del self._entries[own[0]]
        self._entries[hash_token(name)] = now + _SESSION_TIME, token
        return name

    def find(self, name: str) -> str | None:
        """The digest of the token that the browser has shown; None if there is no such session."""
        end, token = self._entries.get(hash_token(name), (0.0, None))
        return token if end > monotonic() else None


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
        # Servers on other ports of this host would overwrite a cookie of the same name.
        self._cookie = f"tuqa_session_{options.port}"
        self._accesses = Accesses(options)
        self._sessions = Sessions()
        self._uploads = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Each look-up in the headers of Starlette goes through all of them.
        headers = {
            name.decode("latin-1"): text.decode("latin-1") for name, text in scope["headers"]
        }
        added = _STATIC_HEADERS if scope["path"].startswith("/static/") else _HEADERS

        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                missing = [pair for pair in added if pair[0] not in own]
                message["headers"] = [*message["headers"], *missing]
            await send(message)

        admitted = self._admit(scope, headers)
        if isinstance(admitted, Response):
            await admitted(scope, receive, send_protected)
            return
        with admitted.enter():
            await self._take_place(scope, receive, send_protected)

    async def _take_place(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST" or scope["path"] not in UPLOAD_PATHS:
            await self._pass_on(scope, receive, send, self._options.max_body)
        elif self._uploads >= _MAX_UPLOADS:
            busy = _problem(503, "server busy", "too many uploads at a time", "try again later")
            await busy(scope, receive, send)
        else:
            self._uploads += 1
            try:
                await self._pass_on(scope, receive, send, self._options.max_upload)
            finally:
                self._uploads -= 1

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send, limit: int) -> None:
        timeout = self._options.body_timeout
        try:
            await self._app(scope, _limit_body(receive, limit, timeout), send)
        except _BodyTooSlow:
            response = _problem(
                408, "body too slow", f"no part of the body came for {timeout:g} seconds",
                "send the request again, all of it",
            )  # fmt: skip
            await response(scope, receive, send)
        except _BodyTooLong:
            response = _problem(
                413, "body too long", f"more than {limit:,} bytes",
                "send less, or load with tuqa-load",
            )  # fmt: skip
            await response(scope, receive, send)

    def _admit(self, scope: Scope, headers: Mapping[str, str]) -> Access | Response:
        """Find what a request may do; return a response instead to one that must not pass."""
        if problem := _check_head(scope):
            return problem
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            return _problem(
                421, "unknown host", f"this server is not {host[:200]!r}", "use the printed address"
            )
        is_safe = scope["method"] in _SAFE_METHODS and scope["path"] != _ASK_PATH
        if not is_safe and not _is_same_origin(headers, host):
            return _refuse_origin()
        if scope["path"] in OPEN_PATHS:
            return NOBODY
        try:
            admitted = self._find_access(scope, headers, host, is_safe)
            if isinstance(admitted, Access) and scope["path"] == AGENT_PATH:
                admitted.check("ask")
            return admitted or _refuse_stranger(headers)
        except NotAllowed as error:
            return problem_response(make_problem(error))
        except BadSettings as error:
            _LOGGER.warning("named tokens are refused: %s", error.summary)
            return _problem(
                503, "tokens not readable", "the server cannot read its named tokens",
                "who runs the server sees why with `tuqa serve token list`",
            )  # fmt: skip

    def _find_access(
        self, scope: Scope, headers: Mapping[str, str], host: str, is_safe: bool
    ) -> Access | Response | None:
        """The access of the token that the request shows, in a header, its address or a session."""
        for token in _bearer(headers):
            if access := self._find(hash_token(token), scope):
                return access
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        # Each one that is looked up reads the file of tokens.
        shown = dict(reversed(query)).get("token") if scope["method"] == "GET" else None
        if shown is not None and (access := self._find(hash_token(shown), scope)):
            # Agents have no page.
            return access if access.is_agent else self._begin_session(scope, query, shown)
        for cookie in _cookies(headers, self._cookie):
            digest = self._sessions.find(cookie)
            access = None if digest is None else self._find(digest, scope)
            if access is not None:
                return access if _is_of_page(headers, host, is_safe) else _refuse_origin()
        return None

    def _find(self, digest: str, scope: Scope) -> Access | None:
        access = self._accesses.find(digest)
        is_foreign = access is not None and access.is_agent and scope["path"] != AGENT_PATH
        return None if is_foreign else access

    def _begin_session(self, scope: Scope, query: list[tuple[str, str]], token: str) -> Response:
        # The address of the page does not keep the token: it would be in the history of the browser.
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        path = "/" + scope["path"].lstrip("/")
        response = RedirectResponse(f"{path}?{rest}" if rest else path, status_code=303)
        response.set_cookie(
            self._cookie, self._sessions.begin(hash_token(token)), max_age=int(_SESSION_TIME), path="/",
            httponly=True, samesite="strict",
        )  # fmt: skip
        return response


def _problem(status: int, kind: str, detail: str, hint: str) -> Response:
    return problem_response(describe_problem(status, kind, detail, hint))


def _check_head(scope: Scope) -> Response | None:
    """The response to a request with too long a head, or with several hosts; None if it may pass."""
    headers = scope["headers"]
    size = len(scope["path"]) + len(scope["query_string"])
    size += sum(map(len, chain.from_iterable(headers)))
    if size > MAX_HEAD or len(headers) > _MAX_HEADERS:
        return _problem(
            431, "head too long", f"more than {MAX_HEAD:,} bytes or {_MAX_HEADERS} headers",
            "send long texts in the body",
        )  # fmt: skip
    if [name for name, _ in headers].count(b"host") > 1:
        return _problem(400, "bad request", "several headers Host", "send one")
    return None


def _refuse_stranger(headers: Mapping[str, str]) -> Response:
    if "text/html" in headers.get("accept", ""):
        return HTMLResponse(_REFUSAL_PAGE, 401)
    return problem_response(
        describe_problem(
            401, "no token", "the request shows no token of this server, or an old or revoked one",
            "open the address that tuqa serve printed, or send it as Authorization: Bearer TOKEN",
        ),
        {"WWW-Authenticate": "Bearer"},
    )  # fmt: skip


def _refuse_origin() -> Response:
    return _problem(
        403, "foreign origin", "the request comes from a page of another site",
        "use the page of this server, or send no Origin",
    )  # fmt: skip


def _is_same_origin(headers: Mapping[str, str], host: str) -> bool:
    """True unless a browser says that the request comes from elsewhere."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    return site in (None, "same-origin", "none") and (origin is None or _is_origin(origin, host))


def _is_origin(origin: str, host: str) -> bool:
    return origin.lower() in (f"http://{host}", f"https://{host}")


def _is_of_page(headers: Mapping[str, str], host: str, is_safe: bool) -> bool:
    """True if a request with a cookie comes from the page, or opens it by a link.

    What another server of this host has seen of a cookie cannot be sent by its pages.
    """
    site = headers.get("sec-fetch-site")
    if is_safe:
        is_link = headers.get("sec-fetch-mode") == "navigate"
        return site in (None, "same-origin", "none") or is_link
    # A browser says at least one of the three.
    referer = "/".join(headers.get("referer", "").split("/", 3)[:3])
    return site is not None or _is_origin(headers.get("origin", referer), host)


def _cookies(headers: Mapping[str, str], name: str) -> tuple[str, ...]:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ()
    return () if morsel is None else (morsel.value,)


def _bearer(headers: Mapping[str, str]) -> tuple[str, ...]:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return (token.strip(),) if scheme.lower() == "bearer" else ()


def _limit_body(receive: Receive, limit: int, timeout: float) -> Receive:
    begun = monotonic()
    length, is_complete = 0, False

    async def receive_limited() -> Message:
        nonlocal length, is_complete
        if is_complete:
            # After the body comes only the end of the connection, which may take as long as it likes.
            return await receive()
        # A byte at a time would otherwise take for ever.
        latest = begun + timeout + length / _MIN_RATE
        try:
            async with asyncio.timeout(max(0.0, min(timeout, latest - monotonic()))):
                message = await receive()
        except TimeoutError as error:
            raise _BodyTooSlow from error
        is_complete = not message.get("more_body", False)
        length += len(message.get("body", b""))
        if length > limit:
            raise _BodyTooLong
        return message

    return receive_limited
