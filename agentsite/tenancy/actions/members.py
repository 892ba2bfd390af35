"""Who belongs to a team as what. A team always has an owner: its row is locked for every change, so two owners who
leave at the same moment do so one after the other, and the second one stays."""

from typing import Any

from agentsite.base.errors import Missing, NotAllowed, Stale
from agentsite.base.ids import to_public
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.invitations import revoke_invitations_of
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.actions.tokens import revoke_all
from agentsite.tenancy.models import ApiToken, Membership, Team, User
from agentsite.tenancy.person_updates import tell_person
from agentsite.tenancy.roles import Act, Role, act_for_role


def change_member(
    *, actor: Any, member: Membership, role: str | None = None, may_approve: bool | None = None
) -> Membership:
    """Another role, or the right to decide permission requests. Raises Stale (`last_owner`) when nobody would be left
    to own the team."""
    with team_write(member.team_id) as team:
        row = _current(member)
        _require_for(actor, row, role)
        before = {"role": row.role, "may_approve": row.may_approve}
        row.role = row.role if role is None else role
        row.may_approve = row.may_approve if may_approve is None else may_approve
        after = {"role": row.role, "may_approve": row.may_approve}
        if before == after:
            return row
        row.save(update_fields=["role", "may_approve"])
        _require_an_owner(team, lost=before["role"])
        revoke_invitations_of(row.user, team, actor=actor)
        tell_person(row.user_id)
        _record("member.changed", row, actor, before=before, **after)
    return row


def remove_member(*, actor: Any, member: Membership) -> None:
    """Send somebody away, or leave. What they made stays with the team; what they hold open ends."""
    with team_write(member.team_id) as team:
        row = _current(member)
        if row.user_id != actor.pk:
            _require_for(actor, row)
            _require_a_person(row)
        row.delete()
        _require_an_owner(team, lost=row.role)
        revoke_invitations_of(row.user, team, actor=actor)
        revoke_all(list(ApiToken.objects.filter(user=row.user, team=team)))
        tell_person(row.user_id)
        _record("member.left" if row.user_id == actor.pk else "member.removed", row, actor, role=row.role)


def transfer_ownership(*, actor: Any, member: Membership) -> Membership:
    """The member owns the team in the place of the one who asks, who is an admin from then on."""
    with team_write(member.team_id) as team:
        own = require(actor, Act.MANAGE_OWNERS, team_id=team.pk)
        row = _current(member)
        if row.user_id == actor.pk:
            raise Stale("You own this team already.", code="already_owner")
        _require_a_person(row)
        row.role, own.role = Role.OWNER.value, Role.ADMIN.value
        for each in (row, own):
            each.save(update_fields=["role"])
            tell_person(each.user_id)
        revoke_invitations_of(actor, team, actor=actor)
        _record("team.transferred", row, actor)
    return row


def _current(member: Membership) -> Membership:
    row = Membership.objects.select_related("user", "team").filter(pk=member.pk).first()
    if row is None:
        raise Missing("This person is not in the team any more.")
    return row


def _require_for(actor: Any, row: Membership, role: str | None = None) -> None:
    """Only owners touch owners, in either direction."""
    require(actor, act_for_role(row.role), team_id=row.team_id)
    if role is not None and role != row.role:
        require(actor, act_for_role(role), team_id=row.team_id)
        _require_a_person(row)


def _require_a_person(row: Membership) -> None:
    if row.user.is_service:
        raise NotAllowed(
            "A service account is managed with the team's tokens.", hint="Change it on the tab of service accounts."
        )


def _require_an_owner(team: Team, *, lost: object) -> None:
    """After somebody had the role `lost` no more."""
    if lost == Role.OWNER and not owners_of(team).exists():
        raise Stale(
            "A team needs an owner, and this is its last one.",
            code="last_owner",
            hint="Make somebody else an owner first, or delete the team.",
        )


def owners_of(team: Team) -> Any:
    """Those who can act: an owner whose account is closed can give the team to nobody."""
    return Membership.objects.filter(team=team, role=Role.OWNER.value, user__is_active=True)


def teams_of_only_owner(user: User) -> list[Team]:
    """The teams that would have no owner without this person."""
    owned = Membership.objects.filter(user=user, role=Role.OWNER.value).select_related("team")
    return [row.team for row in owned if not owners_of(row.team).exclude(user=user).exists()]


def _record(action: str, row: Membership, actor: Any, **data: Any) -> None:
    person = to_public(User.PREFIX, row.user_id)
    audit.record(
        team_id=row.team_id, actor=actor, action=action, subject=person, data={"email": row.user.email, **data}
    )
