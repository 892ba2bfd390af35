"""A parent and its sub-agents, each following a script of its own."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from deploy.demo_model.scripts import ScriptedCall, Step
from sessions_app.models import Session, ToolCall, Turn
from tests.support.model_server import PostedScript, calls, text, tool_call
from tests.support.session_site import SessionSite

_MARK = "{mark of the sub-agents}"


def ask(agent: str, description: str, **more: Any) -> ScriptedCall:
    """Return a call of `task`. The sub-agent's prompt contains the marker of the script that `scripts_of` sets."""
    return tool_call("task", subagent_type=agent, description=description, prompt=f"{description} {_MARK}", **more)


def scripts_of(
    site: SessionSite, *, parent: Sequence[Step], child: Sequence[Step] = (text("Never said."),)
) -> tuple[PostedScript, PostedScript]:
    """Post scripts for a parent and its sub-agents.

    A prompt with the parent's marker follows the parent's script. The sub-agents of all `ask` calls share the steps of
    `child`, in the order of their requests.
    """
    site.settings.MODEL_NAME = "demo"
    key = f"sub-{uuid.uuid4().hex[:12]}"
    of_child = PostedScript(site.model_server, key)
    site.model_server.script(*(_marked(step, of_child.marker) for step in child), key=key)
    return site.model_server.script(*(_marked(step, of_child.marker) for step in parent)), of_child


def _marked(step: Step, mark: str) -> Step:
    return replace(
        step, tool_calls=tuple(replace(one, arguments=_filled(one.arguments, mark)) for one in step.tool_calls)
    )


def _filled(arguments: Mapping[str, Any] | str, mark: str) -> Any:
    return json.loads(json.dumps(arguments).replace(_MARK, mark))


def until_asked(site: SessionSite, *, child: Sequence[Step] = (text("I looked."),)) -> Turn:
    """Run a turn until the turn of its sub-agent has been created, but has not begun."""
    parent, _ = scripts_of(site, parent=[calls(ask("general", "Look")), text("Done.")], child=child)
    turn = site.prompt(site.open_session(), parent.marker)
    site.pump.run(until=Turn.objects.filter(caller__turn=turn).exists)
    return turn


def child_of(turn: Turn) -> Session:
    """Return the session of the one sub-agent that the turn started."""
    row: Session = Session.objects.select_related("project", "workspace").get(turns__caller__turn=turn)
    return row


def call_of(turn: Turn) -> ToolCall:
    """Return the turn's one call of `task`, in its present state."""
    row: ToolCall = ToolCall.objects.get(turn=turn, tool="task")
    return row


def read_by_parent(script: PostedScript) -> str:
    """Return the last tool result that the script's model received."""
    content: str = script.requests(at_least=1)[-1]["body"]["messages"][-1]["content"]
    return content


def session_of(turn: Turn) -> Session:
    row: Session = Session.objects.select_related("project").get(pk=turn.session_id)
    return row
