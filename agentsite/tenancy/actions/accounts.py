"""Let people rename and delete their own accounts."""

from typing import Final

from django.db import transaction

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, NotAllowed, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.actions.invitations import revoke_invitations_of
from agentsite.tenancy.display_names import NAME_LENGTH, one_line
from agentsite.tenancy.mail import send_mail_later
from agentsite.tenancy.models import Membership, Team, User
from agentsite.tenancy.person_updates import notify_person
from agentsite.tenancy.roles import Role

_DELETED_EMAIL: Final = """Your account was deleted, as you requested.

The messages that you wrote in sessions stay with the teams of these sessions, without your name.
"""


def rename_account(*, actor: User, name: str) -> User:
    """Change the display name of the actor. With an empty name, the e-mail address is shown instead."""
    name = one_line(name)
    if len(name) > NAME_LENGTH:
        raise BadInput(
            "The name is too long; at most 120 characters are allowed.", fields={"name": "at most 120 characters"}
        )
    with sqlite_write_lock(), transaction.atomic():
        user = User.objects.select_for_update().get(pk=actor.pk)
        former, user.name = user.name, name
        user.save(update_fields=["name"])
        if former != name:
            data = {"name": name, "former": former}
            audit.record(team_id=None, actor=user, action="account.renamed", subject=user.public_id, data=data)
    return user


def delete_account(*, actor: User) -> None:
    """Delete the account with its memberships, API tokens, MFA methods and browser sessions.

    Sessions and messages in teams stay, without the person's name. Raises Stale (`last_owner`) while a team has no
    other owner. The caller must have reauthenticated the actor.
    """
    from agentsite.tenancy.accounts.devices import sign_out_devices
    from agentsite.tenancy.accounts.lockout import reset_lockout

    if actor.is_service:
        raise NotAllowed("A service account cannot delete itself.")
    with sqlite_write_lock(), transaction.atomic():
        teams = list(Team.objects.select_for_update().filter(memberships__user=actor).order_by("pk"))
        _require_other_owners(actor, teams)
        for team in teams:
            Membership.objects.filter(team=team, user=actor).delete()
            revoke_invitations_of(actor, team, actor=actor)
        sign_out_devices(actor)
        reset_lockout(actor.email)
        notify_person(actor.pk)
        send_mail_later(to=actor.email, subject="Your account was deleted", text=_DELETED_EMAIL)
        _record_deletion(actor, teams)
        User.objects.filter(pk=actor.pk).delete()


def _require_other_owners(user: User, teams: list[Team]) -> None:
    owners = Membership.objects.filter(role=Role.OWNER, team__in=[team for team in teams if team.remove_at is None])
    mine = {row.team_id for row in owners if row.user_id == user.pk}
    shared = {row.team_id for row in owners if row.user_id != user.pk}
    alone = [team.name for team in teams if team.pk in mine - shared]
    if alone:
        raise Stale(
            f"You are the only owner of {', '.join(alone)}.",
            code=ErrorCode.LAST_OWNER,
            hint="Make another member an owner or delete the team first, then delete your account.",
            fields={"teams": ", ".join(alone)},
        )


def _record_deletion(user: User, teams: list[Team]) -> None:
    """Record the deletion of an account in the audit logs of the site and of the user's teams. Call it while the user's
    row still exists, because the row's id is recorded."""
    for team in teams:
        audit.record(
            team_id=team.pk, actor=user, action="member.left", subject=user.public_id, data={"account": "deleted"}
        )
    audit.record(team_id=None, actor=user, action="account.deleted", subject=user.public_id)
