"""Send requests of other processes to remote MCP servers: decrypt the headers, start a guarded process, and return its
answer.

A request is taken once, and only while somebody waits for its answer, because a call must not be made twice.
"""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, Final

import structlog
from channels.layers import get_channel_layer
from django.conf import settings
from django.core.cache import cache
from django.utils import timezone
from pydantic import ValidationError
from redis.exceptions import RedisError

from agentsite.base.background import background
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.key_pairs import CannotUnseal
from sessions_app.mcp.remote import BEAT_INTERVAL_SECONDS, QUESTION, RemoteQuestion, cancelled_key
from sessions_app.mcp.remote_forms import wait_for_reply
from sessions_app.mcp.seen import Seen, store_seen
from sessions_app.models import McpSecret, McpServer, McpServerState
from sessions_app.workers.door.mcp_accounts import (
    ENDED,
    NOBODY,
    TOO_FEW,
    NeedsSignIn,
    NotRefreshed,
    OpenAccount,
    note_ended,
    note_wanted,
    open_account,
    refreshed,
)
from sessions_app.workers.door.mcp_changes import LONGEST_SECONDS, HeardServer, connections
from sessions_app.workers.door.mcp_headers import HeaderMissing, filled_headers
from sessions_app.workers.door.threads import in_thread
from tools_app.masking import Masks
from tools_app.mcp.definitions import ServerTool
from tools_app.mcp.forms import Form, FormReply
from tools_app.mcp.offerings import Offerings
from tools_app.mcp.remote import Connected, RemoteAnswer, RemoteOrder, ask_remote
from tools_app.text import clean

TAKEN_TTL: Final = 3600  # seconds
CANCEL_INTERVAL: Final = 1.0  # seconds between two checks whether the caller has given up
GONE: Final = "is not available any more, or its settings were changed"
UNREADABLE: Final = "has a secret header that cannot be decrypted: enter it again"
WRONG_KEY: Final = "It {}. Replace the value of the header with the key."

logger = structlog.get_logger(__name__)


def answer_query(question: dict[str, Any], reply_to: str) -> None:
    """Start answering a request to a remote MCP server on the background loop, and return at once, so that a slow
    server does not block the door's threads. A request that has expired or was already taken is ignored."""
    try:
        asked = QUESTION.validate_python(question)
    except ValidationError:
        logger.warning("mcp_question_not_understood")
        return
    if timezone.now().timestamp() > asked.until or not _is_first(asked.id):
        return
    background.start(_answer(asked, reply_to))


def _is_first(question_id: str) -> bool:
    try:
        return bool(cache.add(f"mcp-taken:{question_id}", 1, TAKEN_TTL))
    except (OSError, RedisError):
        return False


async def _answer(question: RemoteQuestion, reply_to: str) -> None:
    beating = asyncio.ensure_future(_beat(reply_to))
    try:
        await _send(reply_to, step="taken", beats=True)
        reply = await _reply(question, reply_to)
    except Exception as error:  # the process that asked must not wait forever
        logger.error("mcp_question_failed", server=str(question.server), exc_info=error)
        reply = {"kind": "failed", "problem": "could not be asked, because of an error of the site", "made": True}
    finally:
        beating.cancel()
    await _send(reply_to, step="reply", reply=reply)


async def _beat(reply_to: str) -> None:
    """Send heartbeats to the requester while this door works on the request."""
    while reply_to:
        await asyncio.sleep(BEAT_INTERVAL_SECONDS)
        with suppress(OSError, RedisError):
            await _send(reply_to, step="taken", beats=True)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A request to an MCP server, ready to be sent: the server's row, the order for the guarded process that sends it,
    and the secrets of its headers as (header name, secret)."""

    row: McpServer
    order: RemoteOrder
    keys: Sequence[tuple[str, str]]

    def with_token(self, account: OpenAccount | None) -> RemoteOrder:
        if account is None:
            return self.order
        others = {name: value for name, value in self.order.headers.items() if name.lower() != "authorization"}
        return replace(self.order, headers={**others, "Authorization": f"Bearer {account.state.access_token}"})

    def heard(self, account: OpenAccount | None) -> HeardServer:
        return HeardServer(self.row.pk, self.row.version, account.key if account else None)

    def masks(self, account: OpenAccount | None) -> Masks:
        """Return the masks that replace the secrets of the server and the tokens of `account` in everything that the
        server sends."""
        tokens = [("token", secret) for secret in account.secrets] if account else []
        return Masks([*self.keys, *tokens])


async def _reply(question: RemoteQuestion, reply_to: str) -> dict[str, Any]:
    prepared = await in_thread(partial(_prepare, question))
    if isinstance(prepared, str):
        return {"kind": "failed", "problem": prepared}
    try:
        account = await open_account(prepared.row, question.person)
        found = await _asked(prepared, account, question, reply_to)
        if account and found.sign_in and not found.wanted and account.state.refresh_token:
            account = await refreshed(account)  # it does not accept this token: it has done nothing
            found = await _asked(prepared, account, question, reply_to)
    except NeedsSignIn as error:
        return {"kind": "failed", "problem": str(error), "sign_in": True}
    except NotRefreshed as error:
        return {"kind": "failed", "problem": str(error)}
    problem = await in_thread(partial(_store, prepared, found, account))
    if found.announced:
        _list_again(question)
    answer = {"kind": found.kind, "answer": dict(found.answer), "problem": problem, "made": found.made}
    return {**answer, "sign_in": found.sign_in}


async def _asked(
    prepared: _Prepared, account: OpenAccount | None, question: RemoteQuestion, reply_to: str
) -> RemoteAnswer:
    """Send the request to the MCP server through a guarded process, and return the answer with secrets and tokens
    masked."""
    masks = prepared.masks(account)

    def report(message: Mapping[str, Any]) -> None:
        total = message.get("total")
        shown = {
            "done": float(message.get("done") or 0),
            "total": None if total is None else float(total),
            "message": masks.mask(str(message.get("message", "")))[:500],
        }
        background.start(_send(reply_to, step="progress", **shown))

    numbers = count()

    async def ask(form: Form) -> FormReply:
        number = next(numbers)
        await _send(reply_to, step="form", number=number, form=masks.mask_value(form.as_dict()))
        return await wait_for_reply(question.id, number)

    asking = ask_remote(_following(prepared, account), report, ask, partial(_keep, prepared, account))
    return _masked(await _unless_cancelled(asking, question.id), masks)


def _following(prepared: _Prepared, account: OpenAccount | None) -> RemoteOrder:
    """Return the request to send to the MCP server, with the account's token. If no process is connected to receive the
    server's change notices, the request tells the process that sends it to stay connected."""
    order = prepared.with_token(account)
    is_heard = order.ask != "" or connections.has(prepared.heard(account))
    return order if is_heard else replace(order, follow_seconds=LONGEST_SECONDS)


def _keep(prepared: _Prepared, account: OpenAccount | None, connected: Connected) -> None:
    masks = prepared.masks(account)

    async def store(found: RemoteAnswer) -> None:
        await in_thread(partial(_store, prepared, _masked(found, masks), account))

    connections.keep(prepared.heard(account), store, connected)


def _list_again(question: RemoteQuestion) -> None:
    """Read all lists of a remote MCP server again with the same account, because the server said during a call that a
    list has changed."""
    again = RemoteQuestion(
        id=uuid.uuid4().hex, server=question.server, version=question.version, until=0.0, person=question.person
    )
    background.start(_answer(again, ""))


def _masked(found: RemoteAnswer, masks: Masks) -> RemoteAnswer:
    offerings = None if found.offerings is None else Offerings.from_dict(masks.mask_value(found.offerings.as_dict()))
    return replace(
        found,
        answer=masks.mask_value(dict(found.answer)),
        tools=tuple(ServerTool.from_dict(masks.mask_value(tool.as_dict())) for tool in found.tools),
        facts=masks.mask_value(dict(found.facts)),
        offerings=offerings,
        problem=masks.mask(found.problem),
    )


async def _unless_cancelled(asking: Any, question_id: str) -> RemoteAnswer:
    """Return the result of `asking`. If the requester has cancelled the question, cancel `asking`, which ends the
    guarded process and its connection, and return a failed answer."""
    task = asyncio.ensure_future(asking)
    while True:
        done, _ = await asyncio.wait({task}, timeout=CANCEL_INTERVAL)
        if done:
            found: RemoteAnswer = task.result()
            return found
        if await in_thread(partial(_is_cancelled, question_id)):
            task.cancel()
            await asyncio.wait({task})
            return RemoteAnswer("failed", problem="was not waited for any more", made=True)


def _is_cancelled(question_id: str) -> bool:
    try:
        return cache.get(cancelled_key(question_id)) is not None
    except (OSError, RedisError):
        return False


def _prepare(question: RemoteQuestion) -> _Prepared | str:
    """Return the prepared request, or the reason why the server cannot be asked."""
    rows = McpServer.objects.select_related("project").filter(
        pk=question.server, version=question.version, enabled=True
    )
    row = rows.filter(kind=McpServer.Kind.REMOTE).first()
    if row is None:
        return GONE
    try:
        secrets = {each.name: DOOR.unseal(each.sealed) for each in McpSecret.objects.filter(server=row)}
        filled = filled_headers(row)
    except HeaderMissing as error:
        store_seen(row, None, Seen(McpServerState.Status.SIGN_IN, f"It {error}."))
        return str(error)
    except CannotUnseal:
        store_seen(row, None, Seen(McpServerState.Status.SIGN_IN, f"It {UNREADABLE}."))
        return UNREADABLE
    order = RemoteOrder(
        url=row.url,
        transport=row.transport,
        headers={**filled.headers, **secrets},
        allowed=tuple(settings.NETWORK_ALLOW),
        certificates=settings.NETWORK_CERTIFICATES,
        seconds=float(row.timeout_seconds),
        tool=question.tool,
        digest=question.digest,
        arguments=question.arguments,
        ask=question.ask,
        asks_people=question.asks_people,
    )
    hidden = [*secrets.items(), *filled.secrets.items()]
    keys = [(name, key) for name, value in hidden for key in dict.fromkeys((value, value.rpartition(" ")[2]))]
    return _Prepared(row, order, keys)


def _store(prepared: _Prepared, found: RemoteAnswer, account: OpenAccount | None) -> str:
    """Store the state of an MCP server after a request, and return the reason why the request failed as a text for
    people and models, or ""."""
    row, has_key = prepared.row, any(name.lower() == "authorization" for name in prepared.order.headers)
    if found.kind in ("listed", "changed"):
        store_seen(row, None, Seen(McpServerState.Status.CONNECTED, "", found.facts, found.tools, found.offerings))
    elif found.sign_in and account is not None:
        return _note_refused(account, found)
    elif found.sign_in and not has_key:
        with sqlite_write_lock():
            news = {"asks_sign_in": True, "challenge": clean(found.challenge)}
            McpServer.objects.filter(pk=row.pk, url=row.url).exclude(**news).update(**news)
        store_seen(row, None, Seen(McpServerState.Status.SIGN_IN, f"It {NOBODY}."))
        return NOBODY
    elif found.sign_in:
        store_seen(row, None, Seen(McpServerState.Status.SIGN_IN, WRONG_KEY.format(found.problem)))
    elif found.kind == "failed" and not found.made:
        store_seen(row, None, Seen(McpServerState.Status.FAILED, f"It {found.problem}."))
    return found.problem


def _note_refused(account: OpenAccount, found: RemoteAnswer) -> str:
    if found.wanted:
        note_wanted(account, found.wanted)
        return TOO_FEW.format(found.wanted[:300])
    note_ended(account, f"the server {found.problem}")
    return ENDED.format(f"the server {found.problem}")


async def _send(reply_to: str, **message: Any) -> None:
    if reply_to:
        await get_channel_layer().send(reply_to, {"type": "mcp.reply", **message})
