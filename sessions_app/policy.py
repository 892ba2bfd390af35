"""The rules that hold for a session now: from rows to the layers that the permission engine reads."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q

from sandbox.ports import HOME
from sessions_app.models import Grant, Session
from tools_app.gate import Verdict, judge, need_from_dict
from tools_app.permission import layers
from tools_app.permission.model import Layer, Rule, rules_from_config
from tools_app.spec import PermissionNeed


def session_layers(session: Session) -> tuple[tuple[Layer, ...], tuple[Layer, ...]]:
    """Preferences and limits of the session's agent, with what people granted. Reads `session.project`."""
    preferences = layers.preferences(
        agent=session.agent,
        project=rules_from_config(session.project.config.get("permission", {}), home=HOME),
        session=tuple(Rule(**rule) for rule in session.rules),
        grants=_grants(session),
    )
    return preferences, layers.limits(agent=session.agent)


def _grants(session: Session) -> tuple[Rule, ...]:
    here = Q(session=session) | Q(session__isnull=True, project_id=session.project_id)
    rows = Grant.objects.filter(here).order_by("id").values_list("permission", "pattern")
    return tuple(Rule(permission, pattern, "allow") for permission, pattern in rows)


def judge_needs(session: Session, needs: Sequence[PermissionNeed]) -> Verdict:
    preferences, limits = session_layers(session)
    return judge(needs, preferences, limits)


def judge_stored(session: Session, needs: Sequence[Mapping[str, Any]]) -> Verdict:
    """The same for the needs of a stored request."""
    return judge_needs(session, [need_from_dict(item) for item in needs])
