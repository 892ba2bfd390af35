"""Register images, and choose one for a project."""

import uuid
from collections.abc import Container, Sequence
from typing import Final

from django.core.validators import slug_re
from django.db import transaction
from django.db.models import ProtectedError

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, Stale
from agentsite.http.etags import require_version, version_tag
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.models import Project, User
from agentsite.tenancy.roles import Act
from sessions_app.models import ProjectImage, SandboxImage
from tools_app.policies.current import current_policies
from tools_app.policies.images import SITE_IMAGE

MAX_SOURCE_BYTES: Final = 64 * 1024


def version_of_choice(project: Project) -> str:
    chosen = SandboxImage.objects.filter(projects__project=project).values_list("name", flat=True).first()
    return version_tag(chosen or SITE_IMAGE)


def choose_image(*, actor: User, project: Project, name: str, versions: Container[str] | None = None) -> None:
    """Choose the image of a project's workspaces, by its name; `default` is the site's own image.

    Running workspaces keep their image until their container is created again. `versions` are the versions of the
    choice that the client may have read. Raises Missing if there is no such image, Stale if the policies do not allow
    it, and Changed if somebody chose another image meanwhile.
    """
    require(actor, Act.MANAGE_PROJECT, team_id=project.team_id)
    image = _registered(name) if name != SITE_IMAGE else None
    policy = current_policies(team_id=project.team_id, project_id=project.pk).images
    if reason := policy.refusal(name):
        raise Stale(reason, code=ErrorCode.IMAGE_NOT_ALLOWED)
    with team_write(project.team_id):
        require_version(versions, version_of_choice(project))
        before = ProjectImage.objects.select_related("image").filter(project=project).first()
        if (before.image if before else None) == image:
            return
        if image is None:
            ProjectImage.objects.filter(project=project).delete()
        else:
            ProjectImage.objects.update_or_create(project=project, defaults={"image": image, "changed_by": actor})
        audit.record(
            team_id=project.team_id,
            actor=actor,
            action="project.image_chosen",
            subject=project.public_id,
            data={"before": before.image.name if before else SITE_IMAGE, "after": name},
            project_id=project.pk,
        )


def register_image(*, name: str, kind: SandboxImage.Kind, source: str, description: str = "") -> SandboxImage:
    """Register an image, or replace the one with this name. Raises BadInput."""
    problems: dict[str, str] = {}
    if not slug_re.match(name) or len(name) > 40 or name == SITE_IMAGE:
        problems["name"] = f"1 to 40 letters, digits and dashes, and not {SITE_IMAGE}"
    if not source.strip() or len(source.encode()) > MAX_SOURCE_BYTES:
        problems["source"] = f"1 to {MAX_SOURCE_BYTES:,} bytes"
    if problems:
        raise BadInput("The image cannot be registered.", fields=problems)
    with transaction.atomic():
        row, _ = SandboxImage.objects.update_or_create(
            name=name, defaults={"kind": kind, "source": source, "description": description[:200]}
        )
        audit.record(team_id=None, actor=None, action="image.registered", subject=name, data={"kind": kind.value})
    return row


def image_name(project_id: uuid.UUID) -> str:
    """Return the name of the image that a project chose, or "default"."""
    chosen = SandboxImage.objects.filter(projects__project=project_id).values_list("name", flat=True)
    return chosen.first() or SITE_IMAGE


def images_with(programs: Sequence[str]) -> list[str]:
    """Return the names of the registered images in which a trial found one of these programs."""
    rows = SandboxImage.objects.values_list("name", "trials")
    return [
        name
        for name, trials in rows
        if any(not {*programs}.isdisjoint(trial.get("programs", ())) for trial in trials.values())
    ]


def remove_image(name: str) -> None:
    """Remove a registered image. Raises Missing if there is none, Stale while projects use it."""
    row = _registered(name)
    with transaction.atomic():
        try:
            row.delete()
        except ProtectedError as error:
            count = ProjectImage.objects.filter(image=row).count()
            raise Stale(f"The image {name} is chosen by {count} projects.", code=ErrorCode.IMAGE_NOT_ALLOWED) from error
        audit.record(team_id=None, actor=None, action="image.removed", subject=name)


def _registered(name: str) -> SandboxImage:
    row = SandboxImage.objects.filter(name=name).first()
    if row is None:
        raise Missing(f"There is no image with the name {name[:40]}.")
    return row
