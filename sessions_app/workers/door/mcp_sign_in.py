"""Sign in at MCP servers for people: find the authorization server, exchange codes for tokens, and revoke tokens.

Each request to a server is made by a guarded process. Tokens are encrypted before they are stored, and only the door
can decrypt them.
"""

import json
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

import structlog
from channels.layers import get_channel_layer
from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone
from pydantic import ValidationError
from redis.exceptions import RedisError

from agentsite.base.background import background
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.key_pairs import CannotUnseal
from agentsite.tenancy.secrets import hash_secret
from sessions_app.mcp.accounts import record_sign_in
from sessions_app.mcp.asking import SIGN_IN_QUESTION, SignInQuestion
from sessions_app.mcp.remote import list_later
from sessions_app.models import McpAccount, McpClient, McpRevocation, McpServer, McpSignIn
from sessions_app.workers.door.threads import in_thread
from tools_app.masking import Masks
from tools_app.mcp.oauth.orders import OAuthAnswer, OAuthClient, OAuthOrder, OAuthState, Step, ask_oauth

CALLBACK: Final = "/oauth/mcp/callback"
CLIENT_DOCUMENT: Final = "/oauth/mcp/client.json"
TAKEN_TTL: Final = 3600  # seconds
REVOKE_DELAYS: Final = (60, 600, 3_600, 14_400, 43_200)  # seconds between attempts to revoke tokens
MAX_REVOKED: Final = 20  # at once
GONE: Final = "This sign-in is not valid any more. Press 'Sign in' again."
UNREADABLE: Final = "This sign-in cannot be decrypted any more. Press 'Sign in' again."
FAULT: Final = "The sign-in failed because of an error of the site. Try it again."

logger = structlog.get_logger(__name__)


def answer_query(question: dict[str, Any], reply_to: str) -> None:
    """Start answering a sign-in request on the background loop, and return at once. Each step of a sign-in is run only
    once, because using an authorization code twice revokes the tokens issued for it."""
    try:
        asked = SIGN_IN_QUESTION.validate_python(question)
        is_first = cache.add(f"mcp-sign-in-taken:{asked.kind}:{asked.sign_in}", 1, TAKEN_TTL)
    except (ValidationError, OSError, RedisError):
        logger.warning("mcp_sign_in_not_understood")
        return
    if is_first:
        background.start(_answer(asked, reply_to))


async def _answer(asked: SignInQuestion, reply_to: str) -> None:
    try:
        found = await (_begin(asked) if asked.kind == "begin" else _finish(asked))
    except Exception as error:  # the process that asked must not wait forever
        logger.error("mcp_sign_in_failed", sign_in=str(asked.sign_in), exc_info=error)
        found = {"problem": FAULT}
    await get_channel_layer().send(reply_to, {"type": "mcp.answer", "ok": found})


async def _begin(asked: SignInQuestion) -> dict[str, Any]:
    order = await in_thread(partial(_order_to_begin, asked))
    if isinstance(order, str):
        return {"problem": order}
    answer = await ask_oauth(order)
    if answer.kind != "authorize":
        return {"problem": await in_thread(partial(_note_problem, asked, order, answer))}
    if not await in_thread(partial(_store_begun, asked, order, answer)):
        return {"problem": GONE}
    return {"url": answer.url}


async def _finish(asked: SignInQuestion) -> dict[str, Any]:
    order = await in_thread(partial(_order_to_finish, asked))
    if isinstance(order, str):
        return {"problem": order}
    answer = await ask_oauth(order)
    if answer.kind != "tokens":
        return {"problem": await in_thread(partial(_note_problem, asked, order, answer))}
    if not await in_thread(partial(_store_account, asked, answer.state)):
        await in_thread(partial(keep_for_revocation, order.url, answer.state))
        return {"problem": GONE}
    return {}


def order_for(step: Step, url: str, state: OAuthState | None = None, **fields: Any) -> OAuthOrder:
    """Return the request to a guarded process to run one step of a sign-in in the name of this site. `fields` are
    additional fields of the request."""
    is_public = settings.SITE_URL.startswith("https://")
    client = OAuthClient(
        name="agentsite",
        uri=settings.SITE_URL,
        redirect_uri=f"{settings.SITE_URL}{CALLBACK}",
        metadata_url=f"{settings.SITE_URL}{CLIENT_DOCUMENT}" if is_public else "",
        registered=fields.pop("registered", None),
    )
    return OAuthOrder(
        step=step, url=url, client=client, allowed=tuple(settings.NETWORK_ALLOW),
        certificates=settings.NETWORK_CERTIFICATES, state=state or OAuthState(), **fields,
    )  # fmt: skip


def _find(asked: SignInQuestion) -> McpSignIn | None:
    """Return the sign-in that a request names; None if the sign-in has expired or the server's address has changed."""
    rows = McpSignIn.objects.select_related(
        "server__team", "server__project", "server__person", "server__workspace__project", "started_by", "person"
    )
    row = rows.filter(pk=asked.sign_in, expires_at__gt=timezone.now(), server__enabled=True).first()
    return row if row is not None and row.server.url == row.url else None


def _order_to_begin(asked: SignInQuestion) -> OAuthOrder | str:
    row = _find(asked)
    if row is None or row.state_hash:
        return GONE
    before = McpAccount.objects.filter(server=row.server, person=row.person).first()
    scope = " ".join(dict.fromkeys([*before.scopes, *before.wanted])) if before and before.wanted else ""
    try:
        registered = _registered_client(row.server, scope)
    except CannotUnseal:
        return UNREADABLE
    server = row.server
    return order_for(
        "begin",
        row.url,
        headers=dict(server.headers),
        scope=scope,
        challenge=server.challenge,
        registered=registered,
    )


def _registered_client(server: McpServer, scope: str) -> dict[str, Any] | None:
    """Return the stored OAuth client for a server; None if there is none, if its secret has expired, or if the site
    registered it for fewer scopes than `scope`."""
    found = McpClient.objects.filter(server=server).first()
    if found is None:
        return None
    known: dict[str, Any] = json.loads(DOOR.unseal(found.sealed))
    ends = known.get("client_secret_expires_at") or 0
    is_narrow = bool(known.get("scope")) and not set(scope.split()) <= set(str(known["scope"]).split())
    return None if 0 < ends < time.time() or (is_narrow and not found.is_given) else known


def _store_begun(asked: SignInQuestion, order: OAuthOrder, answer: OAuthAnswer) -> bool:
    """Store the data needed to finish the sign-in, and the OAuth client if starting the sign-in registered a new one.
    Returns False if the sign-in no longer exists."""
    client = answer.state.client or {}
    with sqlite_write_lock(), transaction.atomic():
        row = _find(asked)
        if row is None:
            return False
        McpSignIn.objects.filter(pk=row.pk).update(
            state_hash=hash_secret(answer.key), sealed=DOOR.seal(answer.state.as_text())
        )
        if client != order.client.registered and client.get("client_id") != order.client.metadata_url:
            sealed = {"sealed": DOOR.seal(json.dumps(client)), "is_given": False}
            McpClient.objects.update_or_create(server=row.server, defaults=sealed)
    return True


def _order_to_finish(asked: SignInQuestion) -> OAuthOrder | str:
    row = _find(asked)
    if row is None or not row.sealed or not row.sealed_code:
        return GONE
    try:
        state, code = OAuthState.from_text(DOOR.unseal(row.sealed)), DOOR.unseal(row.sealed_code)
    except CannotUnseal:
        return UNREADABLE
    return order_for("finish", row.url, state, code=code, iss=row.iss)


def _store_account(asked: SignInQuestion, state: OAuthState) -> bool:
    """Store the tokens of a sign-in, and complete it. Returns False if the sign-in was withdrawn meanwhile."""
    with sqlite_write_lock(), transaction.atomic():
        row = _find(asked)
        if row is None:
            return False
        server = row.server
        McpAccount.objects.update_or_create(
            server=server,
            person=row.person,
            defaults={
                **columns_of(state), "url": row.url, "wanted": [], "problem": "", "refreshing_until": None,
                "signed_in_by": row.started_by, "signed_in_at": timezone.now(),
            },
        )  # fmt: skip
        McpServer.objects.filter(pk=server.pk, asks_sign_in=False).update(asks_sign_in=True)
        row.delete()
        transaction.on_commit(partial(list_later, server, person_id=row.person_id))
        record_sign_in(server, actor=row.started_by, owner=row.person, action="mcp_server.signed_in")
    return True


def columns_of(state: OAuthState) -> dict[str, Any]:
    """Convert an OAuth state to the columns of an `McpAccount`: the encrypted state, issuer, scopes and expiry."""
    ends = state.expires_at
    return {
        "sealed": DOOR.seal(state.as_text()),
        "issuer": str((state.server or {}).get("issuer") or state.issuer)[:500],
        "scopes": str((state.tokens or {}).get("scope") or "").split()[:200],
        "expires_at": None if ends is None else datetime.fromtimestamp(min(ends, time.time() + 10**9), UTC),
    }


def _note_problem(asked: SignInQuestion, order: OAuthOrder, answer: OAuthAnswer) -> str:
    """Store the reason why a step of a sign-in failed, and return the reason as a sentence."""
    masks = Masks(("token", secret) for secret in (*order.state.secrets, order.code, order.state.verifier) if secret)
    row = McpSignIn.objects.select_related("server").filter(pk=asked.sign_in).first()
    problem = masks.mask(f"{row.server.name if row else 'The server'} {answer.problem}.")
    if row is not None:
        McpSignIn.objects.filter(pk=row.pk).update(problem=problem[:1_500])
        if "invalid_client" in answer.problem:  # the next sign-in registers again
            McpClient.objects.filter(server=row.server, is_given=False).delete()
    return problem


def keep_for_revocation(url: str, state: OAuthState) -> None:
    """Store tokens that are no longer used, and start `revoke_due`, which revokes them."""
    with sqlite_write_lock():
        McpRevocation.objects.create(url=url, sealed=DOOR.seal(state.as_text()), not_before=timezone.now())
    revoke_due()


def revoke_due() -> None:
    """Revoke the tokens that are due, on the background loop. Failed attempts are repeated for a day."""
    now = timezone.now()
    for row in McpRevocation.objects.filter(not_before__lte=now).order_by("id")[:MAX_REVOKED]:
        delay = REVOKE_DELAYS[min(row.attempts, len(REVOKE_DELAYS) - 1)]
        later = {"attempts": row.attempts + 1, "not_before": now + timedelta(seconds=delay)}
        with sqlite_write_lock():
            taken = McpRevocation.objects.filter(pk=row.pk, not_before=row.not_before).update(**later)
        if taken:
            background.start(_revoke(row))


async def _revoke(row: McpRevocation) -> None:
    try:
        state = OAuthState.from_text(DOOR.unseal(row.sealed))
    except (CannotUnseal, ValueError, TypeError):
        logger.error("mcp_tokens_unreadable", revocation=row.public_id)
        await in_thread(McpRevocation.objects.filter(pk=row.pk).delete)
        return
    answer = await ask_oauth(order_for("revoke", row.url, state))
    if answer.kind == "revoked" or answer.final or row.attempts + 1 >= len(REVOKE_DELAYS):
        await in_thread(McpRevocation.objects.filter(pk=row.pk).delete)
    else:
        logger.info("mcp_tokens_not_revoked", revocation=row.public_id, problem=answer.problem)
