"""Use accounts at MCP servers: find the account for a call, decrypt its token, and get a new token before the token
expires.

Authorization servers replace the refresh token with each use, and revoke all tokens if one is used twice. So one
process at a time refreshes an account while others wait, and the new tokens are stored before they are used.
"""

import asyncio
import time
import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import structlog
from django.db.models import Q
from django.utils import timezone

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.key_pairs import CannotUnseal
from sessions_app.models import McpAccount, McpServer
from sessions_app.workers.door.mcp_sign_in import columns_of, keep_for_revocation, order_for
from sessions_app.workers.door.threads import in_thread
from tools_app.mcp.oauth.orders import OAuthAnswer, OAuthState, ask_oauth

REFRESH_BEFORE: Final = 60.0  # seconds before the access token ends
CLAIM: Final = timedelta(seconds=90)  # more than a refresh may take; then its process is dead
LOOK_INTERVAL: Final = 0.2  # seconds between two checks whether another process has refreshed
NOBODY: Final = "needs a sign-in"
ENDED: Final = "needs a new sign-in: {}"
TOO_FEW: Final = "needs more permissions than the sign-in gave ({}): sign in again"

logger = structlog.get_logger(__name__)


class NeedsSignIn(Exception):
    """Nobody is signed in, or the sign-in has ended. The message is a predicate; the name of the server is its
    subject."""


class NotRefreshed(Exception):
    """The OAuth token of an MCP server could not be refreshed now. The message is a predicate; the name of the server
    is its subject, as in "... could not be asked: its sign-in is being renewed"."""


@dataclass(frozen=True, slots=True)
class OpenAccount:
    """An account at an MCP server with its decrypted tokens. `spent` are former tokens of the account, which are still
    masked in texts."""

    key: uuid.UUID
    url: str
    state: OAuthState
    spent: tuple[str, ...] = ()

    @property
    def secrets(self) -> list[str]:
        return [*self.state.secrets, *self.spent]

    @property
    def is_ending(self) -> bool:
        return self.state.expires_at is not None and self.state.expires_at - REFRESH_BEFORE < time.time()


async def open_account(server: McpServer, person_id: uuid.UUID | None) -> OpenAccount | None:
    """Return the account for a call, with a token that stays valid for a while; None if the server demands no sign-in.

    Uses the account of this person, or the team's account if the server's setting says so; never another account.
    Raises NeedsSignIn, NotRefreshed.
    """
    if not server.asks_sign_in:
        return None
    account = await in_thread(partial(_find, server, person_id))
    return await refreshed(account) if account.is_ending and account.state.refresh_token else account


def _find(server: McpServer, person_id: uuid.UUID | None) -> OpenAccount:
    owner = None if server.sign_in == McpServer.SignIn.TEAM else person_id
    is_of_nobody = owner is None and server.sign_in != McpServer.SignIn.TEAM
    rows = McpAccount.objects.filter(
        Q(person=None) | Q(person__is_active=True), server=server, url=server.url, person=owner
    )
    row = None if is_of_nobody else rows.first()
    if row is None:
        raise NeedsSignIn(NOBODY)
    if row.problem:
        raise NeedsSignIn(ENDED.format(row.problem))
    return _opened(row, server.url)


def _opened(row: McpAccount, url: str) -> OpenAccount:
    try:
        return OpenAccount(row.pk, url, OAuthState.from_text(DOOR.unseal(row.sealed)))
    except (CannotUnseal, ValueError, TypeError):
        raise NeedsSignIn(ENDED.format("the stored one cannot be decrypted")) from None


async def refreshed(account: OpenAccount) -> OpenAccount:
    """Refresh the account's access token, unless another process has already done so, and return the account. Raises
    NeedsSignIn, NotRefreshed."""
    ends = time.monotonic() + CLAIM.total_seconds()
    while time.monotonic() < ends:
        claim = timezone.now() + CLAIM
        taken = await in_thread(partial(_claim, account, claim))
        current = await in_thread(partial(_current, account))
        if current.state.access_token != account.state.access_token:  # another process was faster
            if taken:
                await in_thread(partial(_release, account, claim))
            return current
        if taken:
            return await _refresh(account, claim)
        await asyncio.sleep(LOOK_INTERVAL)
    raise NotRefreshed("could not be asked: its sign-in is being renewed")


def _claim(account: OpenAccount, until: datetime) -> bool:
    free = Q(refreshing_until=None) | Q(refreshing_until__lt=timezone.now())
    with sqlite_write_lock():
        return bool(McpAccount.objects.filter(free, pk=account.key).update(refreshing_until=until))


def _release(account: OpenAccount, claim: datetime) -> None:
    with sqlite_write_lock():
        McpAccount.objects.filter(pk=account.key, refreshing_until=claim).update(refreshing_until=None)


def _current(account: OpenAccount) -> OpenAccount:
    row = McpAccount.objects.filter(pk=account.key).first()
    if row is None:
        raise NeedsSignIn(NOBODY)
    if row.problem:
        raise NeedsSignIn(ENDED.format(row.problem))
    return replace(_opened(row, account.url), spent=tuple(account.secrets))


async def _refresh(account: OpenAccount, claim: datetime) -> OpenAccount:
    answer = await ask_oauth(order_for("refresh", account.url, account.state))
    return await in_thread(partial(_store_refreshed, account, claim, answer))


def _store_refreshed(account: OpenAccount, claim: datetime, answer: OAuthAnswer) -> OpenAccount:
    """Store the new tokens of a refreshed account. If the account was removed meanwhile, the new tokens are revoked.
    Raises NeedsSignIn and NotRefreshed."""
    if answer.kind != "tokens":
        _release(account, claim)
        if not answer.final:
            raise NotRefreshed(answer.problem)
        note_ended(account, f"the server {answer.problem}")
        raise NeedsSignIn(ENDED.format(f"the server {answer.problem}"))
    with sqlite_write_lock():
        columns = {**columns_of(answer.state), "refreshing_until": None}
        stored = McpAccount.objects.filter(pk=account.key, refreshing_until=claim).update(**columns)
    if not stored:
        keep_for_revocation(account.url, answer.state)
        raise NeedsSignIn(NOBODY)
    return replace(account, state=answer.state, spent=tuple(account.secrets))


def note_ended(account: OpenAccount, problem: str) -> None:
    """Store that an account needs a new sign-in, unless the account has got new tokens since `account` was read."""
    with sqlite_write_lock():
        row = McpAccount.objects.filter(pk=account.key).first()
        if row is not None and _opened(row, account.url).state.tokens == account.state.tokens:
            McpAccount.objects.filter(pk=row.pk, sealed=row.sealed).update(problem=problem[:1_500])


def note_wanted(account: OpenAccount, scopes: str) -> None:
    """Store the additional scopes that the server asked for, for the next sign-in to the account."""
    with sqlite_write_lock():
        McpAccount.objects.filter(pk=account.key).update(wanted=scopes.split()[:200])
