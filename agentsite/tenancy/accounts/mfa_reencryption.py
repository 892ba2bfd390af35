"""Encrypt all stored MFA secrets again with the newest secret key."""

from typing import Final

from allauth.mfa.models import Authenticator
from django.db import transaction

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.accounts.mfa_encryption import is_encrypted_with_newest, reencrypt_secret
from agentsite.tenancy.actions.reencryption import ReencryptionReport

_ENCRYPTED_FIELDS: Final = ("secret", "seed")
"""Fields that allauth encrypts through our adapter: the secret of a TOTP app and the seed of recovery codes."""


def reseal_factors() -> ReencryptionReport:
    """Encrypt the secrets of all TOTP apps and recovery codes again. Safe to interrupt and repeat."""
    report = ReencryptionReport()
    kinds = (Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES)
    for key in list(Authenticator.objects.filter(type__in=kinds).order_by("pk").values_list("pk", flat=True)):
        with sqlite_write_lock(), transaction.atomic():
            _reseal(report, Authenticator.objects.select_for_update().filter(pk=key).first())
    counts = {"what": "MFA secrets", "resealed": report.resealed, "lost": len(report.lost)}
    with sqlite_write_lock():
        audit.record(team_id=None, actor=None, action="secrets.resealed", data=counts)
    return report


def _reseal(report: ReencryptionReport, row: Authenticator | None) -> None:
    """Encrypt the fields of one authenticator again. `row` is None if it was removed meanwhile."""
    for name in _ENCRYPTED_FIELDS:
        encrypted = row.data.get(name) if row is not None else None
        if row is None or not encrypted:
            continue
        if is_encrypted_with_newest(encrypted):
            report.newest += 1
            continue
        try:
            row.data[name] = reencrypt_secret(encrypted)
        except ValueError:
            report.lost.append(f"Authenticator {row.pk} {name}")
            continue
        row.save(update_fields=["data"])
        report.resealed += 1
