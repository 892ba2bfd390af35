"""The address at which an organisation publishes defaults for the site or a team."""

from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agentsite.base.errors import BadInput, Missing
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.models import User
from sessions_app.actions.configurations import ConfigurationOwner
from sessions_app.configuration.defaults import WELL_KNOWN
from sessions_app.models import Configuration
from sessions_app.queueing import DOOR_QUEUE, enqueue_defaults, has_room
from tools_app.policies.scopes import require_edit
from tools_app.web.address import BadAddress, parse_address
from tools_app.web.rules import AddressRefused, WebRules

READ_EVERY: Final = timedelta(hours=1)
RETRY_AFTER: Final = timedelta(minutes=5)
MAX_ENQUEUED: Final = 100  # by one housekeeping


def choose_defaults(*, actor: User, owner: ConfigurationOwner, address: str) -> Configuration:
    """Set the address whose defaults apply to the site or a team, and enqueue reading them; "" removes the address
    together with its defaults. If the address is the same as before, the defaults that were read stay. Raises
    NotAllowed and BadInput."""
    _require_edit(actor, owner)
    chosen = organisation_address(address) if address.strip() else ""
    with sqlite_write_lock(), transaction.atomic():
        row = _locked_row(owner)
        if row.defaults_address != chosen:
            row.defaults_address, row.defaults_text, row.defaults_problem = chosen, "", ""
            row.defaults_read_at = row.defaults_tried_at = None
            row.save()
            _audit(actor, owner, row)
        if chosen:
            transaction.on_commit(partial(enqueue_defaults, row.pk))
    return row


def read_again(*, actor: User, owner: ConfigurationOwner) -> Configuration:
    """Enqueue a new download of the published defaults from the chosen address. Raises NotAllowed, and Missing if there
    is no address."""
    _require_edit(actor, owner)
    row = Configuration.objects.filter(place=owner.key).exclude(defaults_address="").first()
    if row is None:
        raise Missing("There is no address with defaults.", hint="Set one first.")
    enqueue_defaults(row.pk)
    return row


def organisation_address(text: str) -> str:
    """Return the origin (scheme and host) of an organisation's address. Raises BadInput if the address has a path, is
    not https, or may not be reached."""
    try:
        address = parse_address(text)
        rules = WebRules.exempting(settings.WEB_ALLOW)
        rules.check(address)
    except (BadAddress, AddressRefused) as error:
        raise _unusable(str(error)) from error
    if address.scheme != "https" and not rules.exempts(address):
        raise _unusable("The address must begin with https://.")
    if address.target not in ("/", WELL_KNOWN):
        raise _unusable(f"Give the address without a path: {WELL_KNOWN} is added.")
    return address.origin


def enqueue_due_defaults(now: datetime) -> None:
    """Enqueue downloads of default settings that were last read more than an hour ago, or whose last download failed
    minutes ago."""
    failed = ~Q(defaults_problem="") & Q(defaults_tried_at__lt=now - RETRY_AFTER)
    due = failed | Q(defaults_tried_at__lt=now - READ_EVERY) | Q(defaults_tried_at=None)
    rows = Configuration.objects.exclude(defaults_address="").filter(due).order_by("defaults_tried_at")
    found = list(rows.values_list("pk", flat=True)[:MAX_ENQUEUED])
    if found and has_room(DOOR_QUEUE):
        for pk in found:
            enqueue_defaults(pk)


def _require_edit(actor: User, owner: ConfigurationOwner) -> None:
    if owner.scope is not None:
        require_edit(actor, owner.scope)
    if owner.scope is None or owner.scope.kind == "project":
        raise BadInput("Only the site and teams can have an address with defaults.")


def _locked_row(owner: ConfigurationOwner) -> Configuration:
    """Return the configuration row of the site or a team, locked. A new row has version 0, because no document was
    saved."""
    row, _ = Configuration.objects.select_for_update().get_or_create(
        place=owner.key, defaults={"team_id": owner.team_id, "version": 0, "changed_at": timezone.now()}
    )
    return row


def _unusable(reason: str) -> BadInput:
    return BadInput("This address cannot be used.", fields={"address": reason})


def _audit(actor: User, owner: ConfigurationOwner, row: Configuration) -> None:
    audit.record(
        team_id=owner.team_id,
        actor=actor,
        action="configuration_defaults.chosen",
        subject=row.public_id,
        data={"place": owner.key, "address": row.defaults_address},
    )
