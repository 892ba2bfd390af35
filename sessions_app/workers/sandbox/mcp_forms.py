"""CallForms: show the forms of an MCP server to the people of a session during a call."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

import structlog
from asgiref.sync import sync_to_async

from sessions_app.actions.server_questions import ask_form, values_of, withdraw_form
from sessions_app.models import Question, Session, ToolCall
from sessions_app.policy import judge_needs
from sessions_app.variables.given import masks_of
from tools_app.mcp.forms import CANCELLED, DECLINED, Form, FormReply
from tools_app.spec import PermissionNeed

POLL_SECONDS: Final = 0.5
MAX_OPEN: Final = 4
"""Calls of one worker that may wait for people at the same time: each waiting call occupies a thread of the worker."""
PERMISSION: Final = PermissionNeed("question", ("*",), ("*",), {})
T = TypeVar("T")

logger = structlog.get_logger(__name__)
_open: Final[set[str]] = set()


class CallForms:
    """The forms of an MCP server that one tool call shows to people of its session."""

    def __init__(self, call: ToolCall, session: Session, server: str) -> None:
        self._call = call
        self._session = session
        self._server = server

    async def ask(self, form: Form) -> FormReply:
        """Show a form and wait for people's reply. Nobody is asked if the rules deny questions, or if the turn does not
        wait for people."""
        if len(_open) >= MAX_OPEN:
            logger.warning("mcp_form_not_asked", call=self._call.public_id, open=len(_open))
            return CANCELLED
        _open.add(self._call.public_id)
        try:
            asked = await _thread(partial(self._ask, form))
            return asked if isinstance(asked, FormReply) else await self._reply(asked)
        finally:
            _open.discard(self._call.public_id)

    def _ask(self, form: Form) -> Question | FormReply:
        if judge_needs(self._session, [PERMISSION]).action == "deny":
            return DECLINED
        shown = Form.from_dict(masks_of(self._session.project).mask_value(form.as_dict()))
        return ask_form(self._call, self._session, self._server, shown) or CANCELLED

    async def _reply(self, asked: Question) -> FormReply:
        try:
            reply = await _thread(partial(_reply_to, asked))
            while reply is None:
                await asyncio.sleep(POLL_SECONDS)
                reply = await _thread(partial(_reply_to, asked))
        except asyncio.CancelledError:  # the server no longer waits, or the call was stopped
            await asyncio.shield(asyncio.ensure_future(_thread(partial(withdraw_form, asked))))
            raise
        self._call.state, self._call.waits_for = ToolCall.State.RUNNING, ""
        return reply


def _reply_to(asked: Question) -> FormReply | None:
    row = Question.objects.only("state", "answers", "form").get(pk=asked.pk)
    match row.state:
        case Question.State.OPEN:
            return None
        case Question.State.ANSWERED:
            return FormReply("accept", values_of(row, row.answers))
        case Question.State.DISMISSED:
            return DECLINED
    return CANCELLED


async def _thread(function: Callable[[], T]) -> T:
    return await sync_to_async(function, thread_sensitive=False)()
