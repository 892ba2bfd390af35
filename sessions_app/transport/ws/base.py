"""Base class of the WebSocket consumers: sign-in, frames, live messages, and limits on size, rate and backlog."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import structlog
from channels.consumer import get_handler_name
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError
from redis.exceptions import RedisError

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, SiteError, TooLarge, TooMany
from agentsite.http.json_input import read_json, require_plain
from agentsite.tenancy.actions.socket_tickets import Admission, redeem_ticket
from agentsite.tenancy.authentication import is_session_alive, is_token_alive, require_scope, seconds_left
from agentsite.tenancy.models import ApiToken, User
from agentsite.tenancy.person_updates import person_group
from agentsite.tenancy.scopes import scope_of_frame
from sessions_app.transport.inboxes import Inbox, Message
from sessions_app.transport.rights_checks import is_due, read_rights, seconds_to_next
from sessions_app.transport.ws.frames import FromClient
from sessions_app.transport.ws.origin import ticket_of

NOT_SIGNED_IN: Final = 4401
NOT_FOUND: Final = 4404
TOO_SLOW: Final = 4408
BAD_FRAMES: Final = 4409
FAILED: Final = 1011

FRAME_LIMIT: Final = 1_048_576  # bytes; the longest prompt fits
RATE_LIMIT: Final = 60  # frames in one second
UNHEARD_LIMIT: Final = 64 * 1_048_576  # bytes sent since the client's last frame; clients ping every 15 s
BAD_FRAME_LIMIT: Final = 10
CHECK_INTERVAL: Final = 2.0  # seconds between two reads of the log
RIGHTS_EVERY: Final = 5  # intervals; changes of rights are published, so this is for lost messages only

logger = structlog.get_logger(__name__)


class SocketConsumer(AsyncWebsocketConsumer):
    """Base of the WebSocket consumers: it authenticates the client, parses and limits frames, and answers errors in the
    standard form. It calls `check_log` every two seconds and `check_rights` every ten. Each frame except `ping` is
    accepted only after `check_rights`, and after an announced change of rights nothing is sent before
    `check_rights`.

    Subclasses implement `opened()`, `handle(frame)` and `check_log()`. If `handle` raises SiteError, the frame is
    answered with an error. A message of a followed group is passed to the method that is named after the message's
    type. Frames, messages and checks of one socket are handled one at a time.
    """

    channel_layer_alias = "none"  # messages come through the inbox
    rate_limit = RATE_LIMIT

    async def __call__(self, *arguments: Any) -> None:
        self.inbox = Inbox()
        self._is_closed = False
        self._handling = asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []
        try:
            await super().__call__(*arguments)
        finally:
            for task in self._tasks:
                task.cancel()
            await self.ended()
            await self.inbox.close()

    async def connect(self) -> None:
        self._user: User | None = None
        self.token: ApiToken | None = None
        self._session_key: str | None = None
        self._second, self._frames, self._bad, self._unheard = 0, 0, 0, 0
        self._checked, self._checked_at = self.inbox.changes, time.monotonic()
        await self.accept()
        admission = await self._admit()
        if admission is None:
            await self.close(NOT_SIGNED_IN)
            return
        self._user, self.token, self._session_key = admission.user, admission.token, admission.session_key
        await self.inbox.follow(person_group(self.user.pk))
        if await self.opened():
            self._tasks = [asyncio.create_task(self._take_messages()), asyncio.create_task(self._check_periodically())]

    @property
    def user(self) -> User:
        """The user who is signed in. Raises RuntimeError before `connect` has authenticated the user."""
        if self._user is None:
            raise RuntimeError("Nobody is signed in on this socket.")
        return self._user

    async def _admit(self) -> Admission | None:
        ticket = ticket_of(self.scope)
        if ticket is not None:
            admission: Admission | None = await database_sync_to_async(redeem_ticket)(ticket)
            return admission
        user = self.scope.get("user")
        if user is None or not user.is_authenticated or not user.is_active or user.is_service:
            return None
        return Admission(user, None, self.scope["session"].session_key)

    async def opened(self) -> bool:
        """Join the socket's channel-layer groups. Called after sign-in. Returns False if it has closed the socket
        instead of joining."""
        return True

    async def handle(self, frame: dict[str, Any]) -> None:
        """Handle a frame from the client. Only `type` has been checked (it is a string), no other field of the
        frame."""
        raise NotImplementedError

    async def may_accept(self, frame: dict[str, Any]) -> bool:
        """Return whether the person may send this frame now."""
        return frame["type"] == "ping" or await self.check_rights()

    async def ended(self) -> None:
        """Release the socket's resources after the connection has ended for whatever reason. Called once, even if
        nobody had signed in."""

    async def check_log(self) -> None:
        """Send the client events that it has missed. Called periodically."""

    def reason_to_close(self) -> int | None:
        """Return the close code if the person may no longer use this socket. Reads the database."""
        return None if self._is_still_signed_in() else NOT_SIGNED_IN

    def must_check_rights(self) -> bool:
        """Return whether a change of rights was announced since the rights were last checked."""
        return self._checked != self.inbox.changes

    async def check_rights(self) -> bool:
        """Return whether the person may still use this socket, and close the socket if not."""
        if self._is_closed:
            return False
        changes = self.inbox.changes
        began = time.monotonic()
        code = await read_rights(self.reason_to_close)
        if code is not None:
            await self.close(code)
            return False
        self._checked, self._checked_at = changes, began
        return True

    async def rights_changed(self, _message: Message) -> None:
        """Check the rights at once, because a login session, the account, a role or an audience changed."""
        if await self.check_rights():
            await self.follow_rights()

    async def follow_rights(self) -> None:
        """Adapt the socket's subscriptions to a possible change of the person's rights. Called after the rights were
        checked."""
        await self.check_log()

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        """Close the socket. From now on the socket neither sends nor accepts frames."""
        if not self._is_closed:
            self._is_closed = True
            await super().close(code, reason)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        self._unheard = 0
        frame: dict[str, Any] = {}
        try:
            if self._user is None or self._is_closed:
                return
            self._count()
            frame = _parse(text_data)
            require_scope(self.token, scope_of_frame(frame["type"]))
            async with self._handling:
                if await self.may_accept(frame):
                    await self.handle(frame)
        except SiteError as error:
            await self._refuse(frame, error)
        except Exception as error:
            logger.error("frame_failed", frame_type=str(frame.get("type"))[:40], exc_info=error)
            await self._refuse(frame, SiteError("The site failed unexpectedly."))

    def _count(self) -> None:
        second = int(time.monotonic())
        self._frames = self._frames + 1 if second == self._second else 1
        self._second = second
        if self._frames > self.rate_limit:
            raise TooMany(f"This socket may send at most {self.rate_limit} frames per second.")

    async def _refuse(self, frame: dict[str, Any], error: SiteError) -> None:
        await self.send_error(error, frame_id=frame.get("id"))
        self._bad += 1 if isinstance(error, BadInput | TooLarge | TooMany) else 0
        if self._bad >= BAD_FRAME_LIMIT:
            await self.close(BAD_FRAMES)

    async def send_error(self, error: SiteError, *, frame_id: Any = None) -> None:
        body = {"code": error.code, "message": error.message, "hint": error.hint}
        await self.send_frame({"type": "error", "id": frame_id, "error": body})

    async def acknowledge(self, frame: FromClient, data: Any = None) -> None:
        await self.send_frame({"type": "ack", "id": frame.id, "data": data})

    async def ping(self, frame: FromClient) -> None:
        await self.send_frame({"type": "pong", "id": frame.id})

    async def send_frame(self, frame: dict[str, Any]) -> None:
        """Send a frame. Frames that a slow client has not read yet are buffered, so a client that sends nothing back
        while more than UNHEARD_LIMIT characters are sent to it is disconnected."""
        await self.send_text(json.dumps(frame))

    async def send_text(self, text: str) -> None:
        """Send the text of a frame, as `send_frame` does. If rights may have changed, they are checked first."""
        while self.must_check_rights() or seconds_left(self.token) <= 0:
            if not await self.check_rights():
                return
        if self._is_closed:
            return
        self._unheard += len(text)
        if self._unheard > UNHEARD_LIMIT:
            await self.close(TOO_SLOW)
            return
        await self.send(text_data=text)

    def _is_still_signed_in(self) -> bool:
        """Return whether the API token or browser session with which the socket was opened is still valid, and the
        person's account is active."""
        if self.token is not None:
            return seconds_left(self.token) > 0 and is_token_alive(self.token)
        if self._session_key is not None:
            return is_session_alive(self._session_key)  # this reads the user too
        return bool(User.objects.filter(pk=self.user.pk, is_active=True).exists())

    async def _take_messages(self) -> None:
        while not self._is_closed:
            message = await self.inbox.next()
            handler = getattr(self, get_handler_name(message), None)
            if handler is not None:
                await self._guard(handler, message)

    async def _check_periodically(self) -> None:
        while not self._is_closed:
            await asyncio.sleep(min(seconds_to_next(CHECK_INTERVAL), seconds_left(self.token)))
            await self._guard(self._check)

    async def _check(self) -> None:
        must_check = is_due(self._checked_at, CHECK_INTERVAL * RIGHTS_EVERY) or seconds_left(self.token) <= 0
        if not self._is_closed and (not must_check or await self.check_rights()):
            await self.check_log()

    async def _guard(self, work: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        """Call `work` with the socket's lock, so that nothing else of this socket is handled meanwhile. If `work` fails
        because the database or Valkey cannot be reached, the next check catches up; after other errors, the socket is
        closed, and its client reconnects."""
        async with self._handling:
            try:
                await work(*arguments)
            except (OSError, DatabaseError, RedisError) as error:
                logger.warning("look_failed", error=repr(error))
            except Exception as error:
                logger.error("message_failed", exc_info=error)
                await self.close(FAILED)


def _parse(text: str | None) -> dict[str, Any]:
    if text is None:
        raise BadInput("Frames are JSON text.", code=ErrorCode.BAD_FRAME)
    if len(text) > FRAME_LIMIT:
        raise TooLarge(
            f"A frame may have at most {FRAME_LIMIT:,} bytes.", hint="Put long text into a file of the workspace."
        )
    try:
        frame = read_json(text)
    except ValueError as error:
        raise BadInput("The frame is not valid JSON.", code=ErrorCode.MALFORMED_JSON) from error
    require_plain(frame)
    if not isinstance(frame, dict) or not isinstance(frame.get("type"), str):
        raise BadInput("A frame is a JSON object with a 'type'.", code=ErrorCode.BAD_FRAME)
    return frame
