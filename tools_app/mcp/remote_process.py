"""python -m tools_app.mcp.remote_process: list the tools of a remote MCP server, or call one, and exit.

After the answer it may stay connected, to learn when the lists of the server change.

This is a guarded process: it has the headers for one server, may connect only to that server's port, and parses what
comes from the network so that the door does not have to.
"""

import asyncio
import importlib
import json
import ssl
import sys
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import anyio.to_thread
import httpx2
from mcp import Client, MCPError
from mcp.client.auth.utils import extract_field_from_www_auth, extract_scope_from_www_auth
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND, REQUEST_TIMEOUT, Implementation

from tools_app.mcp import listing
from tools_app.mcp.asking import NO_LIMIT_SECONDS, Asking, list_roots
from tools_app.mcp.changes import Changes, announces
from tools_app.mcp.definitions import ServerTool, read_tools
from tools_app.mcp.forms import CANCELLED, PEOPLE_SECONDS, Form, FormReply, ask_nobody
from tools_app.mcp.lenient import accept_results_without_type
from tools_app.mcp.pinned import Refused, check, client
from tools_app.mcp.search_process import LAZY_IMPORTS
from tools_app.web.guarded.confine import confine
from tools_app.web.guarded.messages import send
from tools_app.web.rules import WebRules

MAX_ANSWER_BYTES: Final = 16 << 20
CPU_SECONDS: Final = 20.0
LIST_SECONDS: Final = 20.0
WRONG_KEY: Final = frozenset({401, 403})
MAX_CHALLENGE_CHARACTERS: Final = 2_000
MAX_SCOPE_CHARACTERS: Final = 2_000


@dataclass(slots=True)
class Order:
    """The request that the door sends on standard input. Without a `tool`, tools, prompts and resources are listed.

    `ask` is the kind of object that `tool` names: "" for a tool, "prompt" for a prompt, "completion" for a prompt, to
    get suggestions for one of its arguments, "resource" for the address of a resource.
    """

    url: str
    transport: str
    headers: Mapping[str, str]
    allowed: list[str]
    certificates: str
    seconds: float
    """Time limit for the call."""
    tool: str = ""
    digest: str = ""
    """The call is made only if the server's definition of the tool has this digest."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    ask: str = ""
    asks_people: bool = False
    """The server may ask people something during the call."""
    follow_seconds: float = 0.0
    """How long to stay connected afterwards at most, if the server says when its lists change. The door closes standard
    input when it has enough."""


class TooLarge(Exception):
    """The answer is larger than `MAX_ANSWER_BYTES`."""


class _Wire:
    """The last failed HTTP response of the server, and whether a call was sent."""

    def __init__(self) -> None:
        self.status = 0
        self.location = ""
        self.challenge = ""
        self.wanted = ""
        self.made = False

    async def note(self, response: httpx2.Response) -> None:
        """Record a failed response.

        A 401 is kept until a request succeeds: a client that then tries the other generation of the protocol gets a
        different error, which must not replace it.
        """
        if response.is_success and self.status == httpx2.codes.UNAUTHORIZED:
            self.status = 0
        is_failure = response.is_error or response.is_redirect
        if not is_failure or self.status == httpx2.codes.UNAUTHORIZED != response.status_code:
            return
        self.status = response.status_code
        self.location = response.headers.get("location", "")[:500]
        self.challenge = response.headers.get("www-authenticate", "")[:MAX_CHALLENGE_CHARACTERS]
        is_narrow = extract_field_from_www_auth(response, "error") == "insufficient_scope"
        self.wanted = (extract_scope_from_www_auth(response) or "")[:MAX_SCOPE_CHARACTERS] if is_narrow else ""


def main() -> None:
    order = Order(**json.loads(sys.stdin.buffer.readline()))
    asyncio.run(_answer(order))


async def _answer(order: Order) -> None:
    """Send a request to the MCP server, and write the server's answer to the door on stdout.

    `confine` is called late, because starting the event loop needs a socket pair, and the first check of a schema reads
    files.
    """
    tls = ssl.create_default_context()
    if order.certificates:
        tls.load_verify_locations(order.certificates)
    for module in LAZY_IMPORTS:
        importlib.import_module(module)
    read_tools([{"name": "warm-up", "inputSchema": {"type": "object", "properties": {"a": {"pattern": "a"}}}}])
    wire = _Wire()
    try:
        rules = WebRules.exempting(order.allowed)
        port = check(order.url, rules).port
        confine(seconds=CPU_SECONDS, ports=[port])
        await _ask(order, wire, rules, tls)
    except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 - the door must hear of it, whatever it is
        send("failed", **_reason(error, wire, order))


async def _ask(order: Order, wire: _Wire, rules: WebRules, tls: ssl.SSLContext) -> None:
    hooks = {"response": [wire.note]}

    def http(*_: Any, **__: Any) -> httpx2.AsyncClient:
        people = PEOPLE_SECONDS if order.asks_people else 0.0
        silence = max(order.seconds + LIST_SECONDS + people, order.follow_seconds)
        return client(rules, tls, order.headers, silence, hooks)

    async with http() as opened:
        if order.transport == "sse":
            transport: Any = sse_client(order.url, httpx_client_factory=http)
        else:
            transport = streamable_http_client(order.url, http_client=opened)
        changes = Changes()
        asking = Asking(ask_people if order.asks_people else ask_nobody, order.seconds)
        talk = Client(
            transport,
            read_timeout_seconds=LIST_SECONDS,
            list_roots_callback=list_roots,
            elicitation_callback=lambda context, params: asking.answer(params),  # noqa: ARG005 - named by the library
            message_handler=changes.on_message,
            client_info=Implementation(name="agentsite", version="1"),
            cache=None,
        )
        async with talk:
            accept_results_without_type(talk)
            if order.ask:
                await _read(order, talk)
                return
            follows = order.follow_seconds > 0 and announces(talk)
            if not order.tool:
                await _send_all(talk, follows=follows)
            else:
                tools = await _list(talk)
                async with asking.limited():
                    kind, answer = await _called(order, wire, talk, tools)
                send(kind, answer, follows=follows, announced=changes.seen and not follows)
            if follows:
                await _until_left(changes.follow(talk, lambda: _send_all(talk, follows=True)))


async def _until_left(following: Coroutine[Any, Any, None]) -> None:
    """Run `following` until it ends, or until the door closes standard input or exits.

    The door sends no data on standard input meanwhile.
    """
    left = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin.fileno(), left.set)
    waits = [asyncio.ensure_future(following), asyncio.ensure_future(left.wait())]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        if waits[0].done():
            waits[0].result()
    finally:
        loop.remove_reader(sys.stdin.fileno())
        for each in waits:
            each.cancel()


async def _send_all(talk: Client, *, follows: bool) -> None:
    """Send the lists of the MCP server's tools, prompts and resources to the door."""
    tools = await _list(talk)
    offerings = await listing.list_offerings(talk)
    send("listed", _body({**_listed(tools, talk), "offerings": offerings.as_dict()}), follows=follows)


async def _list(talk: Client) -> list[ServerTool]:
    async with asyncio.timeout(LIST_SECONDS):
        return await listing.list_tools(talk)


def _listed(tools: list[ServerTool], talk: Client) -> dict[str, Any]:
    return {"tools": [tool.as_dict() for tool in tools], "facts": _facts(talk)}


async def _read(order: Order, talk: Client) -> None:
    """Get a prompt, suggestions for one of its arguments, or a resource from the MCP server, and send it as the
    answer."""
    async with asyncio.timeout(order.seconds):
        match order.ask:
            case "prompt":
                answer = await listing.get_prompt(talk, order.tool, order.arguments)
            case "completion":
                answer = await listing.complete_argument(talk, order.tool, order.arguments)
            case _:
                answer = await listing.read_resource(talk, order.tool)
    send("answer", _body(answer))


async def _called(order: Order, wire: _Wire, talk: Client, tools: list[ServerTool]) -> tuple[str, bytes]:
    """Make the call and return the message with its answer; if the tool has changed, do not make it and return a
    message that says so."""
    known = {tool.name: tool for tool in tools}
    if order.tool not in known or known[order.tool].digest != order.digest:
        return "changed", _body(_listed(tools, talk))

    async def report(progress: float, total: float | None, message: str | None) -> None:
        send("progress", done=progress, total=total, message=(message or "")[:500])

    wire.made = True
    send("calling")
    result = await talk.call_tool(
        order.tool, dict(order.arguments), read_timeout_seconds=NO_LIMIT_SECONDS, progress_callback=report
    )
    return "answer", _body(result.model_dump(by_alias=True, mode="json", exclude_none=True))


async def ask_people(form: Form) -> FormReply:
    """Send a form to people through the door (network proxy), and wait for a line with their reply on stdin."""
    send("form", _body(form.as_dict()))
    line = await anyio.to_thread.run_sync(sys.stdin.buffer.readline, abandon_on_cancel=True)
    return FormReply(**json.loads(line)) if line else CANCELLED


def _body(value: Any) -> bytes:
    body = json.dumps(value).encode()
    if len(body) > MAX_ANSWER_BYTES:
        raise TooLarge
    return body


def _facts(talk: Client) -> dict[str, str]:
    info = talk.server_info
    return {
        "name": info.name[:200] if info else "",
        "version": info.version[:100] if info else "",
        "protocol": talk.protocol_version[:40],
        "instructions": (talk.instructions or "")[:4_000],
    }


def _reason(error: BaseException, wire: _Wire, order: Order) -> dict[str, Any]:
    """Return the fields of a failure. `problem` is a verb phrase to put after the name of the server."""
    first = error
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    if wire.status in WRONG_KEY and not isinstance(first, TimeoutError):
        problem = f"does not accept the key: it answered {wire.status}"
        said = {"challenge": wire.challenge, "wanted": wire.wanted}
        return {"problem": problem, "made": False, "sign_in": True, **said}
    was_refused = isinstance(first, MCPError) and first.code in (INVALID_PARAMS, METHOD_NOT_FOUND)
    problem = _of_response(wire) or _of_exception(first, order.seconds if wire.made else LIST_SECONDS)
    return {"problem": problem, "made": wire.made and not was_refused, "sign_in": False}


def _of_response(wire: _Wire) -> str:
    """Return the reason why an answer is missing, from the recorded HTTP response, as a verb phrase; "" if the response
    gives no reason."""
    if wire.location:
        return f"redirects to {wire.location}, which is not followed"
    return f"answered {wire.status}" if wire.status and not wire.made else ""


def _of_exception(error: BaseException, seconds: float) -> str:
    match error:
        case Refused():
            return f"cannot be reached: {str(error).removesuffix('.')}"
        case TimeoutError() | httpx2.TimeoutException():
            return f"did not answer within {seconds:g} s"
        case MCPError():
            is_late = error.code == REQUEST_TIMEOUT
            return (
                f"did not answer within {seconds:g} s" if is_late else f"refused the request: {error.message[:1_000]}"
            )
        case httpx2.HTTPError() | OSError():
            return f"cannot be reached ({str(error)[:300] or type(error).__name__})"
        case TooLarge():
            return f"sent an answer of more than {MAX_ANSWER_BYTES >> 20} MiB"
    return f"sent something that does not follow the protocol ({type(error).__name__})"


if __name__ == "__main__":
    main()
