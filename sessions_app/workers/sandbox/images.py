"""The image of a workspace's container: prepared on this node, if a project chose one that operators registered."""

import uuid
from typing import Any

from django.conf import settings

from agentsite.base.background import background
from sandbox.errors import NotFound, SandboxUnavailable
from sandbox.ports import SandboxSpec
from sessions_app.models import SandboxImage
from tools_app.policies.images import SITE_IMAGE, ImagePolicy


def chosen_image(project_id: uuid.UUID, policy: ImagePolicy) -> str:
    """Return the tag of the registered image that the project chose, prepared on this node; "" for the site's own.

    Raises SandboxUnavailable if the policies do not allow the image, or if it cannot be a sandbox.
    """
    row = SandboxImage.objects.filter(projects__project=project_id).first()
    name = row.name if row else SITE_IMAGE
    if reason := policy.refusal(name):
        raise SandboxUnavailable(f"{reason} Choose another image in the settings of the project.")
    return _prepared(row) if row else ""


def try_image(image_id: uuid.UUID) -> dict[str, Any]:
    """Prepare an image on this node and start a container of it. Return its tag and how many checks it passed."""
    from sessions_app.workers.sandbox.deployment import deployment  # which asks for the images of workspaces

    row = SandboxImage.objects.filter(pk=image_id).first()
    if row is None:
        raise NotFound("This image is not registered any more.")
    tag, trial = _prepared(row), f"try-{image_id.hex[:12]}"
    try:
        background.run(deployment().ensure(SandboxSpec(workspace_id=trial, image=tag)))
        report = background.run(deployment().report(trial))
    finally:
        background.run(deployment().remove(trial, files=True))
    return {"tag": tag, "checks": len(report.items) if report else 0}


def _prepared(row: SandboxImage) -> str:
    from sandbox.image.registered import ImageSource, prepare_image  # imports the Docker client

    return prepare_image(
        ImageSource("tag" if row.kind == SandboxImage.Kind.TAG else "dockerfile", row.source),
        site_image=settings.SANDBOX_IMAGE,
        docker_host=settings.DOCKER_HOST or None,
    )
