"""API tokens: made once, shown once, revoked for good. No token makes one that may more than itself."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import BadInput, NotAllowed
from agentsite.tenancy import audit
from agentsite.tenancy.models import ApiToken, Project, Team, User
from agentsite.tenancy.person_updates import tell_person
from agentsite.tenancy.scopes import DEFAULT_SCOPES, in_order
from agentsite.tenancy.secrets import hash_secret, new_token
from agentsite.tenancy.token_restriction import Reach

LONGEST: Final = timedelta(days=3653)


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """`secret` exists only here; it cannot be shown again."""

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
    """A token of `owner`, the actor when nobody is named, for all their teams or only a team or project.

    `by` is the token that the actor acts by: it bounds scopes, reach and expiry of the new one. Whether the actor may
    make one for another owner is the caller's question.
    """
    team = project.team if project is not None else team
    chosen = _known(scopes)
    reach = Reach(None if team is None else team.pk, None if project is None else project.pk)
    _check_time(expires_at)
    if by is not None:
        _check_within(by, chosen, reach, expires_at)
    secret = new_token()
    token = ApiToken.objects.create(
        user=owner or actor, name=name, secret_hash=hash_secret(secret), scopes=chosen, team=team, project=project,
        expires_at=expires_at,
    )  # fmt: skip
    _record(token, "token.created", actor, by=by)
    return IssuedToken(token, secret)


@transaction.atomic
def delete_token(*, actor: User, public_id: str) -> None:
    """Revoke it: from now on it opens nothing, and what it opened closes."""
    token: ApiToken = ApiToken.objects.visible_to(actor).by_public_id(public_id)
    if ApiToken.objects.filter(pk=token.pk).delete()[0]:
        tell_person(token.user_id)
        _record(token, "token.revoked", actor)


def revoke_all(tokens: Sequence[ApiToken]) -> None:
    """For who takes away their owner, and says so in an entry of its own; inside that transaction."""
    ApiToken.objects.filter(pk__in=[token.pk for token in tokens]).delete()
    for user_id in {token.user_id for token in tokens}:
        tell_person(user_id)


def _known(scopes: Iterable[str]) -> list[str]:
    try:
        chosen = in_order(scopes)
    except ValueError as error:
        raise BadInput("There is no such scope.", fields={"scopes": "unknown"}) from error
    if not chosen:
        raise BadInput("A token without a scope would open nothing.", fields={"scopes": "choose at least one"})
    return chosen


def _check_time(expires_at: datetime | None) -> None:
    if expires_at is not None and expires_at <= timezone.now():
        raise BadInput("The token would already have expired.", fields={"expires_at": "must be in the future"})
    if expires_at is not None and expires_at > timezone.now() + LONGEST:
        raise BadInput("A token may last ten years.", fields={"expires_at": "must be within ten years"})


def _check_within(by: ApiToken, scopes: Sequence[str], reach: Reach, expires_at: datetime | None) -> None:
    more: dict[str, str] = {}
    if beyond := [scope for scope in scopes if scope not in by.scopes]:
        more["scopes"] = f"your token does not have {', '.join(beyond)}"
    if not by.reach.holds(reach):
        more["team_id"] = "your token does not reach that far"
    if by.expires_at is not None and (expires_at is None or expires_at > by.expires_at):
        more["expires_at"] = f"your token ends at {by.expires_at.isoformat()}"
    if more:
        raise NotAllowed(
            "A token cannot make one that may more than itself.",
            code="beyond_token",
            hint="Ask for less, or make the token as a signed-in person.",
            fields=more,
        )


def _record(token: ApiToken, action: str, actor: User, *, by: ApiToken | None = None) -> None:
    """In the team's log where the token is for one team, else in the site's."""
    data: dict[str, Any] = {"name": token.name, "scopes": token.scopes, "owner": token.user.public_id}
    if token.project is not None:
        data["project"] = token.project.public_id
    if token.expires_at is not None:
        data["expires_at"] = token.expires_at.isoformat()
    if by is not None:
        data["by_token"] = by.public_id
    audit.record(team_id=token.team_id, actor=actor, action=action, subject=token.public_id, data=data)
