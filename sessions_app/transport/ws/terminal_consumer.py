"""WebSocket of one terminal: its output, and the input of people.

The terminal runs in a workspace and is reached through the sandbox worker of its node. A bridge there sends its output
to a channel of this socket (`workers.sandbox.terminal_bridge`). If the bridge falls silent, because its worker was
restarted, the socket asks for another one, which goes on at the same position.
"""

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

from agentsite.base.channel_receiver import ChannelReceiver
from agentsite.base.errors import BadInput, Missing, NotAllowed, SiteError, Unavailable
from agentsite.base.ids import to_public
from agentsite.tenancy.authentication import require_scope, seconds_left
from agentsite.tenancy.base import SITE_PLACE
from agentsite.tenancy.models import Team
from agentsite.tenancy.scopes import Scope
from sessions_app.actions.terminals import TerminalRights, record_terminal, terminal_rights
from sessions_app.events.publish import session_group
from sessions_app.models import Session, Workspace
from sessions_app.queries.live import query_workspace
from sessions_app.queries.questions import AttachTerminalQuestion, CloseTerminalQuestion
from sessions_app.queueing import enqueue_workspace_query, is_first
from sessions_app.transport.ws.base import NOT_FOUND, SocketConsumer
from sessions_app.transport.ws.frames import FromClient, Ping, parse_frame
from sessions_app.transport.ws.terminal_frames import (
    TERMINAL_CLIENT,
    TerminalHello,
    TerminalInput,
    TerminalResize,
    TerminalTaken,
)
from tools_app.policies.scopes import policy_group

NOT_ALLOWED: Final = 4403
ENDED: Final = 1000
ALIVE_EVERY: Final = 5.0  # seconds between two messages that tell the bridge that somebody listens
SILENCE_SECONDS: Final = 6.0  # of the bridge, after which another one is asked for
RETRY_SECONDS: Final = 1.0
ATTACH_SECONDS: Final = 15.0
MAX_OPEN_INPUTS: Final = 16
RATE_LIMIT: Final = 300  # frames in one second: keys, and an acknowledgement for each piece of output
ENDED_TTL: Final = 3600  # seconds in which the end of a terminal is recorded only once


class TerminalConsumer(SocketConsumer):
    """Consumer of a terminal's socket. Nothing is sent before the client's `hello`.

    People type often, so their rights are not read for each frame: the socket receives each change of rights and
    policies, and reads the rights again before it accepts the next frame.
    """

    rate_limit = RATE_LIMIT

    def __init__(self) -> None:
        super().__init__()
        self._rights: TerminalRights | None = None
        self._after: int | None = None
        self._bridge = ""
        self._channel = ""
        self._heard_at = 0.0
        self._open_inputs = 0
        self._carrier: asyncio.Task[None] | None = None
        self._layer: Any = get_channel_layer()

    async def opened(self) -> bool:
        try:
            require_scope(self.token, Scope.TERMINAL)
            self.session = await database_sync_to_async(self._find)()
            project = self.session.project
            places = (SITE_PLACE, to_public(Team.PREFIX, project.team_id), project.public_id)
            for group in (session_group(self.session.pk), *map(policy_group, places)):
                await self.inbox.follow(group)
        except (Missing, NotAllowed) as error:
            await self.close(NOT_FOUND if isinstance(error, Missing) else NOT_ALLOWED)
            return False
        return await self.check_rights()

    def _find(self) -> Session:
        rows = Session.objects.visible_to(self.user).select_related("project", "workspace__project")
        return rows.by_public_id(self.scope["url_route"]["kwargs"]["session_id"])

    async def ended(self) -> None:
        if self._carrier is not None:
            self._carrier.cancel()
        await self._leave()

    async def may_accept(self, frame: dict[str, Any]) -> bool:
        if self.must_check_rights() or seconds_left(self.token) <= 0:
            return await self.check_rights()
        return True

    def reason_to_close(self) -> int | None:
        code = super().reason_to_close()
        if code is not None:
            return code
        if not Session.objects.visible_to(self.user).filter(pk=self.session.pk).exists():
            return NOT_FOUND
        try:
            self._rights = terminal_rights(self.user, self.session)
        except SiteError:
            return NOT_ALLOWED
        if not self._rights.allowed:
            end_all_terminals(self.session.workspace)
            return NOT_ALLOWED
        return None

    async def handle(self, frame: dict[str, Any]) -> None:
        parsed = parse_frame(TERMINAL_CLIENT, frame)
        await HANDLERS[type(parsed)](self, parsed)

    # frames from the client

    async def hello(self, frame: TerminalHello) -> None:
        self._after = frame.after
        if self._carrier is None:
            self._carrier = asyncio.create_task(self._carry())
        rights = self._rights
        told = {"may_type": bool(rights and rights.may_type), "reason": rights.reason if rights else ""}
        await self.acknowledge(frame, told)

    async def type(self, frame: TerminalInput) -> None:
        self._require_typing()
        if self._open_inputs >= MAX_OPEN_INPUTS and frame.data not in ("\x03", "\x1a", "\x1c"):
            raise BadInput("Wait for the answers to earlier input: the program does not read it yet.")
        data = frame.data.encode("utf-8", "replace")
        self._open_inputs += 1
        await self._tell({"type": "bridge.input", "id": frame.id, "data": data})

    async def resize(self, frame: TerminalResize) -> None:
        self._require_typing()
        await self._tell({"type": "bridge.resize", "rows": frame.rows, "columns": frame.columns})

    async def taken(self, _frame: TerminalTaken) -> None:
        await self._tell({"type": "bridge.taken"})

    def _require_typing(self) -> None:
        if self._rights is None or not self._rights.may_type:
            raise NotAllowed(self._rights.reason if self._rights else "You may not type here.")
        if not self._bridge:
            raise Unavailable("The terminal is not connected yet. Try again in a moment.")

    # messages from the bridge

    async def _carry(self) -> None:
        """Keep a bridge to the terminal, and pass on its messages to the client, until the terminal ends."""
        while not self._is_closed:
            try:
                if not await self._attach():
                    await self._end("gone", -1)
                    return
                await self._pass_on()
            except Missing:
                await self._end("gone", -1)
                return
            except (SiteError, OSError, RedisError) as error:
                message = error.message if isinstance(error, SiteError) else "The site is restarting."
                await self.send_frame({"type": "away", "message": message})
                await asyncio.sleep(RETRY_SECONDS)
            finally:
                await self._leave()

    async def _attach(self) -> bool:
        """Ask the node for a bridge to the terminal. Returns False if there is no such terminal, or its container does
        not run."""
        self._channel = await self._layer.new_channel()
        question = AttachTerminalQuestion(
            session=self.session.public_id,
            terminal=self.scope["url_route"]["kwargs"]["terminal_id"],
            after=self._after,
            channel=self._channel,
        )
        answer = await query_workspace(
            self.session.workspace, question, person=self.user, timeout_seconds=ATTACH_SECONDS
        )
        self._bridge = answer["input"] if answer else ""
        self._open_inputs = 0
        if self._bridge:
            await self.send_frame({"type": "here"})
        return bool(answer)

    async def _pass_on(self) -> None:
        """Pass on the messages of the bridge to the client. Returns when the bridge has sent nothing for
        `SILENCE_SECONDS`, or the socket is closed."""
        told_at = self._heard_at = time.monotonic()
        receiver = ChannelReceiver(self._layer, self._channel)
        try:
            while not self._is_closed and time.monotonic() - self._heard_at < SILENCE_SECONDS:
                if time.monotonic() - told_at >= ALIVE_EVERY:
                    await self._tell({"type": "bridge.alive"})
                    told_at = time.monotonic()
                if message := await receiver.next(1.0):
                    self._heard_at = time.monotonic()
                    await self._show(message)
        finally:
            receiver.close()

    async def _show(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "bridge.output":
                self._after = message["at"]
                data = base64.b64encode(message["data"]).decode("ascii")
                shown = {name: message[name] for name in ("at", "resets", "counts")}
                await self.send_frame({"type": "output", "data": data, **shown})
            case "bridge.size":
                await self.send_frame({"type": "size", "rows": message["rows"], "columns": message["columns"]})
            case "bridge.typed" | "bridge.full":
                self._open_inputs = max(0, self._open_inputs - 1)
                await self.send_frame({"type": "ack", "id": message["id"], "data": None})
            case "bridge.ended":
                await self._end(message["reason"], message["exit_code"])

    async def _end(self, reason: str, exit_code: int) -> None:
        """Tell the client that the terminal has ended, and close the socket."""
        if reason == "exited":
            await database_sync_to_async(self._record_end)()
        await self.send_frame({"type": "ended", "reason": reason, "exit_code": exit_code})
        await self.close(ENDED)

    def _record_end(self) -> None:
        terminal = self.scope["url_route"]["kwargs"]["terminal_id"]
        if is_first(f"terminal-ended:{terminal}", ENDED_TTL):
            record_terminal(actor=None, session=self.session, action="terminal.ended", terminal=terminal)

    async def _leave(self) -> None:
        with suppress(OSError, RedisError):
            await self._tell({"type": "bridge.leave"})
        self._bridge = ""

    async def _tell(self, message: dict[str, Any]) -> None:
        if self._bridge:
            await self._layer.send(self._bridge, message)


def end_all_terminals(workspace: Workspace) -> None:
    """Make the node close all terminals of the workspace, because the policies no longer allow terminals. Does not
    wait: if the request is lost, the node's housekeeping closes them."""
    if workspace.node:
        question = CloseTerminalQuestion(session="", terminal="").model_dump(mode="json")
        enqueue_workspace_query(workspace.id, node=workspace.node, question=question, reply_to="")


HANDLERS: Final[dict[type[FromClient], Callable[[TerminalConsumer, Any], Awaitable[None]]]] = {
    TerminalHello: TerminalConsumer.hello,
    TerminalInput: TerminalConsumer.type,
    TerminalResize: TerminalConsumer.resize,
    TerminalTaken: TerminalConsumer.taken,
    Ping: TerminalConsumer.ping,
}
