"""This node's sandboxes, as the sandbox worker reaches them."""

import threading
import uuid
from collections import defaultdict
from functools import cache
from typing import Final

from django.conf import settings

from agentsite.base.background import background
from agentsite.base.ids import to_public
from sandbox.errors import SandboxUnavailable
from sandbox.limits import Limits
from sandbox.ports import Deployment, Runtime, SandboxSpec
from sessions_app.models import Workspace
from tools_app.policies.current import current_policies

workspace_locks: Final[defaultdict[uuid.UUID, threading.Lock]] = defaultdict(threading.Lock)
"""Held while a workspace's container is started, stopped or made anew: one thread at a time does that."""


@cache
def deployment() -> Deployment:
    """One per process. Imports the Docker client, which no other process may."""
    from sandbox.docker import DockerDeployment

    return DockerDeployment(
        root=settings.WORKSPACES_DIR,
        site=settings.SITE_LABEL,
        docker_host=settings.DOCKER_HOST or None,
        disk=settings.SANDBOX_DISK,
    )


def sandbox_spec(workspace: Workspace) -> SandboxSpec:
    """What its container is made from. One that runs keeps the limits and the runtime that it was made with, whatever
    the policies say by now: another specification would mean another container, under the calls that run in it."""
    if not settings.SANDBOX_IMAGE:
        raise SandboxUnavailable(
            "This node has no sandboxes: no container engine was found when the site started. Install Docker"
            " (apt-get install docker.io) and start the site again, or set DOCKER_HOST and SANDBOX_IMAGE."
        )
    runtime, limits = _as_made(workspace) or _by_policy(workspace)
    return SandboxSpec(
        workspace_id=workspace.public_id,
        image=settings.SANDBOX_IMAGE,
        runtime=runtime,
        limits=limits,
        labels={
            "team": to_public("tea", workspace.project.team_id),
            "project": to_public("prj", workspace.project_id),
            "workspace": workspace.public_id,
        },
    )


def _as_made(workspace: Workspace) -> tuple[str, Limits] | None:
    """None where it does not run, or was made by a version that knew fewer limits."""
    if workspace.state != Workspace.State.RUNNING or not workspace.limits:
        return None
    try:
        return workspace.runtime or settings.SANDBOX_RUNTIME, Limits(**workspace.limits)
    except TypeError:  # by one that knew others
        return None


def _by_policy(workspace: Workspace) -> tuple[str, Limits]:
    policy = current_policies(team_id=workspace.project.team_id, project_id=workspace.project_id).sandbox()
    return policy.runtime or settings.SANDBOX_RUNTIME, policy.limits


def disk_bytes(workspace: Workspace) -> int:
    """How much its files may take, as far as its row knows."""
    return int(workspace.limits.get("disk_mib") or Limits().disk_mib) << 20


def runtime_of(workspace: Workspace) -> Runtime:
    """A runtime that answers, whatever state the container was in. Raises SandboxUnavailable."""
    return background.run(deployment().ensure(sandbox_spec(workspace)))
