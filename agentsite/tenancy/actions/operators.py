"""What operators of the site do to accounts and teams, each in the site's audit log and, of a team, in the team's."""

from typing import Any

from django.db import transaction

from agentsite.base.errors import NotAllowed, Stale
from agentsite.base.sqlite_lock import writers_turn
from agentsite.tenancy import audit
from agentsite.tenancy.actions.members import owners_of
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.person_updates import tell_person
from agentsite.tenancy.roles import Role


def switch_account(*, actor: Any, user: User, is_active: bool, is_staff: bool) -> User:
    """Close an account or open it again, make somebody an operator or not. The second is for superusers, and so is the
    first where the account is an operator's."""
    _require_staff(actor)
    if user.pk == actor.pk:
        raise Stale("Nobody closes or changes their own account here.", hint="Ask another operator.")
    with writers_turn(), transaction.atomic():
        row: User = User.objects.select_for_update().get(pk=user.pk)
        before = {"is_active": row.is_active, "is_staff": row.is_staff}
        after = {"is_active": is_active, "is_staff": is_staff}
        if before["is_staff"] != is_staff and not actor.is_superuser:
            raise NotAllowed("Only a superuser makes operators.")
        if before["is_staff"] and not actor.is_superuser:
            raise NotAllowed("Only a superuser closes the accounts of operators.")
        if before == after:
            return row
        row.is_active, row.is_staff = is_active, is_staff
        row.save(update_fields=["is_active", "is_staff"])
        tell_person(row.pk)
        data = {"email": row.email, "before": before, **after}
        audit.record(team_id=None, actor=actor, action="account.switched", subject=row.public_id, data=data)
    return row


def make_owner(*, actor: Any, member: Membership) -> Membership:
    """For a team that nobody can run any more. Raises Stale where somebody can, NotAllowed for oneself: who runs a team
    reads its sessions."""
    _require_staff(actor)
    with team_write(member.team_id) as team:
        row = Membership.objects.select_related("user").get(pk=member.pk)
        if row.user_id == actor.pk:
            raise NotAllowed("Nobody makes themselves an owner.", hint="Ask another operator.")
        if owners_of(team).exists():
            raise Stale(f"The team {team.name} has an owner.", hint="Owners make others owners.")
        if getattr(row.user, "is_service", False):
            raise NotAllowed("A service account owns no team.")
        before, row.role = row.role, Role.OWNER.value
        row.save(update_fields=["role"])
        tell_person(row.user_id)
        data = {"email": row.user.email, "before": before, "by_operator": True}
        for chain in (row.team_id, None):
            audit.record(team_id=chain, actor=actor, action="member.made_owner", subject=row.user.public_id, data=data)
    return row


def _require_staff(actor: Any) -> None:
    if not (actor.is_staff and actor.is_active):
        raise NotAllowed("This is for the people who run the site.")
