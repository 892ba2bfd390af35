"""The web server's part of sign-in and sign-out at MCP servers.

It can encrypt tokens but not decrypt them; the door process talks to the servers.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, NotAllowed, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from agentsite.tenancy.secrets import hash_secret
from sessions_app.mcp.places import place_of
from sessions_app.models import McpAccount, McpRevocation, McpServer, McpSignIn
from sessions_app.queueing import enqueue_mcp_revocations

LIFETIME: Final = timedelta(minutes=15)
MAX_UNDER_WAY: Final = 20  # sign-ins of one person
MAX_CODE_CHARACTERS: Final = 8_000
NOT_VALID: Final = "This sign-in is not valid any more, or it was begun in another browser."
DENIED: Final = "It was not allowed: {}"


def owner_of_account(actor: User, server: McpServer) -> User | None:
    """Return the person whose account at a server the actor may sign in to or out of; None for the team's account.

    Raises BadInput for a local server, NotAllowed if the actor may not sign in there.
    """
    place, is_of_team = place_of(server), server.sign_in == McpServer.SignIn.TEAM
    if is_of_team or place.person is not None:
        place.require_edit(actor)
    elif place.team_id is not None:
        require(actor, Act.PROMPT, team_id=place.team_id)
    if server.kind != McpServer.Kind.REMOTE:
        raise BadInput("Only remote MCP servers have a sign-in.", hint="Give a local server its key in a variable.")
    if actor.is_service and not is_of_team:
        hint = "Let an admin set the server to one account of the team."
        raise NotAllowed("A service account cannot sign in for itself.", hint=hint)
    return None if is_of_team else actor


def begin_sign_in(*, actor: User, server: McpServer, session_key: str | None) -> McpSignIn:
    """Store the start of a person's sign-in at a server.

    `session_key` is the key of the browser session in which it started; None for an API token.
    """
    owner = owner_of_account(actor, server)
    if not server.enabled:
        raise Stale(
            "This MCP server is disabled.", code=ErrorCode.MCP_SIGN_IN_FAILED, hint="Ask an admin to enable it."
        )
    now = timezone.now()
    with sqlite_write_lock(), transaction.atomic():
        McpSignIn.objects.filter(expires_at__lt=now).delete()
        mine = McpSignIn.objects.filter(started_by=actor).order_by("-id").values_list("pk", flat=True)
        McpSignIn.objects.filter(pk__in=list(mine[MAX_UNDER_WAY - 1 :])).delete()
        return McpSignIn.objects.create(
            server=server, url=server.url, person=owner, started_by=actor, expires_at=now + LIFETIME,
            session_hash=hash_secret(session_key) if session_key else "",
        )  # fmt: skip


def take_answer(*, actor: User, session_key: str | None, answer: Mapping[str, str]) -> McpSignIn:
    """Store the authorization server's answer that a person's browser delivered, and return the sign-in to finish.

    The same person must have begun the sign-in in the same browser, and each sign-in takes one answer; otherwise raises
    Stale. If the answer says that the person or the server refused the sign-in, the result's `problem` is set.
    """
    rows = McpSignIn.objects.select_related(
        "server__team", "server__project", "server__person", "server__workspace__project", "person"
    )
    state = hash_secret(answer.get("state", ""))
    found = rows.filter(state_hash=state, started_by=actor, expires_at__gt=timezone.now()).first()
    if found is None or (found.session_hash and found.session_hash != hash_secret(session_key or "")):
        raise Stale(NOT_VALID, code=ErrorCode.MCP_SIGN_IN_FAILED, hint="Press 'Sign in' again.")
    owner_of_account(actor, found.server)
    code = answer.get("code", "")
    problem = "" if 0 < len(code) <= MAX_CODE_CHARACTERS else DENIED.format(_reason(answer))
    changes: dict[str, Any] = {
        "answered_at": timezone.now(),
        "sealed_code": "" if problem else DOOR.seal(code),
        "iss": answer.get("iss"),
        "problem": problem,
    }
    with sqlite_write_lock():
        taken = McpSignIn.objects.filter(pk=found.pk, answered_at=None).update(**changes)
    if not taken:
        raise Stale(NOT_VALID, code=ErrorCode.MCP_SIGN_IN_FAILED, hint="Press 'Sign in' again.")
    found.problem = problem
    return found


def _reason(answer: Mapping[str, str]) -> str:
    words = [answer[name] for name in ("error", "error_description") if answer.get(name)]
    return ": ".join(words)[:300] or "the answer has no code"


def sign_out(*, actor: User, server: McpServer) -> None:
    """Remove the account of the actor, or of the team, at a server. The next call of the server's tools is refused, and
    the tokens are revoked at the server. Raises Missing if nobody is signed in."""
    owner = owner_of_account(actor, server)
    with sqlite_write_lock(), transaction.atomic():
        McpSignIn.objects.filter(server=server, person=owner).delete()
        if not McpAccount.objects.filter(server=server, person=owner).delete()[0]:
            raise Missing("Nobody is signed in at this MCP server.")
        transaction.on_commit(enqueue_mcp_revocations)
        record_sign_in(server, actor=actor, owner=owner, action="mcp_server.signed_out")


def tend_sign_ins(now: datetime) -> None:
    """Delete expired sign-ins that nobody finished, and enqueue the revocation of tokens of removed accounts."""
    with sqlite_write_lock():
        McpSignIn.objects.filter(expires_at__lt=now).delete()
    if McpRevocation.objects.filter(not_before__lte=now).exists():
        enqueue_mcp_revocations()


def record_sign_in(server: McpServer, *, actor: User | None, owner: User | None, action: str) -> None:
    """Write a sign-in or sign-out into the audit log. Must be the last write of the transaction."""
    team_id = place_of(server).team_id
    data = {"name": server.name, "account": "team" if owner is None else "person"}
    audit.record(team_id=team_id, actor=actor, action=action, subject=server.public_id, data=data)


def accounts_for(user: User, servers: Iterable[McpServer]) -> dict[Any, McpAccount]:
    """Return the accounts that a person's sessions use at these servers, as {primary key of the server: account}.

    An account belongs to the person or to the team.
    """
    rows = [row for row in servers if row.asks_sign_in]
    mine = Q(server__sign_in=McpServer.SignIn.PERSON, person=user)
    of_team = Q(server__sign_in=McpServer.SignIn.TEAM, person=None)
    found = McpAccount.objects.filter(mine | of_team, server__in=rows).select_related("signed_in_by") if rows else ()
    return {account.server_id: account for account in found}


def problem_of_sign_in(user: User, server: McpServer) -> str:
    """Return why the person's last attempt to sign in at a server failed; "" if it has not failed, has expired, or
    there was none."""
    if server.kind != McpServer.Kind.REMOTE:
        return ""
    row = McpSignIn.objects.filter(server=server, started_by=user).order_by("-id").first()
    return row.problem if row is not None and row.expires_at > timezone.now() else ""
