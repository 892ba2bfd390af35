"""Send requests to remote MCP servers through the door process, which alone can decrypt the servers' headers."""

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal

from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.core.cache import cache
from pydantic import TypeAdapter
from redis.exceptions import RedisError

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Unavailable
from sessions_app.mcp.remote_forms import reply_to_form
from sessions_app.models import McpServer
from sessions_app.queries.questions import Query
from sessions_app.queueing import enqueue_mcp_query
from tools_app.mcp.forms import PEOPLE_SECONDS, Ask, ask_nobody

TAKEN_WITHIN_SECONDS: Final = 20.0
"""Time within which a door must take a request. Doors ignore older requests, so that a request is not sent to the
server after its caller has given up."""
EXTRA_SECONDS: Final = 75.0  # for the door's process to start, to connect and to list, beside the time for the call
BEAT_INTERVAL_SECONDS: Final = 4.0  # between messages of a door that is working on a question
SILENT_SECONDS: Final = 20.0  # without one of them, after which the door counts as dead
CANCELLED_TTL: Final = 900  # seconds
NO_DOOR: Final = "No door took the request in time."

Progress = Callable[[float, float | None, str], None]


class RemoteQuestion(Query):
    """Request to list the tools of a remote server, to call one `tool` with this `digest`, or to read the object that
    `ask` names: a prompt, suggestions for an argument of a prompt, or a resource by its address. `id` identifies the
    request, so that the server gets it once; after the time `until`, doors ignore it. `person` is the person whose
    account is used, if each person signs in at the server. `asks_people`: the server may ask people something during
    the call."""

    id: str
    server: uuid.UUID
    version: int
    until: float
    person: uuid.UUID | None = None
    tool: str = ""
    digest: str = ""
    arguments: dict[str, Any] = {}
    ask: Literal["", "prompt", "completion", "resource"] = ""
    asks_people: bool = False


class RemoteReply(Query):
    """The door's reply to a RemoteQuestion. If the request `failed`, `problem` is the reason, worded as a predicate
    ("did not answer"). `made`: the tool call may have run. `sign_in`: the person whose account is used, or an admin,
    has to sign in first."""

    kind: Literal["listed", "changed", "answer", "failed"]
    answer: dict[str, Any] = {}
    problem: str = ""
    made: bool = False
    sign_in: bool = False


QUESTION: Final = TypeAdapter(RemoteQuestion)
REPLY: Final = TypeAdapter(RemoteReply)


def cancelled_key(question_id: str) -> str:
    return f"mcp-cancelled:{question_id}"


async def ask_server(
    row: McpServer,
    *,
    person_id: uuid.UUID | None,
    tool: str = "",
    digest: str = "",
    arguments: Mapping[str, Any] | None = None,
    ask: Literal["", "prompt", "completion", "resource"] = "",
    progress: Progress = lambda *_: None,
    people: Ask = ask_nobody,
) -> RemoteReply:
    """Send a request to a remote MCP server through the door and return the reply.

    The door also stores the tools that the server lists. If the caller is cancelled, the door cancels the request.
    `people` passes questions of the server to people during a call. Raises Unavailable if no door took the request in
    time; nothing was sent to the server then.
    """
    question = RemoteQuestion(
        id=uuid.uuid4().hex,
        server=row.pk,
        version=row.version,
        until=time.time() + TAKEN_WITHIN_SECONDS,
        person=person_id,
        tool=tool,
        digest=digest,
        arguments=dict(arguments or {}),
        ask=ask,
        asks_people=people is not ask_nobody,
    )
    reply_to = await get_channel_layer().new_channel()
    heard = _Heard(question.id, row.timeout_seconds, progress, people)
    enqueue = partial(enqueue_mcp_query, question=question.model_dump(mode="json"), reply_to=reply_to)
    try:
        await sync_to_async(enqueue, thread_sensitive=False)()
        return await heard.reply(reply_to)
    except (TimeoutError, OSError, RedisError) as error:
        if heard.taken:
            is_late = isinstance(error, TimeoutError) and not heard.awaits_beat
            problem = "did not answer in time" if is_late else "was lost with the connection to the door"
            return RemoteReply(kind="failed", problem=problem, made=bool(tool))
        raise Unavailable(NO_DOOR, code=ErrorCode.MCP_SERVER_SILENT) from error
    except asyncio.CancelledError:
        with suppress(OSError, RedisError):
            cache.set(cancelled_key(question.id), 1, CANCELLED_TTL)
        raise


@dataclass(slots=True)
class _Heard:
    """The state of one request to the door, updated by the door's messages until the reply arrives. `seconds` is the
    time limit of the call."""

    question_id: str
    seconds: float
    progress: Progress
    people: Ask
    taken: bool = False
    awaits_beat: bool = False
    """Whether `_wait` has last limited the time by the next heartbeat of the door, and not by the end of the
    call."""
    ends: float = 0.0
    forms: set["asyncio.Task[None]"] = field(default_factory=set)

    async def reply(self, channel: str) -> RemoteReply:
        """Wait for the door's reply on this channel. Raises TimeoutError."""
        layer = get_channel_layer()
        try:
            async with asyncio.timeout(TAKEN_WITHIN_SECONDS) as limit:
                while (message := await layer.receive(channel))["step"] != "reply":
                    self._note(message, limit)
                return REPLY.validate_python(message["reply"])
        finally:
            for form in self.forms:
                form.cancel()

    def _note(self, message: Mapping[str, Any], limit: asyncio.Timeout) -> None:
        match message["step"]:
            case "taken":
                self._wait(limit, beats=message.get("beats") is True)
            case "progress":
                self.progress(message["done"], message["total"], message["message"])
            case "form":
                if not self.forms:
                    self.ends += PEOPLE_SECONDS
                    self._wait(limit, beats=self.awaits_beat)
                self.forms.add(asyncio.create_task(reply_to_form(self.question_id, message, self.people)))

    def _wait(self, limit: asyncio.Timeout, *, beats: bool) -> None:
        """Set the deadline: the end of the call's time limit or, if the door sends heartbeats (`beats`) and the next
        heartbeat is due earlier, the time by which that heartbeat must arrive."""
        now = asyncio.get_running_loop().time()
        if not self.taken:
            self.taken, self.ends = True, now + self.seconds + EXTRA_SECONDS
        self.awaits_beat = beats and now + SILENT_SECONDS < self.ends
        limit.reschedule(now + SILENT_SECONDS if self.awaits_beat else self.ends)


def list_later(row: McpServer, *, person_id: uuid.UUID | None = None) -> None:
    """Enqueue a request to a door to list the tools of a remote server and to store them, and return at once.

    Without `person_id` no person's account is used, so a server at which each person signs in is not asked.
    """
    question = RemoteQuestion(
        id=uuid.uuid4().hex, server=row.pk, version=row.version, until=time.time() + 600, person=person_id
    )
    enqueue_mcp_query(question=question.model_dump(mode="json"), reply_to="")
