"""This node's sandboxes, as the sandbox worker reaches them."""

from functools import cache

from django.conf import settings

from agentsite.background import background
from agentsite.ids import to_public
from sandbox.errors import SandboxUnavailable
from sandbox.ports import Deployment, Runtime, SandboxSpec
from sessions_app.models import Workspace


@cache
def deployment() -> Deployment:
    """One per process. Imports the Docker client, which no other process may."""
    from sandbox.docker import DockerDeployment

    return DockerDeployment(
        root=settings.WORKSPACES_DIR, site=settings.SITE_LABEL, docker_host=settings.DOCKER_HOST or None
    )


def sandbox_spec(workspace: Workspace) -> SandboxSpec:
    if not settings.SANDBOX_IMAGE:
        raise SandboxUnavailable(
            "This node has no sandboxes: no container engine was found when the site started. Install Docker"
            " (apt-get install docker.io) and start the site again, or set DOCKER_HOST and SANDBOX_IMAGE."
        )
    return SandboxSpec(
        workspace_id=workspace.public_id,
        image=settings.SANDBOX_IMAGE,
        runtime=settings.SANDBOX_RUNTIME,
        labels={
            "team": to_public("tea", workspace.project.team_id),
            "project": to_public("prj", workspace.project_id),
            "workspace": workspace.public_id,
        },
    )


def runtime_of(workspace: Workspace) -> Runtime:
    """A runtime that answers, whatever state the container was in. Raises SandboxUnavailable."""
    return background.run(deployment().ensure(sandbox_spec(workspace)))
