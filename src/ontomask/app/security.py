"""The guard in front of the server: which hosts, origins and visitors it answers, and the headers of every answer.

- Host: a page of another site whose name was made to lead to this machine (DNS rebinding) sends its own name.
- Origin: another site, or another port of this machine, may not change anything here, nor open a websocket.
- Visitors: a link with a one-time token gives a browser a session; programs have a token of their own; other machines need a
  password.
- Content-security policy: scripts only of this server, marked by a nonce that nobody can guess; nothing from other hosts.

It is plain ASGI, so that it also stands before NiceGUI's websocket.
"""

from __future__ import annotations

import ipaddress
import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ontomask.app.sessions import Visitors

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SAFE = ("GET", "HEAD")
#: The most bytes of a request that is not an upload.
MOST_BYTES = 6 << 20
#: Where uploads go: their size has a limit of its own.
UPLOADS = ("/data", "/taxonomies", "/severities")
#: Files of the program, which are the same for all: they may be kept by a browser.
STATIC = ("/_nicegui/", "/assets/")
#: Headers that others, such as a proxy, might read otherwise if they stood twice.
_ONCE = (b"host", b"origin", b"authorization", b"content-length")
LOGIN, API = "/login", "/api"

_ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
#: For what is no page of ours.
_NOTHING = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'; sandbox"
)
_PLAIN = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"


def policy_of_page(nonce: str) -> str:
    """The content-security policy of a page."""
    return (
        f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'none'; object-src 'none'"
    )


class Guard:
    """Stands before the application; what is refused never reaches it."""

    def __init__(self, app: App, visitors: Visitors, *, names: frozenset[str], port: int, local: bool) -> None:
        self.app = app  # NiceGUI looks for the application behind its wrappers by this name
        self.visitors = visitors
        self._names, self._port, self._local = names, port, local
        self.max_upload = MOST_BYTES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refused(scope, headers)
        if scope["type"] == "websocket":
            if refused is not None or not self._has_session(headers):
                await receive()
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self.app(scope, receive, send)
            return
        answer = _Answer(send, scope["path"])
        if refused is not None:
            await answer.plain(scope, *refused)
        elif scope["path"] == "/" and "token=" in scope.get("query_string", b"").decode("latin-1"):
            await self._enter_by_link(scope, answer)
        elif scope["path"] == LOGIN and self.visitors.has_password:
            await self._log_in(scope, receive, headers, answer)
        elif not self._may(scope, headers):
            await self._turn_away(scope, answer)
        else:
            await self.app(scope, self._limited(scope, receive), answer.send)

    # ---- where a request comes from ------------------------------------------------------------------------------

    def _refused(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """The status and the reason, if a request is not answered whoever it is from."""
        names = [name.lower() for name, _ in scope["headers"]]
        if any(names.count(name) > 1 for name in _ONCE):
            return 400, "A header stands in the request twice."
        host = headers.get("host", "")
        if not self._is_own(host):
            return 421, "This address is not one of this server. Open the link that the terminal shows."
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        own = [
            f"http://{host}".lower(),
            *([] if self._local else [f"https://{host}".lower()]),
        ]  # perhaps behind a proxy
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE
        program = headers.get("authorization", "").startswith("Bearer ") and scope["path"].startswith(API)
        if origin is not None and origin.lower() not in own:
            return 403, "Requests of other sites are not answered."
        if changes and origin is None and not program:
            return 403, "Requests that change something must say where they come from (Origin)."
        opened = headers.get("sec-fetch-mode") == "navigate" and not changes and not scope["path"].startswith(API)
        if site not in (None, "same-origin", "none") and not opened:
            return 403, "Requests of other sites are not answered."
        size = headers.get("content-length", "0")
        if not size.isdecimal() or (int(size) > MOST_BYTES and not _is_upload(scope)):
            return 413, "The request is too large."
        return None

    def _is_own(self, host: str) -> bool:
        """Is it an address of this server? A number cannot be a name that somebody made to lead here."""
        try:
            found = urlsplit(f"//{host}")
            name, port = (found.hostname or "").lower(), found.port
        except ValueError:
            return False
        if found.username is not None or found.path or found.query or "#" in host:
            return False
        if self._local:
            return name in self._names and (port or 80) == self._port
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self._names
        return True

    # ---- who it comes from ---------------------------------------------------------------------------------------

    def _has_session(self, headers: dict[str, str]) -> bool:
        """Cookies of all programs on this machine come along: those that are written oddly must not hide ours."""
        pairs = (cookie.strip().partition("=") for cookie in headers.get("cookie", "").split(";"))
        return any(name == self.visitors.cookie and self.visitors.knows(value) for name, _, value in pairs)

    def _may(self, scope: Scope, headers: dict[str, str]) -> bool:
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind == "Bearer" and scope["path"].startswith(API):
            return self.visitors.is_program(token.strip())
        return self._has_session(headers)

    async def _enter_by_link(self, scope: Scope, answer: _Answer) -> None:
        """Exchange a one-time token for a session. A page leads on: after a redirect from elsewhere no cookie is sent."""
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[-1]
        session = self.visitors.enter(token) if scope["method"] == "GET" else None
        if session is None:
            await answer.page(403, "This link was used before, or it is not a link of this server", _AGAIN)
            return
        await answer.page(200, *_OPENS, self._cookie(session), _LEADS_ON)

    def _cookie(self, session: str) -> dict[str, str]:
        return {"set-cookie": f"{self.visitors.cookie}={session}; Path=/; HttpOnly; SameSite=Strict"}

    async def _log_in(self, scope: Scope, receive: Receive, headers: dict[str, str], answer: _Answer) -> None:
        if scope["method"] != "POST":
            await answer.page(200, "ontomask", _FORM)
            return
        body = b""
        async for chunk in _body(receive):
            body += chunk
            if len(body) > 4096:
                break
        given = parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0]
        who = (scope.get("client") or ["?"])[0]
        session, wait = await self.visitors.log_in(given, who)
        if session is not None:
            await answer.page(200, *_OPENS, self._cookie(session), _LEADS_ON)
        elif wait:
            await answer.page(429, "Too many attempts", f"<p>Try again in {wait} seconds.</p>")
        else:
            await answer.page(403, "The password is wrong", _FORM)

    async def _turn_away(self, scope: Scope, answer: _Answer) -> None:
        if scope["path"].startswith(API):
            await answer.plain(
                scope, 401, "No session and no token: open the link of the terminal, or send a bearer token."
            )
        elif self.visitors.has_password:
            await answer.page(403, "ontomask", _FORM)
        else:
            await answer.page(403, "Open the link that the terminal shows", _AGAIN)

    # ---- how much ------------------------------------------------------------------------------------------------

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        """Stop reading a request that has more bytes than it may."""
        most = self.max_upload if _is_upload(scope) else MOST_BYTES
        count = 0

        async def limited() -> Message:
            nonlocal count
            message = await receive()
            count += len(message.get("body", b""))
            return {"type": "http.disconnect"} if count > most + MOST_BYTES else message

        return limited


def _is_upload(scope: Scope) -> bool:
    return bool(scope["type"] == "http" and scope["method"] == "PUT" and scope["path"].endswith(UPLOADS))


async def _body(receive: Receive) -> Any:
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return
        yield message.get("body", b"")
        more = message.get("more_body", False)


# ---- answers -------------------------------------------------------------------------------------------------------

_AGAIN = (
    "<p>A link opens one browser, once. The terminal in which <code>ontomask app</code> runs shows a new link after each "
    "use.</p>"
)
_OPENS = ("ontomask opens", '<p><a href="/">Open</a></p>')
_LEADS_ON = '<meta http-equiv="refresh" content="0; url=/">'
_FORM = (
    '<form method="post" action="/login"><p><label>Password <input type="password" name="password" autofocus '
    'autocomplete="current-password"></label> <button>Open</button></p></form>'
)
_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}<style>'
    "body{{font:1.1rem system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1rem;line-height:1.5;"
    "color-scheme:light dark}}</style></head><body><main><h1>{title}</h1>{body}</main></body></html>"
)


class _Answer:
    """Sends an answer with the headers that all have, and marks the scripts of pages with a nonce."""

    def __init__(self, send: Send, path: str) -> None:
        self._send, self._path = send, path
        self._start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [(n, v) for n, v in message["headers"] if n.lower() not in (b"server", b"x-powered-by")]
            kind = next((value for name, value in headers if name.lower() == b"content-type"), b"")
            page = kind.startswith(b"text/html") and not self._path.startswith(API)
            message = {**message, "headers": headers}
            if page:
                self._start = message
                return
            await self._send({**message, "headers": self._complete(headers, _NOTHING)})
        elif self._start is not None and message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._finish_page(self._start)
        else:
            await self._send(message)

    async def _finish_page(self, start: Message) -> None:
        nonce = secrets.token_urlsafe(18)
        body = self._body.replace(b"<script", f'<script nonce="{nonce}"'.encode())
        headers = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
        headers.append((b"content-length", str(len(body)).encode()))
        self._start = None
        await self._send({**start, "headers": self._complete(headers, policy_of_page(nonce))})
        await self._send({"type": "http.response.body", "body": body})

    def _complete(self, headers: list[tuple[bytes, bytes]], policy: str) -> list[tuple[bytes, bytes]]:
        """The headers with those that every answer has."""
        own = {name.lower() for name, _ in headers}
        more = dict(_ALWAYS)
        if b"content-security-policy" not in own:
            more["content-security-policy"] = policy
        if not self._path.startswith(STATIC):
            headers = [(name, value) for name, value in headers if name.lower() != b"cache-control"]
            more["cache-control"] = "no-store"
        return [*headers, *((name.encode(), value.encode()) for name, value in more.items())]

    async def _whole(self, status: int, kind: str, body: bytes, policy: str, more: dict[str, str]) -> None:
        given = {"content-type": kind, "content-length": str(len(body))} | more
        headers = [(name.encode(), value.encode()) for name, value in given.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": self._complete(headers, policy)})
        await self._send({"type": "http.response.body", "body": body})

    async def plain(self, scope: Scope, status: int, reason: str) -> None:
        """A refusal: JSON for programs, a page for people."""
        if scope["path"].startswith(API):
            await self._whole(status, "application/json", json.dumps({"error": reason}).encode(), _NOTHING, {})
        else:
            await self.page(status, "This request is refused", f"<p>{reason}</p>")

    async def page(
        self, status: int, title: str, body: str, more: dict[str, str] | None = None, head: str = ""
    ) -> None:
        """A small page of our own words."""
        text = _PAGE.format(title=title, body=body, head=head)
        await self._whole(status, "text/html; charset=utf-8", text.encode(), _PLAIN, more or {})
