"""WebSocket of one session: sends a snapshot or replay, then live events, and receives prompts and other actions."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from channels.db import database_sync_to_async

from agentsite.base.errors import Missing
from agentsite.base.ids import from_public
from agentsite.tenancy.access import can
from agentsite.tenancy.base import VisibleQuerySet
from agentsite.tenancy.roles import Act
from sessions_app.actions.permissions import reply_permission
from sessions_app.actions.prompts import abort_turn, submit_prompt
from sessions_app.actions.questions import answer_question, dismiss_question
from sessions_app.actions.queued_prompts import change_queued_prompt, withdraw_prompt
from sessions_app.events import views
from sessions_app.events.publish import session_group
from sessions_app.events.snapshot import read_snapshot
from sessions_app.models import Message as ChatMessage
from sessions_app.models import Part, PermissionRequest, Question, Session, ToolCall
from sessions_app.models.base import AnyRow
from sessions_app.transport.inboxes import Message
from sessions_app.transport.session_stream import Frame, LogCursor, TooFarBehind, frame_text, newest_events
from sessions_app.transport.ws import base
from sessions_app.transport.ws.base import NOT_FOUND, SocketConsumer
from sessions_app.transport.ws.frames import (
    SESSION_CLIENT,
    Abort,
    CallGet,
    FromClient,
    Hello,
    PartGet,
    PermissionReplyFrame,
    Ping,
    Prompt,
    PromptChange,
    PromptWithdraw,
    QuestionReject,
    QuestionReply,
    parse_frame,
)
from sessions_app.transport.ws.presence import Window, presence_of


class SessionConsumer(SocketConsumer):
    """Consumer of a session's socket. Nothing is sent before the client's `hello`, which gives its position in the
    log."""

    def __init__(self) -> None:
        super().__init__()
        self._cursor: LogCursor | None = None
        self._could_act: bool | None = None
        self._snapshot_limit: int | None = None
        self._window: Window | None = None

    async def opened(self) -> bool:
        try:
            session_id = from_public(Session.PREFIX, self.scope["url_route"]["kwargs"]["session_id"])
            await self.inbox.follow(session_group(session_id))  # before reading the rights, so that no change is missed
            self.session = await database_sync_to_async(self._find)()
        except Missing:
            await self.close(NOT_FOUND)
            return False
        return True

    def _find(self) -> Session:
        rows = Session.objects.visible_to(self.user).select_related("project", "workspace")
        return rows.by_public_id(self.scope["url_route"]["kwargs"]["session_id"])

    async def ended(self) -> None:
        if self._window is not None:
            await presence_of(self.session).close(self._window)

    async def handle(self, frame: dict[str, Any]) -> None:
        parsed = parse_frame(SESSION_CLIENT, frame)
        await HANDLERS[type(parsed)](self, parsed)

    # frames from the client

    async def hello(self, frame: Hello) -> None:
        self._snapshot_limit = frame.limit
        if frame.after is None:
            await self._send_snapshot()
        else:
            self._cursor = LogCursor(self.session.id, frame.after)
            await self._send_missing()
        await self.acknowledge(frame)
        if self._window is None:
            self._window = Window(self.user.pk, self.inbox)
            presence_of(self.session).open(self._window)

    async def prompt(self, frame: Prompt) -> None:
        turn, message = await self._act(
            submit_prompt,
            session=self.session,
            text=frame.text,
            attachments=frame.attachments,
            agent=frame.agent,
            wait_for_answers=frame.wait_for_answers,
            output_schema=frame.output_schema,
        )
        data = {
            "turn": views.turn(turn).model_dump(mode="json"),
            "message": views.message(message).model_dump(mode="json"),
        }
        await self.acknowledge(frame, data)

    async def change_prompt(self, frame: PromptChange) -> None:
        message = await self._message(frame.message_id)
        row = await self._act(change_queued_prompt, message=message, text=frame.text)
        await self.acknowledge(frame, views.message(row).model_dump(mode="json"))

    async def withdraw_prompt(self, frame: PromptWithdraw) -> None:
        taken = await self._act(withdraw_prompt, message=await self._message(frame.message_id))
        await self.acknowledge(
            frame,
            {
                "text": taken.text,
                "attachments": [file.model_dump() for file in taken.attachments],
                "paths": [*taken.paths],
            },
        )

    async def abort(self, frame: Abort) -> None:
        await self.acknowledge(frame, {"stopped": await self._act(abort_turn, session=self.session)})

    async def reply_permission(self, frame: PermissionReplyFrame) -> None:
        rows = PermissionRequest.objects.visible_to(self.user).filter(session=self.session)
        request = await _find_row(rows.select_related("session__project"), frame.request_id)
        row = await self._act(
            reply_permission,
            request=request,
            reply=frame.reply,
            scope=frame.scope,
            message=frame.message,
        )
        await self.acknowledge(frame, views.permission_request(row, tool=row.call.tool).model_dump(mode="json"))

    async def reply_question(self, frame: QuestionReply) -> None:
        question = await self._question(frame.question_id)
        row = await self._act(answer_question, question=question, answers=frame.answers)
        await self.acknowledge(frame, views.question(row).model_dump(mode="json"))

    async def reject_question(self, frame: QuestionReject) -> None:
        row = await self._act(dismiss_question, question=await self._question(frame.question_id))
        await self.acknowledge(frame, views.question(row).model_dump(mode="json"))

    async def get_part(self, frame: PartGet) -> None:
        rows = Part.objects.visible_to(self.user).filter(session=self.session)
        part = await _find_row(rows, frame.part_id)
        await self.acknowledge(frame, views.part(part).model_dump(mode="json"))

    async def get_call(self, frame: CallGet) -> None:
        rows = ToolCall.objects.visible_to(self.user).filter(session=self.session)
        call = await _find_row(rows, frame.call_id)
        await self.acknowledge(frame, views.call(call).model_dump(mode="json"))

    # messages from the channel layer

    async def session_events(self, message: Message) -> None:
        if self._cursor is not None:
            await self._send_after(self._cursor.take(message["frames"]))

    async def session_delta(self, message: Message) -> None:
        if self._cursor is not None:
            await self.send_text(frame_text(message["delta"], "delta"))

    async def presence_frame(self, message: Message) -> None:
        if self._window is not None and self._window.shown != message["text"]:
            self._window.shown = message["text"]
            await self.send_text(message["text"])

    async def follow_rights(self) -> None:
        """Send a new snapshot if the person has gained or lost the right to prompt and to decide in the session."""
        can_act = await database_sync_to_async(self._may_act)()
        if self._cursor is not None and can_act is not self._could_act:
            await self._send_snapshot()
        if self._window is not None:
            presence_of(self.session).forget_members()

    def reason_to_close(self) -> int | None:
        return super().reason_to_close() or (None if self._may_still_watch() else NOT_FOUND)

    async def check_log(self) -> None:
        newest = await newest_events.seq(self.session.id, lifetime=base.CHECK_INTERVAL / 2)
        if newest is None:
            await self.close(NOT_FOUND)
        elif self._cursor is not None and newest != self._cursor.seq:
            await self._send_missing()

    # helpers

    def _may_still_watch(self) -> bool:
        return Session.objects.visible_to(self.user).filter(pk=self.session.pk).exists()

    async def _send_missing(self) -> None:
        if self._cursor is not None:
            await self._send_after(self._cursor.catch_up())

    async def _send_after(self, news: Awaitable[list[Frame]]) -> None:
        try:
            frames = await news
        except TooFarBehind:
            await self._send_snapshot()
            return
        for frame in frames:
            await self.send_text(frame_text(frame, "event"))

    async def _send_snapshot(self) -> None:
        snapshot = await database_sync_to_async(self._read_snapshot)()
        self._cursor = LogCursor(self.session.id, snapshot["seq"])
        await self.send_frame({"type": "snapshot", "snapshot": snapshot})

    def _read_snapshot(self) -> dict[str, Any]:
        self._could_act = self._may_act()
        snapshot = read_snapshot(self.session.id, can_act=self._could_act, limit=self._snapshot_limit)
        return snapshot.model_dump(mode="json")

    def _may_act(self) -> bool:
        return can(self.user, Act.PROMPT, team_id=self.session.project.team_id)

    async def _act(self, action: Callable[..., Any], **arguments: Any) -> Any:
        """Run an action in a thread. Every action checks the person's current rights itself."""
        return await database_sync_to_async(action)(actor=self.user, **arguments)

    async def _message(self, public_id: str) -> ChatMessage:
        rows = ChatMessage.objects.visible_to(self.user).filter(session=self.session)
        return await _find_row(rows.select_related("session__project", "session__workspace"), public_id)

    async def _question(self, public_id: str) -> Question:
        rows = Question.objects.visible_to(self.user).filter(session=self.session).select_related("session__project")
        return await _find_row(rows, public_id)


async def _find_row(rows: VisibleQuerySet[AnyRow], public_id: str) -> AnyRow:
    row: AnyRow = await database_sync_to_async(rows.by_public_id)(public_id)
    return row


HANDLERS: Final[dict[type[FromClient], Callable[[SessionConsumer, Any], Awaitable[None]]]] = {
    Hello: SessionConsumer.hello,
    Prompt: SessionConsumer.prompt,
    PromptChange: SessionConsumer.change_prompt,
    PromptWithdraw: SessionConsumer.withdraw_prompt,
    Abort: SessionConsumer.abort,
    PermissionReplyFrame: SessionConsumer.reply_permission,
    QuestionReply: SessionConsumer.reply_question,
    QuestionReject: SessionConsumer.reject_question,
    PartGet: SessionConsumer.get_part,
    CallGet: SessionConsumer.get_call,
    Ping: SessionConsumer.ping,
}
