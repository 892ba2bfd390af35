"""Simulate a policy draft: judge the latest real calls of a scope again and report the decisions that would change.

Each call is judged twice, once under the current policies and once under the draft, both times with the current session
rules, grants, agent and project files. So every listed difference is caused by the draft.
"""

import time
import uuid
from dataclasses import dataclass
from typing import Final

from agentsite.tenancy.models import Project, User
from sessions_app.models import Session, ToolCall
from sessions_app.policy import SessionLayers, session_rules
from tools_app.gate import Verdict, judge, need_from_dict
from tools_app.policies.current import Policies, current_policies
from tools_app.policies.documents import PolicyDocument
from tools_app.policies.scopes import PolicyScope

MAX_CALLS: Final = 1000
MAX_REPLAY_SECONDS: Final = 5.0  # the remaining calls are skipped; the response contains the number of replayed calls
_COLUMNS: Final = ("session_id", "tool", "title", "judgement", "created_at")


@dataclass(frozen=True, slots=True)
class ChangedCall:
    call: ToolCall
    before: Verdict
    after: Verdict


@dataclass(frozen=True, slots=True)
class Simulation:
    replayed: int
    changes: tuple[ChangedCall, ...]

    @property
    def unchanged(self) -> int:
        return self.replayed - len(self.changes)


def simulate(
    *, user: User, place: PolicyScope, draft: PolicyDocument, limit: int, project: Project | None = None
) -> Simulation:
    """Judge the last `limit` calls in the scope again, newest first, under the current policies and under the draft.
    Only calls of sessions that the user can see are included and, if `project` is given, only calls in that project."""
    deadline = time.monotonic() + MAX_REPLAY_SECONDS
    replay = _Replay(place, draft)
    replayed, changes = 0, []
    for call in _calls(user, place, project, limit):
        if time.monotonic() > deadline:
            break
        before, after = replay.judge(call)
        replayed += 1
        if before.action != after.action:
            changes.append(ChangedCall(call, before, after))
    return Simulation(replayed, tuple(changes))


def _calls(user: User, place: PolicyScope, project: Project | None, limit: int) -> list[ToolCall]:
    rows = ToolCall.objects.visible_to(user).filter(judgement__cut=False)
    if place.project_id is not None:
        rows = rows.filter(session__project_id=place.project_id)
    elif place.team_id is not None:
        rows = rows.filter(session__project__team_id=place.team_id)
    if project is not None:
        rows = rows.filter(session__project=project)
    calls: list[ToolCall] = list(rows.order_by("-id").only(*_COLUMNS)[: min(limit, MAX_CALLS)])
    sessions = Session.objects.select_related("project", "workspace").defer("workspace__instructions")
    known = sessions.in_bulk({call.session_id for call in calls})
    for call in calls:
        call.session = known[call.session_id]
    return calls


class _Replay:
    """The judge of a simulation: it decides about recorded tool calls under the current policies and under a draft. It
    caches the rules of each session and the policies of each project."""

    def __init__(self, place: PolicyScope, draft: PolicyDocument) -> None:
        self._place = place
        self._draft = draft
        self._layers: dict[uuid.UUID, tuple[SessionLayers, SessionLayers]] = {}
        self._policies: dict[uuid.UUID, tuple[Policies, Policies]] = {}

    def judge(self, call: ToolCall) -> tuple[Verdict, Verdict]:
        """Return the verdicts about a call under the current policies and under the draft."""
        needs = [need_from_dict(need) for need in (call.judgement or {})["needs"]]
        before, after = self._layers_of(call)
        return judge(needs, *before), judge(needs, *after)

    def _layers_of(self, call: ToolCall) -> tuple[SessionLayers, SessionLayers]:
        if call.session_id not in self._layers:
            rules = session_rules(call.session)
            now, then = self._policies_of(call.session.project)
            self._layers[call.session_id] = rules.layers(now), rules.layers(then)
        return self._layers[call.session_id]

    def _policies_of(self, project: Project) -> tuple[Policies, Policies]:
        if project.pk not in self._policies:
            now = current_policies(team_id=project.team_id, project_id=project.pk)
            self._policies[project.pk] = now, now.with_draft(self._place.kind, self._draft)
        return self._policies[project.pk]
