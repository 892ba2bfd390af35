"""Everything that is sealed, sealed once more for the newest key."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps

from agentsite.tenancy import audit
from agentsite.tenancy.base import SealedField
from agentsite.tenancy.sealing import CannotUnseal, is_sealed_for_newest, seal, unseal
from agentsite.writers import writers_turn


@dataclass(slots=True)
class Resealed:
    """`lost` names the columns and rows that no key of this site opens."""

    resealed: int = 0
    newest: int = 0
    lost: list[str] = field(default_factory=list)


def reseal_secrets() -> Resealed:
    """May be repeated and interrupted. A secret that somebody replaces meanwhile is sealed for the newest key already,
    and stays as they set it."""
    report = Resealed()
    for model, column in _sealed_columns():
        for key, sealed in model.objects.exclude(**{column: ""}).values_list("pk", column).iterator(chunk_size=500):
            _reseal(report, model, column, key, sealed)
    counts = {"resealed": report.resealed, "lost": len(report.lost)}
    audit.record(team_id=None, actor=None, action="secrets.resealed", data=counts)
    return report


def _reseal(report: Resealed, model: Any, column: str, key: Any, sealed: str) -> None:
    if is_sealed_for_newest(sealed):
        report.newest += 1
        return
    try:
        fresh = seal(unseal(sealed))
    except CannotUnseal:
        report.lost.append(f"{model.__name__} {key} {column}")
        return
    with writers_turn():
        report.resealed += model.objects.filter(pk=key, **{column: sealed}).update(**{column: fresh})


def _sealed_columns() -> Iterator[tuple[Any, str]]:
    for model in apps.get_models():
        for column in model._meta.get_fields():  # noqa: SLF001 - documented by Django
            if isinstance(column, SealedField):
                yield model, column.name
