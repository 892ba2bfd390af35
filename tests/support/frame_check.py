"""Check every frame and event that a test receives against the published JSON Schemas."""

from functools import cache
from typing import Any, get_args

from jsonschema import Draft202012Validator

from sessions_app.events.schema import event_schema
from sessions_app.transport.ws.frame_schemas import frame_schema
from sessions_app.transport.ws.frames import FromClient


def type_of(frame: type[FromClient]) -> str:
    """Return the `type` of a class of frames, such as "permission.reply"."""
    names: tuple[str, ...] = get_args(frame.model_fields["type"].annotation)
    return names[0]


@cache
def _validator(socket: str, sender: str) -> Draft202012Validator:
    return Draft202012Validator(frame_schema()[socket][sender])


@cache
def _event_validator(event_type: str) -> Draft202012Validator:
    return Draft202012Validator(event_schema()["events"][event_type])


def check_frame(path: str, sender: str, frame: dict[str, Any]) -> None:
    """Check a frame of the socket at this path, sent by "client" or "server"."""
    socket = "me" if path.startswith("/ws/me") else "terminal" if "/terminals/" in path else "session"
    problems = list(_validator(socket, sender).iter_errors(frame))
    assert not problems, f"{frame.get('type')} of the {sender} is not as published: {_deepest(problems)}"


def check_event(event_type: str, data: Any) -> None:
    problems = list(_event_validator(event_type).iter_errors(data))
    assert not problems, f"{event_type} is not as published: {_deepest(problems)}"


def _deepest(problems: list[Any]) -> list[str]:
    """Return the problems of the frame types that an invalid frame matches best."""
    causes = [cause for problem in problems for cause in problem.context or [problem]]
    deepest = max(len(cause.absolute_path) for cause in causes)
    return [cause.message[:300] for cause in causes if len(cause.absolute_path) == deepest][:5]
