"""Change and remove members of a team, and transfer its ownership.

Every change locks the team's row, so a team always keeps an owner: if its last two owners try to leave at the same
time, the second one may not.
"""

from typing import Any

from django.db.models import QuerySet

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing, NotAllowed, Stale
from agentsite.base.ids import to_public
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.invitations import revoke_invitations_of
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.actions.tokens import revoke_all
from agentsite.tenancy.models import ApiToken, Membership, Team, User
from agentsite.tenancy.person_updates import notify_people, notify_person
from agentsite.tenancy.roles import Act, Role, act_for_role


def change_member(
    *, actor: User, member: Membership, role: str | None = None, may_approve: bool | None = None
) -> Membership:
    """Change a member's role or their right to decide permission requests.

    Raises Stale (`last_owner`) if the team would be left without an owner.
    """
    with team_write(member.team_id) as team:
        row = _current(member)
        _require_right_to_change(actor, row, role)
        before = {"role": row.role, "may_approve": row.may_approve}
        row.role = row.role if role is None else role
        row.may_approve = row.may_approve if may_approve is None else may_approve
        after = {"role": row.role, "may_approve": row.may_approve}
        if before == after:
            return row
        row.save(update_fields=["role", "may_approve"])
        _require_an_owner(team, lost=before["role"])
        revoke_invitations_of(row.user, team, actor=actor)
        notify_person(row.user_id)
        _record("member.changed", row, actor, before=before, **after)
    return row


def remove_member(*, actor: User, member: Membership) -> None:
    """Remove a member from the team. Actors may remove themselves, and so leave the team.

    The member's sessions stay with the team. The invitations that the member has sent, and the member's API tokens for
    the team, are revoked.
    """
    with team_write(member.team_id) as team:
        row = _current(member)
        if row.user_id != actor.pk:
            _require_right_to_change(actor, row)
            _require_a_person(row)
        row.delete()
        _require_an_owner(team, lost=row.role)
        revoke_invitations_of(row.user, team, actor=actor)
        revoke_all(list(ApiToken.objects.filter(user=row.user, team=team)))
        notify_person(row.user_id)
        _record("member.left" if row.user_id == actor.pk else "member.removed", row, actor, role=row.role)


def transfer_ownership(*, actor: User, member: Membership) -> Membership:
    """Make the member an owner of the team and the actor an admin. Returns the new owner's membership."""
    with team_write(member.team_id) as team:
        own = require(actor, Act.MANAGE_OWNERS, team_id=team.pk)
        row = _current(member)
        if row.user_id == actor.pk:
            raise Stale("You already own this team.", code=ErrorCode.ALREADY_OWNER)
        _require_a_person(row)
        row.role, own.role = Role.OWNER.value, Role.ADMIN.value
        for each in (row, own):
            each.save(update_fields=["role"])
        notify_people([row.user_id, own.user_id])
        revoke_invitations_of(actor, team, actor=actor)
        _record("team.transferred", row, actor)
    return row


def _current(member: Membership) -> Membership:
    row = Membership.objects.select_related("user", "team").filter(pk=member.pk).first()
    if row is None:
        raise Missing("This person is no longer a member of the team.")
    return row


def _require_right_to_change(actor: User, row: Membership, role: str | None = None) -> None:
    """Raise NotAllowed unless the actor may change this member and give them `role`. Only owners may add or change
    owners."""
    require(actor, act_for_role(row.role), team_id=row.team_id)
    if role is not None and role != row.role:
        require(actor, act_for_role(role), team_id=row.team_id)
        _require_a_person(row)


def _require_a_person(row: Membership) -> None:
    if row.user.is_service:
        raise NotAllowed(
            "A service account cannot be changed as a member of the team.",
            hint="Change it under the service accounts of the team.",
        )


def _require_an_owner(team: Team, *, lost: object) -> None:
    """Raise Stale if the team has no owner left after a member has lost the role `lost`."""
    if lost == Role.OWNER and not owners_of(team).exists():
        raise Stale(
            "This is the last owner of the team, and a team needs one.",
            code=ErrorCode.LAST_OWNER,
            hint="Make another member an owner first, or delete the team.",
        )


def owners_of(team: Team) -> QuerySet[Membership]:
    """Return the memberships of the team's owners, except owners whose account is disabled."""
    return Membership.objects.filter(team=team, role=Role.OWNER.value, user__is_active=True)


def _record(action: str, row: Membership, actor: User, **data: Any) -> None:
    person = to_public(User.PREFIX, row.user_id)
    audit.record(
        team_id=row.team_id, actor=actor, action=action, subject=person, data={"email": row.user.email, **data}
    )
