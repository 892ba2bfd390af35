"""Grants: the allow rules that an "always" decision creates. A grant also answers other waiting requests that it
covers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import structlog
from django.db import DatabaseError, transaction
from django.db.models import Q

from agentsite.base.errors import Missing, NotAllowed, Stale
from agentsite.base.ids import to_public
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.approvers import SCOPES, WHO_MAY_GRANT, Answerer, answerer, stricter, unmet_rule
from sessions_app.actions.calls import resume_call
from sessions_app.actions.decisions import bounded
from sessions_app.actions.turns import settle_turn
from sessions_app.actions.waiting_calls import load_request, settle_request
from sessions_app.audience import sees
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Grant, PermissionRequest
from sessions_app.policy import judge_stored, session_policies
from tools_app.gate import grant_rules, need_from_dict
from tools_app.permission import wildcard
from tools_app.permission.model import Rule
from tools_app.policies.current import Policies, current_policies

MAX_SETTLED: Final = 500  # waiting requests that one decision checks; the rest need a decision of their own
MAX_AUDITED_RULES: Final = 50  # rules of one decision that the audit log lists
COVERED: Final = 'Allowed by an "always" decision on another request.'

logger = structlog.get_logger(__name__)


def require_may_grant(person: Answerer, scope: str, policies: Policies) -> None:
    """Raise NotAllowed, with the allowed alternatives, unless the person may decide "always" for the scope."""
    granters: dict[str, str] = {each: policies.granter(each) for each in SCOPES}
    if person.may_grant(granters[scope]):
        return
    others = [each for each in SCOPES if person.may_grant(granters[each])]
    instead = f" or always for the {' or '.join(others)}" if others else ""
    raise NotAllowed(
        f'You are not allowed to decide "always" for the {scope}. {WHO_MAY_GRANT[granters[scope]]}',
        hint=f"Allow this call once{instead}.",
    )


def add_grants(write: SessionWrite, row: PermissionRequest, *, actor: User) -> None:
    """Create grants for the `always` patterns of a request in its scope. Patterns that are already granted in this
    scope are skipped, so that one revocation is enough. Reads `session.project`."""
    project = write.session.project
    place = {
        "team_id": project.team_id,
        "project_id": None if row.scope == "team" else project.pk,
        "session_id": write.session.pk if row.scope == "session" else None,
    }
    known = set(Grant.objects.filter(**place).values_list("permission", "pattern"))
    rules = [rule for rule in rules_of(row) if (rule.permission, rule.pattern) not in known]
    if not rules:
        return
    Grant.objects.bulk_create(
        Grant(
            **place, scope=row.scope, permission=rule.permission, pattern=rule.pattern, granted_by=actor,
            from_request=row,
        )
        for rule in rules
    )  # fmt: skip
    listed = [[rule.permission, bounded(rule.pattern)] for rule in rules[:MAX_AUDITED_RULES]]
    data = {"session": write.session.public_id, "scope": row.scope, "rules": listed, "count": len(rules)}
    write.audit("grant.added", team_id=project.team_id, actor=actor, subject=row.public_id, data=data)


def rules_of(request: PermissionRequest) -> tuple[Rule, ...]:
    """Return the allow rules that an "always" decision on this permission request creates."""
    return grant_rules(need_from_dict(need) for need in request.needs)


def settle_others(granted: PermissionRequest, *, actor: User, person: Answerer) -> int:
    """Allow the other waiting requests that a new grant covers completely. Returns the number of allowed requests.

    Only requests that the same people could have answered are allowed: a request that needs an admin or the starter
    stays open for them, and one that needs two people is allowed only if two people decided on the grant. Each request
    has its own transaction and locks one session at a time. A request whose update fails stays open.
    """
    rules = rules_of(granted)
    waiting = PermissionRequest.objects.filter(_requests_in_scope(granted), state=PermissionRequest.State.OPEN)
    found = [row for row in waiting.order_by("id")[:MAX_SETTLED] if _match_any(rules, row.needs)]
    return sum(_try_to_settle(row, granted, actor=actor, person=person) for row in found)


def _requests_in_scope(granted: PermissionRequest) -> Q:
    if granted.scope == "session":
        return Q(session_id=granted.session_id)
    if granted.scope == "project":
        return Q(session__project_id=granted.session.project_id)
    return Q(session__project__team_id=granted.session.project.team_id)


def _match_any(rules: Iterable[Rule], needs: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a rule matches one of the permission needs of a request. Used to avoid locking the sessions of
    requests to which a grant does not apply."""
    return any(
        wildcard.match(need["permission"], rule.permission) and wildcard.match(pattern, rule.pattern)
        for rule in rules
        for need in needs
        for pattern in need["patterns"] or ("*",)
    )


def _try_to_settle(request: PermissionRequest, granted: PermissionRequest, *, actor: User, person: Answerer) -> bool:
    try:
        return _settle_if_allowed(request, granted, actor=actor, person=person)
    except (Stale, Missing, PermissionRequest.DoesNotExist):  # answered or deleted in the meantime
        return False
    except DatabaseError as error:  # the decision itself is kept
        logger.warning("request_left_waiting", request=request.public_id, error=repr(error))
        return False


def _settle_if_allowed(
    request: PermissionRequest, granted: PermissionRequest, *, actor: User, person: Answerer
) -> bool:
    with session_write(request.session_id, related=("project", "workspace")) as write:
        row = load_request(write, request)
        policies = session_policies(write.session)
        if write.session.is_private and not sees(actor, write.session):
            return False
        if not _could_answer(granted, row, policies, actor=actor, person=person):
            return False
        if judge_stored(write.session, row.needs, policies).action != "allow":
            return False
        settle_request(write, row, PermissionRequest.State.ALWAYS, answered_by=actor, message=COVERED)
        resume_call(write, row.call)
        settle_turn(write, row.turn_id)
        data = {
            "session": write.session.public_id, "call": to_public("call", row.call_id), "tool": bounded(row.call.tool),
            "approvers": row.approvers, "reply": row.state, "covered_by": granted.public_id,
        }  # fmt: skip
        team_id = write.session.project.team_id
        write.audit("request.answered", team_id=team_id, actor=actor, subject=row.public_id, data=data)
        return True


def _could_answer(
    granted: PermissionRequest, row: PermissionRequest, policies: Policies, *, actor: User, person: Answerer
) -> bool:
    approvers = stricter(row.approvers, policies.approvers)
    if approvers == "two_people" and len(granted.approvals) < 2:
        return False
    started = row.started_by_id == actor.id
    asked = Answerer(person.may_answer, person.is_admin, started)
    return unmet_rule(asked, approvers, {row.approvers, *policies.all_approvers}) is None


def revoke_grant(*, actor: User, grant: Grant) -> None:
    """Delete the grant, so that the next call that it covered needs permission again. Allowed for people who may create
    such a grant, and for admins.

    Raises Missing if the grant no longer exists.
    """
    membership = require(actor, Act.VIEW, team_id=grant.team_id)
    policies = current_policies(team_id=grant.team_id, project_id=grant.project_id)
    granter = policies.granter(_scope_of(grant))
    if not answerer(membership, started=False).may_revoke(granter):
        raise NotAllowed(
            f"You are not allowed to revoke a grant for the {grant.scope}. Admins and the people who may grant it are."
        )
    with sqlite_write_lock(), transaction.atomic():
        if not Grant.objects.filter(pk=grant.pk).delete()[0]:
            raise Missing("This grant no longer exists.")
        audit.record(
            team_id=grant.team_id,
            actor=actor,
            action="grant.revoked",
            subject=grant.public_id,
            data=_record_of(grant),
            project_id=grant.project_id,
            private_to=grant.session.private_to if grant.session else "",
        )


def _scope_of(grant: Grant) -> Any:
    """Return the grant's scope as the type that policies use. The column has the same choices."""
    return grant.scope


def _record_of(grant: Grant) -> dict[str, Any]:
    return {
        "scope": grant.scope,
        "permission": grant.permission,
        "pattern": bounded(grant.pattern),
        "project": grant.project_id and to_public("prj", grant.project_id),
        "session": grant.session_id and to_public("ses", grant.session_id),
        "request": grant.from_request_id and to_public("per", grant.from_request_id),
    }
