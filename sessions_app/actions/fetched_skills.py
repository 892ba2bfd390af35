"""Store the skills that were fetched from the addresses in a configuration document. A skill with changed content gets
a new version."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from sessions_app.actions.skills import MAX_PACKAGES, version_of
from sessions_app.configuration.skill_packages import SkillPackageContent
from sessions_app.models import Configuration, SkillPackage
from sessions_app.queueing import DOOR_QUEUE, enqueue_skill_addresses, has_room

READ_EVERY: Final = timedelta(hours=6)
MAX_ENQUEUED: Final = 50  # by one housekeeping


def keep_skills(row: Configuration, address: str, found: Sequence[SkillPackageContent]) -> list[str]:
    """Store the skills of an address as skills of the document's owner, and remove skills that the address no longer
    has. Returns a sentence for each skill that could not be stored. A skill with other content gets a new version,
    which is in force unless people have chosen another version or switched the skill off."""
    with sqlite_write_lock(), transaction.atomic():
        _of(row, address).exclude(name__in=[each.name for each in found]).delete()
        return [problem for each in found if (problem := _keep(row, address, each))]


def forget_other_addresses(row: Configuration, addresses: Sequence[str]) -> None:
    """Remove the skills that were fetched from addresses which the document no longer names."""
    with sqlite_write_lock():
        SkillPackage.objects.filter(place=row.place).exclude(address="").exclude(address__in=addresses).delete()


def note_sources(row: Configuration, sources: Sequence[dict[str, Any]]) -> None:
    """Store the result of fetching skills from each address in a configuration document. People see the results with
    the document."""
    Configuration.objects.filter(pk=row.pk).update(skill_sources=list(sources), skills_tried_at=timezone.now())


def enqueue_due_skills(now: datetime) -> None:
    """Enqueue downloads of skills from addresses that were last read hours ago."""
    due = Configuration.objects.exclude(skill_sources=[]).filter(skills_tried_at__lt=now - READ_EVERY)
    found = list(due.order_by("skills_tried_at").values_list("pk", flat=True)[:MAX_ENQUEUED])
    if found and has_room(DOOR_QUEUE):
        for pk in found:
            enqueue_skill_addresses(pk)


def _of(row: Configuration, address: str) -> Any:
    return SkillPackage.objects.filter(place=row.place, address=address)


def _keep(row: Configuration, address: str, found: SkillPackageContent) -> str:
    """Store one skill that was fetched from an address. Returns the reason why it was not stored, or ""."""
    packages = SkillPackage.objects.filter(place=row.place)
    package = packages.select_for_update().filter(name=found.name).first()
    if package is not None and package.address != address:
        return f"'{found.name}' was not kept: another skill here has this name, and stays."
    if package is None and packages.count() >= MAX_PACKAGES:
        return f"'{found.name}' was not kept: at most {MAX_PACKAGES} skills can be kept here."
    is_new = package is None
    package = package or SkillPackage(
        place=row.place, name=found.name, address=address, team=row.team, project=row.project, person=row.person
    )
    newest = None if is_new else package.versions.defer("content").first()
    follows = is_new or (newest is not None and package.in_force_id == newest.pk)
    package.changed_at = timezone.now()
    if is_new:
        package.save()
    version = version_of(package, found, None)
    if newest is not None and version.pk == newest.pk:
        return ""
    if follows:
        package.in_force = version
    package.save()
    _audit(row, package, version.number, version.sha256)
    return ""


def _audit(row: Configuration, package: SkillPackage, number: int, sha256: str) -> None:
    project = row.project
    audit.record(
        team_id=row.team_id if project is None else project.team_id,
        actor=None,
        action="skill.fetched",
        subject=package.public_id,
        data={
            "place": row.place, "name": package.name, "version": number, "address": package.address, "sha256": sha256,
        },
        project_id=row.project_id,
    )  # fmt: skip
