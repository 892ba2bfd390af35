"""Create a long conversation quickly, by inserting its rows."""

import uuid
from collections import defaultdict
from typing import Any, Final

from django.utils import timezone

from agentsite.tenancy.models import User
from sessions_app.models import Message, Part, Session, ToolCall, Turn

OUTPUT: Final = "".join(f"{number:5}| a line of a file that somebody asked about\n" for number in range(1, 41))
TEXT: Final = "The **kettle** whistles at `80` degrees.\n\n- tea\n- water\n\n```python\nprint('tea')\n```\n"


def fill_session(session: Session, *, turns: int, steps: int, output: str = OUTPUT) -> int:
    """Append completed turns, each with a prompt, `steps` answers with a tool call, and a last answer. Return the
    number of parts."""
    rows = _Rows(session)
    for number in range(turns):
        turn = rows.add_turn(step_count=steps + 1)
        rows.add_text(turn, f"Prompt {number}", author=session.created_by)
        for step in range(steps):
            rows.add_call(turn, rows.add_text(turn, f"Step {step} of turn {number}. {TEXT}"), output)
        rows.add_text(turn, f"Turn {number} is done.")
    return rows.save()


class _Rows:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._now = timezone.now()
        self._rows: dict[Any, list[Any]] = defaultdict(list)

    def add_turn(self, *, step_count: int) -> Turn:
        turn = Turn(session=self._session, state="completed", step_count=step_count, ended_at=self._now)
        self._rows[Turn].append(turn)
        return turn

    def add_text(self, turn: Turn, text: str, *, author: User | None = None) -> Message:
        role = "assistant" if author is None else "user"
        message = Message(session=self._session, turn=turn, role=role, author=author, agent="build", model="demo")
        self._rows[Message].append(message)
        self._rows[Part].append(Part(session=self._session, message=message, index=0, type="text", text=text))
        return message

    def add_call(self, turn: Turn, message: Message, output: str) -> None:
        part = Part(session=self._session, message=message, index=1, type="tool")
        call = ToolCall(
            session=self._session, turn=turn, message=message, part=part, provider_id=uuid.uuid4().hex, tool="bash",
            state="completed", arguments={"command": "cat a.txt"}, raw_arguments='{"command": "cat a.txt"}',
            title="Print a file", output=output, started_at=self._now, ended_at=self._now,
        )  # fmt: skip
        part.data = {"call_id": call.public_id}
        self._rows[Part].append(part)
        self._rows[ToolCall].append(call)

    def save(self) -> int:
        for model, rows in self._rows.items():
            model.objects.bulk_create(rows, batch_size=500)
        return len(self._rows[Part])
