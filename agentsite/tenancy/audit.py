"""The audit log: append entries to hash chains and verify the chains.

Each team has a chain, and so has the site. An entry's digest covers its fields and the digest of the entry before it,
and the chain stores its length and last digest. Therefore verification fails if an entry was changed, inserted, moved
or removed. An attacker who can write to the database can compute a whole new chain; to detect that, store the output of
`verify_audit` elsewhere. Old entries at the start can be deleted (`actions.audit`); the site signs the deletion with a
key that is not in the database.
"""

import hashlib
import json
import math
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from agentsite.base.ids import to_public
from agentsite.base.prepared import PreparedQuery, insert_rows, update_rows
from agentsite.tenancy.models import AuditChain, AuditEntry, Project, Team, User

SITE: Final = "site"  # key of the site's own chain
SITE_ACTOR: Final = "site"  # `actor` of entries about automatic actions
CUT: Final = ("cut_seq", "cut_head", "cut_seal")  # fields of the deletion of old entries ("cut")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a hash chain: the sequence number at which it was found, and a description."""

    seq: int
    problem: str


@dataclass(frozen=True, slots=True)
class Action:
    """The content of an audit entry. `team_id` is None for an action of the whole site, `actor` is None for an
    automatic action. `private_to` limits the people who can see the entry (see `AuditEntry`). `audit_actions` lists the
    names of actions."""

    action: str
    team_id: uuid.UUID | None
    actor: User | None = None
    subject: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    project_id: uuid.UUID | None = None
    private_to: str = ""


def record(
    *,
    team_id: uuid.UUID | None,
    actor: User | None,
    action: str,
    subject: str = "",
    data: Mapping[str, Any] | None = None,
    project_id: uuid.UUID | None = None,
    private_to: str = "",
) -> AuditEntry:
    """Append one entry as `record_all` does, and return it."""
    (entry,) = record_all([Action(action, team_id, actor, subject, data or {}, project_id, private_to)])
    return entry


def record_all(actions: Sequence[Action]) -> list[AuditEntry]:
    """Append an entry for each action to its team's chain, or to the site's. Return the entries, grouped by chain.

    Must be the last write of the caller's transaction, because the rows of the chains stay locked until the commit.
    """
    with transaction.atomic(savepoint=False):
        entries: list[AuditEntry] = []
        for team_id in dict.fromkeys(each.team_id for each in actions):
            entries += _append(locked_chain(team_id), [each for each in actions if each.team_id == team_id])
    return entries


def _append(chain: AuditChain, actions: Sequence[Action]) -> list[AuditEntry]:
    entries: list[AuditEntry] = []
    for action in actions:
        entry = _entry(chain, action)
        chain.length, chain.head = entry.seq, entry.digest
        entries.append(entry)
    insert_rows(entries)
    update_rows(AuditChain, Q(pk=chain.pk), {"length": chain.length, "head": chain.head})
    return entries


def _entry(chain: AuditChain, action: Action) -> AuditEntry:
    actor = action.actor
    entry = AuditEntry(
        chain=chain,
        seq=chain.length + 1,
        at=timezone.now(),
        actor=SITE_ACTOR if actor is None else actor.public_id,
        actor_name="" if actor is None else (actor.name or actor.email)[:200],
        action=action.action,
        subject=action.subject,
        data=_storable(action.data),
        project="" if action.project_id is None else to_public(Project.PREFIX, action.project_id),
        private_to=action.private_to,
        previous=chain.head,
    )
    entry.digest = digest_of(entry, key=chain.key)
    return entry


def digest_of(entry: AuditEntry, *, key: str) -> str:
    """Return the digest of an audit entry: the SHA-256 over the chain's key, every field of the entry and the previous
    digest."""
    at = entry.at.astimezone(UTC).isoformat()
    place = [key, entry.public_id, entry.seq, at]
    content = [entry.actor, entry.actor_name, entry.action, entry.subject, entry.data]
    if entry.project or entry.private_to:  # digests of entries that are older than these two columns stay valid
        content.append({"project": entry.project, "private_to": entry.private_to})
    return hashlib.sha256(_canonical([*place, *content, entry.previous]).encode()).hexdigest()


def sign_cut(chain: AuditChain, *, secret: str | None = None) -> str:
    """Return the signature (HMAC-SHA256) that proves that the site itself deleted the chain's entries up to
    `cut_seq`."""
    cut = _canonical([chain.key, chain.cut_seq, chain.cut_head])
    return salted_hmac("agentsite.audit.cut", cut, secret, algorithm="sha256").hexdigest()


def is_cut_signed(chain: AuditChain) -> bool:
    """Return whether the deletion of a chain's old entries is signed with the site's current SECRET_KEY or a former
    one."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(chain.cut_seal, sign_cut(chain, secret=secret)) for secret in secrets)


def verify(chain: AuditChain) -> Iterator[Fault]:
    """Yield every fault of a chain in order; an intact chain has none.

    Entries can be appended, and old entries at the start deleted, while this runs: `chain` is refreshed, and its
    columns show the verified range at the end.
    """
    yield from _faults_of_cut(chain)
    expected, previous, verified_to = chain.cut_seq + 1, chain.cut_head, -1
    while verified_to != expected:
        verified_to = expected
        for entry in _entries_from(chain, expected):
            if entry.seq != expected and _was_cut_before(chain, entry):
                expected, previous = entry.seq, chain.cut_head
            if entry.seq != expected:
                yield Fault(expected, f"entries {expected} to {entry.seq - 1} are missing")
            elif entry.previous != previous:
                yield Fault(entry.seq, "it does not match the digest of the previous entry")
            if entry.digest != digest_of(entry, key=chain.key):
                yield Fault(entry.seq, "its content is not what was recorded")
            expected, previous = entry.seq + 1, entry.digest
        chain.refresh_from_db(fields=["length", "head", *CUT])
        if (expected - 1, previous) == (chain.length, chain.head):
            return
    yield Fault(expected, f"the chain should end with entry {chain.length}, {chain.head[:12] or 'empty'}")


def _faults_of_cut(chain: AuditChain) -> Iterator[Fault]:
    """Yield the faults in the deletion of old entries of a chain: an invalid signature, or deleted entries that still
    exist."""
    if not chain.cut_seq and not chain.cut_head:
        if AuditEntry.objects.filter(chain=chain, seq__lt=1).exists():
            yield Fault(0, "there are entries before the first one")
        return
    if not is_cut_signed(chain):
        yield Fault(chain.cut_seq, "the deletion of entries up to here was not signed by the site")
    if AuditEntry.objects.filter(chain=chain, seq__lte=chain.cut_seq).exists():
        yield Fault(chain.cut_seq, "entries that were deleted are present again")


def _was_cut_before(chain: AuditChain, entry: AuditEntry) -> bool:
    """Reload the chain's record of deleted entries, and return whether, according to this record, exactly the entries
    before `entry` have been deleted, with a valid signature."""
    chain.refresh_from_db(fields=CUT)
    return chain.cut_seq == entry.seq - 1 and is_cut_signed(chain)


def _entries_from(chain: AuditChain, seq: int) -> Iterator[AuditEntry]:
    return AuditEntry.objects.filter(chain=chain, seq__gte=seq).order_by("seq").iterator(chunk_size=1000)


def locked_chain(team_id: uuid.UUID | None) -> AuditChain:
    """Return the row of a team's chain, or of the site's, locked until the caller's transaction ends. Creates the chain
    if necessary."""
    key = SITE if team_id is None else to_public(Team.PREFIX, team_id)
    chain = _locked_by_key.first(key=key)
    if chain is None:
        AuditChain.objects.get_or_create(key=key, defaults={"team_id": team_id})
        chain = AuditChain.objects.select_for_update().get(key=key)
    return chain


_locked_by_key: PreparedQuery[AuditChain] = PreparedQuery(
    lambda key: AuditChain.objects.select_for_update().filter(key=key)
)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)


def _storable(value: Any) -> Any:
    """Normalize a JSON value so that every database returns it unchanged: no NUL, no surrogates, 1.0 as 1."""
    if isinstance(value, Mapping):
        return {_storable(str(key)): _storable(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_storable(item) for item in value]
    if isinstance(value, float):
        return int(value) if value.is_integer() else value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, bool | int):
        return value
    return str(value).encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
