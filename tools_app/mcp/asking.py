"""Questions of an MCP server to people during one tool call.

The time limit of the call is paused while people are asked.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from mcp.client import ClientRequestContext
from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult, ListRootsResult, Root

from sandbox.ports import WORKSPACE_ROOT
from tools_app.mcp.forms import (
    CANCELLED,
    DECLINED,
    PEOPLE_SECONDS,
    Ask,
    BadForm,
    Form,
    FormReply,
    read_form,
    read_link,
)

NO_LIMIT_SECONDS: Final = 86_400.0
"""The time limit that the library gets if an `Asking` limits the time."""
MAX_FORMS: Final = 10  # of one call; further ones are refused
MANY: Final = f"asks people more than {MAX_FORMS} times during one call"


class Asking:
    """The forms that one call shows to people. `note` is called with the reason for each form that is not shown.

    Forms are shown one after the other. All of them together may take `PEOPLE_SECONDS`.
    """

    def __init__(self, ask: Ask, seconds: float, note: Callable[[str], None] = lambda _: None) -> None:
        self._ask = ask
        self._seconds = seconds
        self._people_seconds = PEOPLE_SECONDS
        self._note = note
        self._limit: asyncio.Timeout | None = None
        self._one_form = asyncio.Lock()
        self._count = 0

    @asynccontextmanager
    async def limited(self) -> AsyncIterator[None]:
        """Limit the time that the call may take inside the `with` block. Raises TimeoutError."""
        async with asyncio.timeout(self._seconds) as self._limit:
            yield

    async def answer(self, params: ElicitRequestParams) -> ElicitResult:
        """Show a request of the server to people, and return their answer. Requests beyond MAX_FORMS, and forms that
        cannot be shown, are declined."""
        self._count += 1
        if self._count > MAX_FORMS:
            self._note(MANY)
            return _result(DECLINED)
        try:
            form = _form(params)
        except BadForm as error:
            self._note(str(error))
            return _result(DECLINED)
        async with self._one_form:
            return _result(await self._asked(form))

    async def _asked(self, form: Form) -> FormReply:
        now = asyncio.get_running_loop().time
        began = now()
        ends = self._limit.when() if self._limit else None
        self._set_limit(None if ends is None else math.inf)
        try:
            async with asyncio.timeout(self._people_seconds):
                return await self._ask(form)
        except TimeoutError:
            return CANCELLED
        finally:
            waited = now() - began
            self._people_seconds = max(0.0, self._people_seconds - waited)
            self._set_limit(None if ends is None else ends + waited)

    def _set_limit(self, ends: float | None) -> None:
        """Set the time (of the event loop) at which the call times out, if it is still running and has a limit."""
        if self._limit and ends is not None:
            with suppress(RuntimeError):
                self._limit.reschedule(None if ends == math.inf else ends)


def _form(params: ElicitRequestParams) -> Form:
    if isinstance(params, ElicitRequestFormParams):
        return read_form(params.message, params.requested_schema)
    return read_link(params.message, params.url)


def _result(reply: FormReply) -> ElicitResult:
    return ElicitResult(action=reply.action, content={**reply.content} if reply.action == "accept" else None)


async def list_roots(context: ClientRequestContext) -> ListRootsResult:  # noqa: ARG001 - named by the library
    """Return the one folder that servers may know about."""
    return ListRootsResult(roots=[Root(uri=f"file://{WORKSPACE_ROOT}", name="workspace")])
