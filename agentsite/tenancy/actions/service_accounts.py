"""Create, change and delete the service accounts of a team, for members who manage its API tokens."""

import uuid

from django.db import transaction

from agentsite.base.errors import BadInput, NotAllowed
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.invitations import revoke_invitations_of
from agentsite.tenancy.actions.tokens import revoke_all
from agentsite.tenancy.display_names import required_name
from agentsite.tenancy.models import ApiToken, Membership, ServiceAccount, Team, User
from agentsite.tenancy.person_updates import notify_person
from agentsite.tenancy.roles import RANKS, Act, Role


@transaction.atomic
def create_service_account(
    *, actor: User, team: Team, name: str, role: Role = Role.MEMBER, may_approve: bool = False
) -> ServiceAccount:
    name = required_name(name)
    _check_role(actor, team.pk, role)
    account = ServiceAccount(email=f"{uuid.uuid4().hex}@service.invalid", name=name, service_team=team)
    account.set_unusable_password()
    account.save()
    Membership.objects.create(team=team, user=account, role=role.value, may_approve=may_approve)
    _record(account, "service_account.created", actor, name=name, role=role.value, may_approve=may_approve)
    return account


@transaction.atomic
def update_service_account(
    *,
    actor: User,
    account: ServiceAccount,
    name: str | None = None,
    role: Role | None = None,
    may_approve: bool | None = None,
) -> ServiceAccount:
    """Change a service account. Its API tokens keep their scopes, but the new role limits them at once."""
    team = Team.objects.select_for_update().get(pk=account.team_id)
    membership = Membership.objects.select_for_update().filter(user=account, team=team).first()
    if membership is None:
        raise BadInput(
            "This service account is no longer a member of its team.", hint="Delete it and create a new one."
        )
    _check_role(actor, membership.team_id, role or Role(membership.role))
    account.name = account.name if name is None else required_name(name)
    account.save(update_fields=["name"])
    membership.role = membership.role if role is None else role.value
    membership.may_approve = membership.may_approve if may_approve is None else may_approve
    membership.save(update_fields=["role", "may_approve"])
    revoke_invitations_of(account, team, actor=actor)
    notify_person(account.pk)
    now = {"name": account.name, "role": membership.role, "may_approve": membership.may_approve}
    _record(account, "service_account.changed", actor, **now)
    return account


@transaction.atomic
def delete_service_account(*, actor: User, account: ServiceAccount) -> None:
    """Remove a service account from its team, disable it and revoke its API tokens. Its row stays."""
    require(actor, Act.MANAGE_TOKENS, team_id=account.team_id)
    team = Team.objects.select_for_update().get(pk=account.team_id)
    revoke_all(list(ApiToken.objects.filter(user=account)))
    Membership.objects.filter(user=account).delete()
    revoke_invitations_of(account, team, actor=actor)
    ServiceAccount.objects.filter(pk=account.pk).update(is_active=False)
    _record(account, "service_account.removed", actor, name=account.name)


def _check_role(actor: User, team_id: uuid.UUID, role: Role) -> None:
    """Raise BadInput or NotAllowed unless the actor may give a service account this role. Service accounts cannot be
    owners, as owners must be people."""
    membership = require(actor, Act.MANAGE_TOKENS, team_id=team_id)
    if role is Role.OWNER:
        raise BadInput("A service account cannot be an owner.", fields={"role": "choose admin, member or viewer"})
    if RANKS[role] > RANKS[Role(membership.role)]:
        raise NotAllowed(f"Your role in this team is {membership.role}, so you cannot give the role {role.value}.")


def _record(account: ServiceAccount, action: str, actor: User, **data: object) -> None:
    audit.record(team_id=account.team_id, actor=actor, action=action, subject=account.public_id, data=data)
