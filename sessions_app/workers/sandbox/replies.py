"""Send this node's answers to queries of other processes (`sessions_app.queries.live`)."""

from collections.abc import Callable
from typing import Any, TypeVar

from channels.layers import get_channel_layer
from pydantic import TypeAdapter, ValidationError

from agentsite.base.background import background
from sandbox.errors import NotFound, SandboxError

Kind = TypeVar("Kind")


def reply(reply_to: str, find_answer: Callable[[], Any]) -> None:
    """Call `find_answer`, and send {"ok": answer} on the private reply channel, or {"error": {code, message}} if the
    sandbox raised an error."""
    try:
        answer = {"ok": find_answer()}
    except SandboxError as error:
        answer = {"error": {"code": error.code, "message": error.message}}
    if not reply_to:  # nobody waits
        return
    background.run(get_channel_layer().send(reply_to, {"type": "sandbox.answer", **answer}))


def parse(kinds: TypeAdapter[Kind], question: dict[str, Any]) -> Kind:
    """Parse a query. Raises NotFound if this release does not know its kind."""
    try:
        return kinds.validate_python(question)
    except ValidationError as error:
        raise NotFound(f"This node cannot answer the question '{question.get('kind')}'.") from error
