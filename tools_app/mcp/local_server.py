"""LocalServer: one running MCP server of a workspace, and the client that talks to it over stdio."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Final, TypeVar

from mcp import Client, MCPError
from mcp.client import ClientRequestContext
from mcp_types import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    REQUEST_TIMEOUT,
    CallToolResult,
    ElicitRequestParams,
    ElicitResult,
    Implementation,
)

from sandbox.errors import SandboxError
from sandbox.ports import ProcessRequest, Runtime
from tools_app.mcp import listing
from tools_app.mcp.asking import NO_LIMIT_SECONDS, Asking, list_roots
from tools_app.mcp.calling import CallProgress
from tools_app.mcp.changes import Changes
from tools_app.mcp.definitions import ServerTool
from tools_app.mcp.forms import Ask, ask_nobody
from tools_app.mcp.launch import CallFailed, Launch, ServerFacts, ServerFailed
from tools_app.mcp.lenient import accept_results_without_type
from tools_app.mcp.offerings import Offerings
from tools_app.mcp.stdio import Allowance, connected

START_TIMEOUT_SECONDS: Final = 60.0
"""Time for a server to start and to list its tools. `npx` and `uvx` may install it first."""
LIST_TIMEOUT_SECONDS: Final = 15.0
COMPLETION_TIMEOUT_SECONDS: Final = 15.0
RELIST_DELAY_SECONDS: Final = 1.0  # changes of the list within this time are read together
T = TypeVar("T")
LOG_LEVEL: Final = "info"
MAX_SHOWN_COMMAND: Final = 300  # characters in the log
CLIENT: Final = Implementation(name="agentsite", version="1")
_asking: Final[ContextVar[Asking | None]] = ContextVar("asking", default=None)

_WITH_LOG: Final = """
log="$HOME/.cache/agentsite-mcp/$0.log"; mkdir -p "${log%/*}"
exec {words}> >(trap "" XFSZ; ulimit -f 2048; exec tee -- "$log" >&2)
writer=$!
"$@" 2>&$words {words}>&-
code=$?
exec {words}>&-
for _ in {1..30}; do kill -0 "$writer" 2>/dev/null || break; sleep 0.1; done
exit "$code"
"""
"""Starts the program and also writes its stderr to a file, of which the first 2 MiB are kept. After the program has
ended, it waits up to 3 s until the last lines are written, because a program that it left behind may keep stderr
open."""


class LocalServer:
    """A running local MCP server. All its methods run on the event loop that started it."""

    def __init__(self, launch: Launch, log: Callable[[str], None]) -> None:
        self.launch = launch
        self.tools: dict[str, ServerTool] = {}
        self.facts = ServerFacts()
        self.offerings = Offerings()
        self.changes = Changes()
        self.failure = ""
        self.on_change: Callable[[], Awaitable[None]] | None = None  # called when the lists were read again
        self._log = log
        self._allowance = Allowance()
        self._stopped = asyncio.Event()
        self._client: Client | None = None
        self._calls = 0
        self._asking: set[Asking] = set()

    @property
    def is_busy(self) -> bool:
        """True while a call is running."""
        return self._calls > 0

    @property
    def is_alive(self) -> bool:
        return self._client is not None and not self._stopped.is_set()

    async def serve(self, runtime: Runtime, ready: "asyncio.Future[None]") -> None:
        """Start the server and keep it until it ends or is stopped. `ready` is set when it has listed its tools, or
        gets ServerFailed."""
        try:
            await self._connect(runtime, ready)
        except asyncio.CancelledError:
            self._fail("was stopped", ready)
            raise
        except BaseException as error:  # also exception groups; any error must end the waiting of callers
            self._fail(self.failure or _reason(error), ready)
            if not isinstance(error, Exception):
                raise
        finally:
            self._stopped.set()
            self._client = None

    async def _connect(self, runtime: Runtime, ready: "asyncio.Future[None]") -> None:
        process = await runtime.open_process(_request(self.launch))
        self._log(f"started: {' '.join(' '.join(self.launch.command).split())[:MAX_SHOWN_COMMAND]}")
        transport = connected(process, self._allowance, lambda line: self._log(f"stdout: {line}"), self._ended)
        client = Client(
            transport,
            read_timeout_seconds=START_TIMEOUT_SECONDS,
            logging_callback=self._on_log,
            log_level=LOG_LEVEL,
            list_roots_callback=list_roots,
            elicitation_callback=self._on_form,
            message_handler=self.changes.on_message,
            client_info=CLIENT,
            cache=None,
        )
        async with asyncio.timeout(START_TIMEOUT_SECONDS) as limit:
            async with client:
                self._client = client
                accept_results_without_type(client)
                self.facts = _facts(client)
                await self._list()
                limit.reschedule(None)
                if not ready.done():
                    ready.set_result(None)
                events = asyncio.create_task(self._hear(client), name=f"mcp-events-{self.launch.name}")
                try:
                    await self._follow()
                finally:
                    events.cancel()

    async def _hear(self, client: Client) -> None:
        """Subscribe to changes of the server's lists. If the server connects with a handshake, set the level of its
        log messages instead."""
        if not await self.changes.hear(client) and client.server_capabilities.logging is not None:
            with suppress(MCPError, TimeoutError):
                await client.set_logging_level(LOG_LEVEL)

    async def _follow(self) -> None:
        """Request the server's lists of tools, prompts and resources again whenever the server reports a change of
        one of them, until it ends."""
        while not self._stopped.is_set():
            waits = [asyncio.ensure_future(each.wait()) for each in (self._stopped, self.changes.event)]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for each in waits:
                each.cancel()
            if self.changes.seen and not self._stopped.is_set():
                await asyncio.sleep(RELIST_DELAY_SECONDS)
                self.changes.event.clear()
                with suppress(MCPError, TimeoutError):
                    await self._list()
                    if self.on_change is not None:
                        await self.on_change()

    async def _list(self) -> None:
        client = self._require_client()
        self._allowance.renew()
        async with asyncio.timeout(LIST_TIMEOUT_SECONDS):
            self.tools = {tool.name: tool for tool in await listing.list_tools(client)}
        with suppress(TimeoutError):
            async with asyncio.timeout(LIST_TIMEOUT_SECONDS):
                self.offerings = await listing.list_offerings(client)

    async def call(
        self,
        tool: ServerTool,
        arguments: Mapping[str, Any],
        timeout_seconds: float,
        show: CallProgress,
        ask: Ask = ask_nobody,
    ) -> Mapping[str, Any]:
        """Call a tool and return the answer as JSON. `ask` lets the server ask people during the call; the time limit
        is paused meanwhile. Raises CallFailed. If the caller is cancelled, the server is told to cancel the call."""
        client = self._require_client()
        asking = Asking(ask, timeout_seconds, self._log)

        async def report(progress: float, total: float | None, message: str | None) -> None:
            show(progress, total, message or "")

        async def called() -> CallToolResult:
            _asking.set(asking)
            self._asking.add(asking)
            try:
                async with asking.limited():
                    return await client.call_tool(
                        tool.name,
                        dict(arguments),
                        read_timeout_seconds=NO_LIMIT_SECONDS,
                        progress_callback=report,
                    )
            finally:
                self._asking.discard(asking)

        result = await self._asked(called(), timeout_seconds)
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)

    async def _on_form(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        """Show a form to the people of the tool call that caused it. A server that connects with a handshake does not
        name the call. So while several calls run, nobody is asked: the form might be shown to the people of another
        session."""
        asking = _asking.get()
        if asking is None and len(self._asking) == 1:
            (asking,) = self._asking
        if asking is None:
            self._log("asks people something outside of a call, or during several; nobody was asked")
            return ElicitResult(action="cancel")
        return await asking.answer(params)

    async def get_prompt(self, name: str, arguments: Mapping[str, str]) -> Mapping[str, Any]:
        """Return a prompt as JSON. Raises CallFailed."""
        asking = listing.get_prompt(self._require_client(), name, arguments)
        return await self._asked(asking, START_TIMEOUT_SECONDS)

    async def complete_argument(self, prompt: str, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return suggestions for an argument of a prompt as JSON. Raises CallFailed."""
        asking = listing.complete_argument(self._require_client(), prompt, wanted)
        return await self._asked(asking, COMPLETION_TIMEOUT_SECONDS)

    async def read_resource(self, uri: str) -> Mapping[str, Any]:
        """Return a resource of the server as JSON. Raises CallFailed."""
        return await self._asked(listing.read_resource(self._require_client(), uri), START_TIMEOUT_SECONDS)

    async def _asked(self, asking: Awaitable[T], timeout_seconds: float) -> T:
        self._allowance.renew()
        self._calls += 1
        try:
            return await asking
        except MCPError as error:
            raise self._failed_call(error, timeout_seconds) from error
        except TimeoutError as error:
            raise CallFailed(f"did not answer within {timeout_seconds:g} s", made=True) from error
        except ValueError as error:  # pydantic's too
            raise CallFailed("sent an answer that does not follow the protocol", made=True) from error
        finally:
            self._calls -= 1

    def _failed_call(self, error: MCPError, timeout_seconds: float) -> CallFailed:
        if self._stopped.is_set():
            return CallFailed(self.failure or "was stopped", made=True)
        if error.code == REQUEST_TIMEOUT:
            return CallFailed(f"did not answer within {timeout_seconds:g} s", made=True)
        made = error.code not in (INVALID_PARAMS, METHOD_NOT_FOUND)
        return CallFailed(f"refused the call: {error.message[:1_000]}", made=made)

    def stop(self) -> None:
        self._stopped.set()

    def _require_client(self) -> Client:
        if self._client is None or self._stopped.is_set():
            raise CallFailed(self.failure or "was stopped", made=False)
        return self._client

    def _ended(self, reason: str) -> None:
        if not self._stopped.is_set():
            self.failure = self.failure or reason
            self._log(reason)
        self._stopped.set()

    def _fail(self, reason: str, ready: "asyncio.Future[None]") -> None:
        self.failure = reason
        if not ready.done():
            self._log(reason)
            ready.set_exception(ServerFailed(reason))

    async def _on_log(self, params: Any) -> None:
        self._log(f"{params.level}: {str(params.data)[:500]}")


def _request(launch: Launch) -> ProcessRequest:
    name = f"mcp-{launch.id}"
    return ProcessRequest(
        name,
        ("bash", "-c", _WITH_LOG, launch.id, *launch.command),
        env=dict(launch.environment),
        as_command=True,
    )


def _facts(client: Client) -> ServerFacts:
    info = client.server_info
    return ServerFacts(
        info.name if info else "",
        info.version if info else "",
        client.protocol_version,
        client.instructions or "",
    )


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return f"did not start within {START_TIMEOUT_SECONDS:g} s"
    if isinstance(error, SandboxError):
        return f"does not start: {error.message}"
    if isinstance(error, MCPError):
        return f"does not answer as an MCP server: {error.message[:500]}"
    return f"failed ({type(error).__name__})"
