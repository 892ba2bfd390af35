"""Accounts: what their own person changes."""

from typing import Any

from django.db import transaction

from agentsite.errors import BadInput
from agentsite.tenancy import audit
from agentsite.tenancy.models import User
from agentsite.writers import writers_turn


def rename_account(*, actor: Any, name: str) -> User:
    """How others see the person. Empty: by their address."""
    name = " ".join(name.split())
    if len(name) > 120:
        raise BadInput("The name is too long.", fields={"name": "at most 120 characters"})
    with writers_turn(), transaction.atomic():
        user: User = User.objects.select_for_update().get(pk=actor.pk)
        former, user.name = user.name, name
        user.save(update_fields=["name"])
        if former != name:
            data = {"name": name, "former": former}
            audit.record(team_id=None, actor=user, action="account.renamed", subject=user.public_id, data=data)
    return user
