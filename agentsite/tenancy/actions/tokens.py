"""API tokens: made once, shown once, removed for good."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from agentsite.errors import BadInput
from agentsite.tenancy.models import ApiToken, User
from agentsite.tenancy.secrets import hash_secret, new_token


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """`secret` exists only here; it cannot be shown again."""

    token: ApiToken
    secret: str


def create_token(*, actor: User, name: str, expires_at: datetime | None = None) -> IssuedToken:
    if expires_at is not None and expires_at <= timezone.now():
        raise BadInput("The token would already have expired.", fields={"expires_at": "must be in the future"})
    secret = new_token()
    token = ApiToken.objects.create(user=actor, name=name, secret_hash=hash_secret(secret), expires_at=expires_at)
    return IssuedToken(token, secret)


def delete_token(*, actor: User, public_id: str) -> None:
    ApiToken.objects.visible_to(actor).by_public_id(public_id).delete()
