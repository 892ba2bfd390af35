"""Encrypt all stored secrets again with the newest key."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from django.apps import apps
from django.db import transaction

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.base import SealedDoorField, SealedField, SealedVariableField
from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.encryption import SECRETS
from agentsite.tenancy.key_pairs import CannotUnseal, KeyPair
from agentsite.tenancy.models import AuditChain
from agentsite.tenancy.variable_encryption import VARIABLES

_PAIRS: Final[dict[type[SealedField], KeyPair]] = {
    SealedField: SECRETS,
    SealedVariableField: VARIABLES,
    SealedDoorField: DOOR,
}


@dataclass(slots=True)
class ReencryptionReport:
    """The result of a re-encryption.

    `resealed` is the number of values that were encrypted again, `newest` the number that already used the newest key.
    `lost` names the rows and columns that no key of this site can decrypt.
    """

    resealed: int = 0
    newest: int = 0
    lost: list[str] = field(default_factory=list)


def reseal_secrets() -> ReencryptionReport:
    """Encrypt every SealedField again with the newest public key. Safe to interrupt and repeat.

    A secret that is replaced meanwhile already uses the newest key and is left as it is.
    """
    report = ReencryptionReport()
    for model, column, pair in _sealed_columns():
        for key, sealed in model.objects.exclude(**{column: ""}).values_list("pk", column).iterator(chunk_size=500):
            _reseal(report, pair, model, column, key=key, sealed=sealed)
    counts = {"what": "secrets", "resealed": report.resealed, "lost": len(report.lost)}
    with sqlite_write_lock():
        audit.record(team_id=None, actor=None, action="secrets.resealed", data=counts)
    return report


def reseal_cuts() -> ReencryptionReport:
    """Renew the signatures which prove that the site itself deleted the old entries of an audit chain."""
    report = ReencryptionReport()
    for key in list(AuditChain.objects.filter(cut_seq__gt=0).order_by("key").values_list("team_id", flat=True)):
        with sqlite_write_lock(), transaction.atomic():
            chain = audit.locked_chain(key)
            fresh = audit.sign_cut(chain)
            if chain.cut_seal == fresh:
                report.newest += 1
            elif audit.is_cut_signed(chain):
                AuditChain.objects.filter(pk=chain.pk).update(cut_seal=fresh)
                report.resealed += 1
            else:
                report.lost.append(f"The cut of {chain.key}")
    return report


def _reseal(report: ReencryptionReport, pair: KeyPair, model: Any, column: str, *, key: Any, sealed: str) -> None:
    if pair.is_sealed_for_newest(sealed):
        report.newest += 1
        return
    try:
        fresh = pair.seal(pair.unseal(sealed))
    except CannotUnseal:
        report.lost.append(f"{model.__name__} {key} {column}")
        return
    with sqlite_write_lock():
        report.resealed += model.objects.filter(pk=key, **{column: sealed}).update(**{column: fresh})


def _sealed_columns() -> Iterator[tuple[Any, str, KeyPair]]:
    for model in apps.get_models():
        for column in model._meta.get_fields():  # noqa: SLF001 - documented by Django
            if isinstance(column, SealedField):
                yield model, column.name, _PAIRS[type(column)]
