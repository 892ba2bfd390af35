"""Create and revoke API tokens. A token cannot create a token with more rights than its own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, NotAllowed
from agentsite.tenancy import audit
from agentsite.tenancy.base import TokenRestriction
from agentsite.tenancy.models import ApiToken, Project, Team, User
from agentsite.tenancy.person_updates import notify_people, notify_person
from agentsite.tenancy.scopes import DEFAULT_SCOPES, in_order
from agentsite.tenancy.secrets import hash_secret, new_token

MAX_LIFETIME: Final = timedelta(days=3653)  # ten years


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new API token. `secret` is only available here, because the database keeps only its hash."""

    token: ApiToken
    secret: str


@transaction.atomic
def create_token(
    *,
    actor: User,
    name: str,
    owner: User | None = None,
    scopes: Iterable[str] = DEFAULT_SCOPES,
    team: Team | None = None,
    project: Project | None = None,
    expires_at: datetime | None = None,
    by: ApiToken | None = None,
) -> IssuedToken:
    """Create an API token of `owner` (by default the actor), optionally restricted to a team or project.

    `by` is the API token that the actor uses, if any: it limits the scopes, restriction and expiry of the new one.
    The caller must check that the actor may create a token for another owner.
    """
    team = project.team if project is not None else team
    chosen = _known(scopes)
    restriction = TokenRestriction(None if team is None else team.pk, None if project is None else project.pk)
    _check_time(expires_at)
    if by is not None:
        _check_within(by, chosen, restriction, expires_at)
    secret = new_token()
    token = ApiToken.objects.create(
        user=owner or actor, name=name, secret_hash=hash_secret(secret), scopes=chosen, team=team, project=project,
        expires_at=expires_at,
    )  # fmt: skip
    _record(token, "token.created", actor, by=by)
    return IssuedToken(token, secret)


@transaction.atomic
def delete_token(*, actor: User, public_id: str) -> None:
    """Revoke an API token and notify its open connections, so that they are closed."""
    token = ApiToken.objects.visible_to(actor).by_public_id(public_id)
    if ApiToken.objects.filter(pk=token.pk).delete()[0]:
        notify_person(token.user_id)
        _record(token, "token.revoked", actor)


def revoke_all(tokens: Sequence[ApiToken]) -> None:
    """Revoke API tokens inside the caller's transaction. The audit log gets no entries for the tokens, only the
    caller's own entry."""
    ApiToken.objects.filter(pk__in=[token.pk for token in tokens]).delete()
    notify_people({token.user_id for token in tokens})


def _known(scopes: Iterable[str]) -> list[str]:
    try:
        chosen = in_order(scopes)
    except ValueError as error:
        raise BadInput("Some of these scopes do not exist.", fields={"scopes": "contains an unknown scope"}) from error
    if not chosen:
        raise BadInput("An API token needs at least one scope.", fields={"scopes": "choose at least one"})
    return chosen


def _check_time(expires_at: datetime | None) -> None:
    if expires_at is not None and expires_at <= timezone.now():
        raise BadInput(
            "The expiry of an API token must be in the future.", fields={"expires_at": "must be in the future"}
        )
    if expires_at is not None and expires_at > timezone.now() + MAX_LIFETIME:
        raise BadInput(
            "An API token can be valid for at most ten years.", fields={"expires_at": "must be within ten years"}
        )


def _check_within(
    by: ApiToken, scopes: Sequence[str], restriction: TokenRestriction, expires_at: datetime | None
) -> None:
    more: dict[str, str] = {}
    if beyond := [scope for scope in scopes if scope not in by.scopes]:
        more["scopes"] = f"your token does not have {', '.join(beyond)}"
    if not by.token_restriction.contains(restriction):
        more["team_id"] = "the restriction of your token does not include this"
    if by.expires_at is not None and (expires_at is None or expires_at > by.expires_at):
        more["expires_at"] = f"your token expires at {by.expires_at.isoformat()}"
    if more:
        raise NotAllowed(
            "An API token cannot create a token with more rights than its own.",
            code=ErrorCode.BEYOND_TOKEN,
            hint="Request fewer rights, or sign in with a browser to create the token.",
            fields=more,
        )


def _record(token: ApiToken, action: str, actor: User, *, by: ApiToken | None = None) -> None:
    """Record an action on an API token in the audit log of the team that the token is restricted to, otherwise in the
    audit log of the site."""
    data: dict[str, Any] = {"name": token.name, "scopes": token.scopes, "owner": token.user.public_id}
    if token.project is not None:
        data["project"] = token.project.public_id
    if token.expires_at is not None:
        data["expires_at"] = token.expires_at.isoformat()
    if by is not None:
        data["by_token"] = by.public_id
    audit.record(team_id=token.team_id, actor=actor, action=action, subject=token.public_id, data=data)
