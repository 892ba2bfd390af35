"""Answers to what other processes ask this node (`sessions_app.queries.live`)."""

from collections.abc import Callable
from typing import Any

from channels.layers import get_channel_layer

from agentsite.base.background import background
from sandbox.errors import SandboxError


def reply(reply_to: str, find_answer: Callable[[], Any]) -> None:
    """On the private channel: {"ok": ...}, or {"error": {code, message}} of what the sandbox raised."""
    try:
        answer = {"ok": find_answer()}
    except SandboxError as error:
        answer = {"error": {"code": error.code, "message": error.message}}
    background.run(get_channel_layer().send(reply_to, {"type": "sandbox.answer", **answer}))
