"""Create, change and remove a team's model providers. API keys are encrypted here, and never stored or logged in
clear."""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, Stale, TooMany
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.available_models import site_models
from agentsite.tenancy.encryption import seal
from agentsite.tenancy.models import Provider, Team, User
from agentsite.tenancy.provider_document import ProviderDocument, check_document, check_headers, check_key
from agentsite.tenancy.provider_kinds import KINDS, whole_address
from agentsite.tenancy.roles import Act
from agentsite.tenancy.service_account_key import check_service_account, ending_of

MAX_PROVIDERS: Final = 50  # of one team, because every step reads all of them
SHOWN_ENDING: Final = 4  # last characters of a key that people can see
MIN_TEST_INTERVAL: Final = timedelta(seconds=3)
MIN_LENGTH_TO_SHOW: Final = 12  # characters; the ending of a shorter key would reveal too much of it


def create_provider(
    *,
    actor: User,
    team: Team,
    slug: str,
    document: ProviderDocument,
    key: str = "",
    headers: Mapping[str, str] | None = None,
) -> Provider:
    """Create a provider. Raises Stale if the team already has a provider with this short name."""
    require(actor, Act.MANAGE_PROVIDERS, team_id=team.pk)
    _check_slug(slug)
    row = Provider(team=team, slug=slug, created_by=actor)
    _apply(row, document)
    _set_key(row, key, actor)
    _set_headers(row, headers or {})
    try:
        with sqlite_write_lock(), transaction.atomic():
            if Provider.objects.filter(team=team).count() >= MAX_PROVIDERS:
                raise BadInput(f"A team can have at most {MAX_PROVIDERS} providers.", hint="Remove a provider first.")
            row.save(force_insert=True)
            _audit(actor, row, "provider.created", key_set=bool(key))
    except IntegrityError:
        raise Stale(
            f"A provider '{slug}' already exists.", hint="Change that provider, or choose another short name."
        ) from None
    return row


def change_provider(
    *,
    actor: User,
    provider: Provider,
    document: ProviderDocument,
    headers: Mapping[str, str] | None = None,
    base_version: int | None = None,
) -> Provider:
    """Change a provider. `headers`, unless None, replace all extra headers.

    A new kind or base URL removes the key and the extra headers, because they were meant for the old address.
    """
    with _changed(actor, provider, base_version) as row:
        before = (row.kind, row.base_url)
        _apply(row, document)
        moved = before != (row.kind, row.base_url)
        if headers is not None or moved:
            _set_headers(row, headers or {})
        if moved:
            _set_key(row, "", None)
        _reset_state(row)
        row.save()
        _audit(actor, row, "provider.changed", key_forgotten=moved)
    return row


def replace_key(*, actor: User, provider: Provider, key: str, shows_ending: bool = True) -> Provider:
    """Replace the provider's key, starting with the next model call, and reset its failure state. With `shows_ending`,
    people see the last characters of the key."""
    with _changed(actor, provider) as row:
        _set_key(row, key, actor)
        if not shows_ending:
            row.key_ending = ""
        _reset_state(row)
        row.save()
        _audit(actor, row, "provider.key_replaced")
    return row


def keep_renewed_key(provider_id: uuid.UUID, *, sealed_before: str, key: str) -> None:
    """Store a renewed credential of a provider, unless the stored credential is no longer `sealed_before`, the one that
    was renewed."""
    with sqlite_write_lock():
        Provider.objects.filter(pk=provider_id, sealed_key=sealed_before).update(sealed_key=seal(key))


def note_sign_in(provider_id: uuid.UUID, code: str, until: datetime | None) -> None:
    """Store the secret code of a started sign-in at a provider, encrypted, and its expiry `until`. An empty code means
    that the sign-in has ended."""
    sealed = seal(code) if code else ""
    with sqlite_write_lock():
        Provider.objects.filter(pk=provider_id).update(sealed_sign_in=sealed, sign_in_until=until)


def remove_key(*, actor: User, provider: Provider) -> Provider:
    with _changed(actor, provider) as row:
        _set_key(row, "", None)
        _reset_state(row)
        row.save()
        _audit(actor, row, "provider.key_removed")
    return row


def remove_provider(*, actor: User, provider: Provider) -> None:
    """Remove a provider with its models.

    Sessions that use one of the models fail at their next step. The recorded usage stays.
    """
    with _changed(actor, provider) as row:
        public_id, data = row.public_id, {"slug": row.slug, "name": row.name}
        row.delete()
        audit.record(team_id=provider.team_id, actor=actor, action="provider.removed", subject=public_id, data=data)


def begin_test(*, actor: User, provider: Provider) -> None:
    """Mark the provider as tested now. Raises TooMany if the last test was less than MIN_TEST_INTERVAL ago.

    A test connects to an address that the team chose, so tests are limited.
    """
    require(actor, Act.MANAGE_PROVIDERS, team_id=provider.team_id)
    now = timezone.now()
    rested = Q(tested_at=None) | Q(tested_at__lt=now - MIN_TEST_INTERVAL)
    with sqlite_write_lock():
        begun = Provider.objects.filter(rested, pk=provider.pk).update(tested_at=now)
    if not begun:
        raise TooMany("This provider was tested a moment ago.", hint="Wait a few seconds, then test it again.")


def note_state(provider_id: uuid.UUID, problem: Mapping[str, str] | None) -> None:
    """Save whether the last model call of a provider succeeded (`problem` None) or failed.

    Writes only if the state or the problem has changed. An audit entry records when the provider starts to fail and
    when it works again.
    """
    state = Provider.State.OK if problem is None else Provider.State.FAILING
    with sqlite_write_lock(), transaction.atomic():
        row = Provider.objects.select_for_update().filter(pk=provider_id).first()
        if row is None or (row.state == state and row.problem == problem):
            return
        was, row.state, row.problem, row.state_at = row.state, state, problem, timezone.now()
        row.save(update_fields=["state", "problem", "state_at"])
        if state != was and Provider.State.FAILING in (state, was):
            action = "provider.works_again" if problem is None else "provider.failing"
            _audit(None, row, action, problem=(problem or {}).get("code", ""))


@contextmanager
def _changed(actor: User, provider: Provider, base_version: int | None = None) -> Iterator[Provider]:
    """Yield the locked row of the provider inside a transaction, with its version incremented.

    Raises Missing if the provider was removed, and Stale if `base_version` is outdated.
    """
    require(actor, Act.MANAGE_PROVIDERS, team_id=provider.team_id)
    with sqlite_write_lock(), transaction.atomic():
        row = Provider.objects.select_for_update().filter(pk=provider.pk).first()
        if row is None:
            raise Missing("This provider no longer exists.")
        if base_version is not None and base_version != row.version:
            raise Stale(
                f"Somebody else changed this provider in the meantime. Its version is now {row.version}.",
                code=ErrorCode.STALE_PROVIDER,
                hint="Reload the provider, then make your change again.",
            )
        row.version, row.changed_at = row.version + 1, timezone.now()
        yield row


def _check_slug(slug: str) -> None:
    """Raise BadInput if the slug is the prefix of a model of the site, because `slug/name` must mean the site's
    model."""
    heads = {name.partition("/")[0] for name in site_models() if "/" in name}
    if slug in heads:
        raise BadInput(
            f"'{slug}' is reserved, because names of this site's own models start with it.",
            fields={"slug": "choose another short name"},
        )


def _apply(row: Provider, document: ProviderDocument) -> None:
    check_document(document, exempted=settings.PROVIDER_ALLOW)
    row.name, row.kind = document.name.strip(), document.kind
    row.base_url = whole_address(KINDS[row.kind], document.base_url.strip())
    row.options, row.enabled = dict(document.options), document.enabled
    row.timeout_seconds, row.retries = document.timeout_seconds, document.retries
    row.model_list = [model.model_dump(mode="json") for model in document.models]


def _set_key(row: Provider, key: str, actor: User | None) -> None:
    shown = key = _checked_key(row, key)
    if key and KINDS[row.kind].key_form == "service_account":
        shown = ending_of(key)
    row.sealed_key = seal(key) if key else ""
    row.key_ending = shown[-SHOWN_ENDING:] if len(shown) >= MIN_LENGTH_TO_SHOW else ""
    row.key_set_by, row.key_set_at = (actor, timezone.now()) if key else (None, None)


def _checked_key(row: Provider, key: str) -> str:
    if key.strip() and KINDS[row.kind].key_form == "service_account":
        return check_service_account(key, exempted=settings.PROVIDER_ALLOW)
    return check_key(key)


def _set_headers(row: Provider, headers: Mapping[str, str]) -> None:
    check_headers(headers)
    row.sealed_headers = seal(json.dumps(dict(headers))) if headers else ""
    row.header_names = sorted(headers)


def _reset_state(row: Provider) -> None:
    row.state, row.problem, row.state_at = Provider.State.UNKNOWN, None, None


def _audit(actor: User | None, row: Provider, action: str, **more: Any) -> None:
    data = {
        "slug": row.slug, "name": row.name, "kind": row.kind, "base_url": row.base_url, "enabled": row.enabled,
        "headers": row.header_names, "models": _names(row.model_list), **more,
    }  # fmt: skip
    audit.record(team_id=row.team_id, actor=actor, action=action, subject=row.public_id, data=data)


def _names(models: Sequence[Mapping[str, Any]]) -> list[str]:
    return [model["name"] for model in models[:100]]
