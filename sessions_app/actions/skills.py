"""Upload skills for the site, a team, a project or a person, choose the version in force, and remove skills."""

import hashlib
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from agentsite.base.errors import BadInput, Missing, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.models import User
from sessions_app.actions.configurations import ConfigurationOwner, find_owner, set_owner
from sessions_app.configuration.skill_packages import BadPackage, SkillPackageContent, pack, read_package
from sessions_app.models import SkillPackage, SkillVersion
from tools_app.policies.scopes import require_edit

MAX_PACKAGES: Final = 50  # of the site, a team, a project or a person
MAX_VERSIONS: Final = 20  # of a skill; the oldest that is not in force makes room


def upload_skill(*, actor: User, owner: ConfigurationOwner, file_name: str, content: bytes) -> SkillPackage:
    """Store a skill, or another version of the skill with this name, and put it in force. If the file is equal to the
    newest version, no new version is stored.

    Raises BadInput if the file is not a skill, and NotAllowed if the actor may not change the owner's configuration.
    """
    _require_edit(actor, owner)
    try:
        found = read_package(content, file_name=file_name)
    except BadPackage as error:
        raise BadInput(f"The skill was not stored. {error}", fields={"file": str(error)}) from None
    try:
        with sqlite_write_lock(), transaction.atomic():
            row = _package_of(owner, found.name)
            row.changed_by, row.changed_at, row.address = actor, timezone.now(), ""
            row.save()
            row.in_force = version_of(row, found, actor)
            row.save()
            _audit(actor, owner, row, "skill.uploaded", version=row.in_force.number)
    except IntegrityError:  # another request has stored the first version at the same time
        raise Stale("Somebody else has uploaded this skill at the same time.", hint="Load the page again.") from None
    return row


def choose_version(*, actor: User, package: SkillPackage, number: int | None) -> SkillPackage:
    """Put a version of a skill in force; None switches the skill off. Raises Missing if there is no such version."""
    owner = find_owner(actor, package.place)
    _require_edit(actor, owner)
    with sqlite_write_lock(), transaction.atomic():
        row = SkillPackage.objects.select_for_update().filter(pk=package.pk).first()
        if row is None:
            raise Missing("This skill no longer exists.")
        row.in_force = None if number is None else _versions(row).filter(number=number).first()
        if number is not None and row.in_force is None:
            raise Missing(f"This skill has no version {number}.")
        row.changed_by, row.changed_at = actor, timezone.now()
        row.save()
        _audit(actor, owner, row, "skill.version_chosen", version=number)
    return row


def remove_skill(*, actor: User, package: SkillPackage) -> None:
    """Delete a skill with all its versions. Agents cannot load it from the next step on."""
    owner = find_owner(actor, package.place)
    _require_edit(actor, owner)
    with sqlite_write_lock(), transaction.atomic():
        if not SkillPackage.objects.filter(pk=package.pk).delete()[0]:
            raise Missing("This skill no longer exists.")
        _audit(actor, owner, package, "skill.removed")


def _require_edit(actor: User, owner: ConfigurationOwner) -> None:
    if owner.scope is not None:
        require_edit(actor, owner.scope)


def _package_of(owner: ConfigurationOwner, name: str) -> SkillPackage:
    """Return the owner's skill with this name, locked, or a new one. Raises BadInput if there are too many skills."""
    rows = SkillPackage.objects.filter(place=owner.key)
    row = rows.select_for_update().filter(name=name).first()
    if row is None and rows.count() >= MAX_PACKAGES:
        raise BadInput(f"At most {MAX_PACKAGES} skills can be kept here.", hint="Remove a skill first.")
    row = row or SkillPackage(place=owner.key, name=name)
    set_owner(row, owner)
    return row


def version_of(row: SkillPackage, found: SkillPackageContent, actor: User | None) -> SkillVersion:
    """Return the skill's newest version if its content equals `found`, otherwise a new version."""
    content = pack(found.files)
    digest = hashlib.sha256(content).hexdigest()
    newest = _versions(row).first()
    if newest is not None and newest.sha256 == digest:
        return newest
    others = [each.pk for each in _versions(row) if each.pk != row.in_force_id]
    SkillVersion.objects.filter(pk__in=others[MAX_VERSIONS - 2 :]).delete()
    return SkillVersion.objects.create(
        package=row,
        number=(SkillVersion.objects.filter(package=row).aggregate(last=Max("number"))["last"] or 0) + 1,
        description=found.description,
        files=[{"path": path, "size": len(file.content)} for path, file in sorted(found.files.items())],
        content=content,
        sha256=digest,
        uploaded_by=actor,
    )


def _versions(row: SkillPackage) -> QuerySet[SkillVersion]:
    return SkillVersion.objects.filter(package=row).defer("content").order_by("-number")


def _audit(actor: User, owner: ConfigurationOwner, row: SkillPackage, action: str, **data: Any) -> None:
    """Record a change of a skill in the audit log. The name of a person's own skill is left out."""
    audit.record(
        team_id=owner.team_id,
        actor=actor,
        action=action,
        subject=row.public_id,
        data={"place": owner.key, **({} if owner.person else {"name": row.name}), **data},
        project_id=owner.scope.project_id if owner.scope is not None else None,
    )
