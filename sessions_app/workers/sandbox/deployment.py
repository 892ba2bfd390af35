"""Access of the sandbox worker to the sandboxes of this node."""

import uuid
from typing import Final

from django.conf import settings

from agentsite.base.background import background
from agentsite.base.ids import to_public
from agentsite.base.threads import KeyedLocks, created_once
from sandbox.errors import SandboxUnavailable
from sandbox.limits import Limits
from sandbox.ports import Deployment, Runtime, SandboxSpec
from sessions_app.models import Workspace
from sessions_app.workers.sandbox.images import chosen_image
from tools_app.policies.current import current_policies

workspace_locks: Final = KeyedLocks[uuid.UUID]()
"""Locks that allow one thread at a time to start, stop or recreate a workspace's container."""


@created_once
def deployment() -> Deployment:
    """Return the deployment, one per process. This imports the Docker client, which only the sandbox worker may do."""
    from sandbox.docker import DockerDeployment

    return DockerDeployment(
        root=settings.WORKSPACES_DIR,
        site=settings.SITE_LABEL,
        docker_host=settings.DOCKER_HOST or None,
        disk=settings.SANDBOX_DISK,
    )


def sandbox_spec(workspace: Workspace) -> SandboxSpec:
    """Return the specification of a workspace's container.

    A running container keeps the limits and the runtime that it was created with, even if the policies changed: a
    different specification would replace the container and end its calls. Raises SandboxUnavailable if this node has no
    container engine.
    """
    if not settings.SANDBOX_IMAGE:
        raise SandboxUnavailable(
            "This node has no sandboxes: no container engine was found when the site started. Install Docker"
            " (apt-get install docker.io) and start the site again, or set DOCKER_HOST and SANDBOX_IMAGE."
        )
    runtime, limits = _as_created(workspace) or _by_policy(workspace)
    return SandboxSpec(
        workspace_id=workspace.public_id,
        image=workspace.image or settings.SANDBOX_IMAGE,
        runtime=runtime,
        limits=limits,
        labels={
            "team": to_public("tea", workspace.project.team_id),
            "project": to_public("prj", workspace.project_id),
            "workspace": workspace.public_id,
        },
    )


def _as_created(workspace: Workspace) -> tuple[str, Limits] | None:
    """Return the runtime and limits with which the running container was created; None if no container is running, or
    if the stored limits, from another version of the site, have other fields."""
    if workspace.state != Workspace.State.RUNNING or not workspace.limits:
        return None
    try:
        return workspace.runtime or settings.SANDBOX_RUNTIME, Limits(**workspace.limits)
    except TypeError:  # created by a version with other limits
        return None


def _by_policy(workspace: Workspace) -> tuple[str, Limits]:
    policies = current_policies(team_id=workspace.project.team_id, project_id=workspace.project_id)
    if workspace.state != Workspace.State.RUNNING:
        workspace.image = chosen_image(workspace, policies.images)
    policy = policies.sandbox()
    return policy.runtime or settings.SANDBOX_RUNTIME, policy.limits


def registered_of(spec: SandboxSpec) -> str:
    """Return the tag of the registered image in a specification; "" if it uses the site's own image."""
    return "" if spec.image == settings.SANDBOX_IMAGE else spec.image


def disk_bytes(workspace: Workspace) -> int:
    """Return the workspace's stored disk limit in bytes, or the default limit."""
    return int(workspace.limits.get("disk_mib") or Limits().disk_mib) << 20


def runtime_of(workspace: Workspace) -> Runtime:
    """Return a workspace's runtime, and start the container first if it does not answer. Raises SandboxUnavailable."""
    return background.run(deployment().ensure(sandbox_spec(workspace)))
