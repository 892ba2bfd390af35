"""The image of a workspace's container: prepare a registered image on this node if a project chose it, or if the
project's repository asks for it."""

import uuid
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from agentsite.base.background import background
from sandbox.errors import NotFound, SandboxError, SandboxUnavailable
from sandbox.ports import RunRequest, SandboxSpec
from sessions_app.models import SandboxImage, Workspace
from tools_app.policies.current import current_policies
from tools_app.policies.images import SITE_IMAGE, ImagePolicy
from tools_app.wanted_images import WantedImage

PROGRAMS: Final = (
    "node", "python3", "go", "java", "mvn", "gradle", "cargo", "ruby", "php", "dotnet", "postgres", "mariadbd",
    "mysqld", "redis-server", "valkey-server",
)  # fmt: skip
"""Programs that a trial looks for: languages, and the servers of `tools_app.services`."""
LIST_PROGRAMS: Final = (
    'PATH="$PATH:/usr/sbin:/usr/libexec:$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | tail -n 1)"; '
    f"for name in {' '.join(PROGRAMS)}; do command -v $name > /dev/null && echo $name; done; true"
)


def chosen_image(workspace: Workspace, policy: ImagePolicy) -> str:
    """Return the tag of the registered image for a workspace, prepared on this node; "" for the site's own image. The
    project's choice takes precedence over devcontainer.json.

    Raises SandboxUnavailable if the policies do not allow the image, or if it cannot be a sandbox.
    """
    row = SandboxImage.objects.filter(projects__project=workspace.project_id).first()
    if row is None and workspace.wanted_image.get("name"):
        wanted = SandboxImage.objects.filter(name=workspace.wanted_image["name"]).first()
        if wanted and not policy.refusal(wanted.name):
            return _prepared(wanted)
    name = row.name if row else SITE_IMAGE
    if reason := policy.refusal(name):
        raise SandboxUnavailable(f"{reason} Choose another image in the settings of the project.")
    return _prepared(row) if row else ""


def note_wanted_image(workspace: Workspace, wanted: WantedImage | None) -> None:
    """Store the image that the repository asks for, with the registered image to use for it, or with the reason why no
    registered image is used."""
    found: dict[str, str] = {}
    if wanted:
        name, note = _registered_for(workspace, wanted)
        found = {"source": wanted.source, "image": wanted.image or wanted.dockerfile, "name": name, "note": note}
    if found != workspace.wanted_image:
        workspace.wanted_image = found
        Workspace.objects.filter(pk=workspace.pk).update(wanted_image=found)


def _registered_for(workspace: Workspace, wanted: WantedImage) -> tuple[str, str]:
    """Return the registered image to use in place of the image that a repository asks for, as (name, ""); or ("",
    reason) if no registered image is used."""
    project = workspace.project
    chosen = SandboxImage.objects.filter(projects__project=project).values_list("name", flat=True).first()
    if chosen:
        return "", f"It is not used, because the project's settings choose the image {chosen}."
    kind = SandboxImage.Kind.TAG if wanted.image else SandboxImage.Kind.DOCKERFILE
    rows = SandboxImage.objects.filter(kind=kind)
    asked = (wanted.image or wanted.text).strip()
    row = next((row for row in rows if asked and row.source.strip() == asked), None)
    if row is None:
        what = "this image" if wanted.image else "this Dockerfile, and Dockerfiles of repositories are not built"
        return "", f"It is not used, because no operator has registered {what}. The image is {SITE_IMAGE}."
    policies = current_policies(team_id=project.team_id, project_id=project.pk)
    if reason := policies.images.refusal(row.name):
        return "", f"It is not used. {reason}"
    try:
        _prepared(row)
    except SandboxUnavailable as error:
        return "", f"It is not used. {error.message}"
    return row.name, ""


def try_image(image_id: uuid.UUID) -> dict[str, Any]:
    """Test an image on this node: prepare it, start a container of it, and store the result in the image's `trials`.
    Returns the image's tag and digest, the number of checks, and the programs found in it."""
    row = SandboxImage.objects.filter(pk=image_id).first()
    if row is None:
        raise NotFound("This image is no longer registered.")
    found: dict[str, Any] = {}
    try:
        found = _tried(row)
    except SandboxError as error:
        found = {"problem": error.message}
        raise
    finally:
        with transaction.atomic():
            row = SandboxImage.objects.select_for_update().get(pk=image_id)
            row.trials[settings.NODE_NAME] = {**found, "at": timezone.now().isoformat()}
            row.save(update_fields=["trials"])
    return found


def _tried(row: SandboxImage) -> dict[str, Any]:
    from sessions_app.workers.sandbox.deployment import deployment  # which asks for the images of workspaces

    tag, trial = _prepared(row), f"try-{row.pk.hex[:12]}"
    try:
        runtime = background.run(deployment().ensure(SandboxSpec(workspace_id=trial, image=tag)))
        report = background.run(deployment().report(trial))
        listed = background.run(runtime.run(RunRequest("programs", LIST_PROGRAMS, timeout=30.0)))
    finally:
        background.run(deployment().remove(trial, files=True))
    programs = listed.output.decode("utf-8", "replace").split()
    known = [name for name in PROGRAMS if name in programs]
    return {"tag": tag, "digest": _digest(row), "checks": len(report.items) if report else 0, "programs": known}


def _prepared(row: SandboxImage) -> str:
    from sandbox.image import registered  # imports the Docker client

    return registered.prepare_image(
        _source(row), site_image=settings.SANDBOX_IMAGE, docker_host=settings.DOCKER_HOST or None
    )


def _digest(row: SandboxImage) -> str:
    from sandbox.image import registered

    return registered.digest_of_image(
        _source(row), site_image=settings.SANDBOX_IMAGE, docker_host=settings.DOCKER_HOST or None
    )


def _source(row: SandboxImage) -> Any:
    from sandbox.image.registered import ImageSource

    return ImageSource("tag" if row.kind == SandboxImage.Kind.TAG else "dockerfile", row.source)
