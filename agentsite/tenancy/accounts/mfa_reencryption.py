"""Second factors, sealed once more for the newest secret key."""

from typing import Final

from allauth.mfa.models import Authenticator
from django.db import transaction

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.accounts.mfa_encryption import is_sealed_for_newest, seal_again
from agentsite.tenancy.actions.reencryption import Resealed

_SEALED: Final = ("secret", "seed")
"""What allauth has us seal: the secret of an app, and what recovery codes are computed from."""


def reseal_factors() -> Resealed:
    """May be repeated and interrupted."""
    report = Resealed()
    kinds = (Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES)
    for key in list(Authenticator.objects.filter(type__in=kinds).order_by("pk").values_list("pk", flat=True)):
        with sqlite_write_lock(), transaction.atomic():
            _reseal(report, Authenticator.objects.select_for_update().filter(pk=key).first())
    counts = {"what": "second factors", "resealed": report.resealed, "lost": len(report.lost)}
    with sqlite_write_lock():
        audit.record(team_id=None, actor=None, action="secrets.resealed", data=counts)
    return report


def _reseal(report: Resealed, row: Authenticator | None) -> None:
    """None: it was taken away meanwhile."""
    for name in _SEALED:
        sealed = row.data.get(name) if row is not None else None
        if row is None or not sealed:
            continue
        if is_sealed_for_newest(sealed):
            report.newest += 1
            continue
        try:
            row.data[name] = seal_again(sealed)
        except ValueError:
            report.lost.append(f"Authenticator {row.pk} {name}")
            continue
        row.save(update_fields=["data"])
        report.resealed += 1
