"""Changes that operators make to accounts and teams, recorded in the audit logs of the site and of the team."""

from django.db import transaction

from agentsite.base.errors import NotAllowed, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.actions.members import owners_of
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.person_updates import notify_person
from agentsite.tenancy.roles import Role


def switch_account(*, actor: User, user: User, is_active: bool, is_staff: bool) -> User:
    """Disable or enable an account, or change whether the person is an operator.

    Only superusers may change who is an operator, and disable or enable the account of an operator.
    """
    _require_staff(actor)
    if user.pk == actor.pk:
        raise Stale("You cannot disable or change your own account here.", hint="Ask another operator.")
    with sqlite_write_lock(), transaction.atomic():
        row = User.objects.select_for_update().get(pk=user.pk)
        before = {"is_active": row.is_active, "is_staff": row.is_staff}
        after = {"is_active": is_active, "is_staff": is_staff}
        if before["is_staff"] != is_staff and not actor.is_superuser:
            raise NotAllowed("Only a superuser can change who is an operator.")
        if before["is_staff"] and not actor.is_superuser:
            raise NotAllowed("Only a superuser can disable the account of an operator.")
        if before == after:
            return row
        row.is_active, row.is_staff = is_active, is_staff
        row.save(update_fields=["is_active", "is_staff"])
        notify_person(row.pk)
        data = {"email": row.email, "before": before, **after}
        audit.record(team_id=None, actor=actor, action="account.switched", subject=row.public_id, data=data)
    return row


def make_owner(*, actor: User, member: Membership) -> Membership:
    """Make a member the owner of a team that has no active owner left.

    Raises Stale if the team has an active owner, and NotAllowed for the actor's own membership, because owners of a
    team can read its sessions.
    """
    _require_staff(actor)
    with team_write(member.team_id) as team:
        row = Membership.objects.select_related("user").get(pk=member.pk)
        if row.user_id == actor.pk:
            raise NotAllowed("You cannot make yourself an owner.", hint="Ask another operator.")
        if owners_of(team).exists():
            raise Stale(f"The team {team.name} already has an active owner.", hint="Ask that owner to add another one.")
        if getattr(row.user, "is_service", False):
            raise NotAllowed("A service account cannot own a team.")
        before, row.role = row.role, Role.OWNER.value
        row.save(update_fields=["role"])
        notify_person(row.user_id)
        data = {"email": row.user.email, "before": before, "by_operator": True}
        for chain in (row.team_id, None):
            audit.record(team_id=chain, actor=actor, action="member.made_owner", subject=row.user.public_id, data=data)
    return row


def _require_staff(actor: User) -> None:
    if not (actor.is_staff and actor.is_active):
        raise NotAllowed("Only operators of this site can do this.")
