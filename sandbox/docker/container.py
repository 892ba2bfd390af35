"""Options that a sandbox's container is created with.

HARDENING is the security-relevant part; a test inspects a running container for it.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from docker.types import Ulimit

from sandbox.disk import DriverName, Folders
from sandbox.docker.volumes import Volumes, mounts_of
from sandbox.errors import SandboxUnavailable
from sandbox.limits import Limits
from sandbox.ports import SandboxSpec

SITE_LABEL: Final = "agentsite.site"
WORKSPACE_LABEL: Final = "agentsite.workspace"
RECIPE_LABEL: Final = "agentsite.recipe"
WORKSPACE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
HALF_REMOVED: Final = ("dead", "removing")
"""States of a container whose removal failed half-way; it cannot be started again."""
MIB: Final = 1 << 20

HARDENING: Final[Mapping[str, Any]] = {
    "user": "0:0",
    "network_mode": "none",
    "read_only": True,
    "privileged": False,
    "cap_drop": ["ALL"],
    "cap_add": ["SETUID", "SETGID", "KILL"],
    "security_opt": ["no-new-privileges:true"],
    "ipc_mode": "private",
    "restart_policy": {"Name": "no"},
}
IDENTITY_AND_LOGS: Final[Mapping[str, Any]] = {
    "hostname": "sandbox",
    "log_config": {"type": "json-file", "config": {"max-size": "1m", "max-file": "1"}},
}

OOM_SCORE: Final = 500
"""If the host runs out of memory, the kernel kills commands (score 1000) first, then runners, then host services."""
ULIMITS: Final[Mapping[str, int]] = {
    "core": 0,
    "memlock": 64 * 1024,
    "msgqueue": 0,
    "sigpending": 1024,
}
"""Limits per process or user.

The kernel also counts message queues and queued signals for all containers of an engine together, on the account of the
host's root, who created their user namespaces. With the usual values, one container could use up every message queue
(819,200 bytes) and queued signal of the other containers and of the host.
"""


def ulimits_of(limits: Limits) -> list[Ulimit]:
    """Return the ulimits of a container."""
    values = {**ULIMITS, "nofile": limits.open_files}
    return [Ulimit(name=name, soft=value, hard=value) for name, value in sorted(values.items())]


def container_name(site: str, workspace_id: str) -> str:
    """Return the name of a workspace's container. Raises SandboxUnavailable for an invalid workspace id."""
    if not WORKSPACE_ID.fullmatch(workspace_id):
        raise SandboxUnavailable(f"{workspace_id[:80]!r} is not a valid workspace id.")
    return f"agentsite-{site}-{workspace_id}"


def container_options(
    spec: SandboxSpec, site: str, folders: Folders | Volumes, disk: DriverName = "soft"
) -> dict[str, Any]:
    """Return the arguments for the Docker SDK's `containers.create`.

    The recipe label is a hash of all options. A container with another recipe label must be replaced.
    """
    limits = spec.limits
    options: dict[str, Any] = {
        **HARDENING,
        **IDENTITY_AND_LOGS,
        "image": spec.image,
        "name": container_name(site, spec.workspace_id),
        "runtime": spec.runtime,
        "pids_limit": limits.pids,
        "mem_limit": limits.memory_mib * MIB,
        "memswap_limit": limits.memory_mib * MIB,
        "nano_cpus": int(limits.cpus * 1_000_000_000),
        "tmpfs": {"/tmp": f"rw,exec,nosuid,nodev,mode=1777,size={limits.tmp_mib}m"},  # noqa: S108
        "mounts": mounts_of(folders),
        "ulimits": ulimits_of(limits),
        "oom_score_adj": OOM_SCORE,
        "environment": {"SANDBOX_LIMITS": json.dumps(asdict(limits), sort_keys=True), "SANDBOX_DISK": disk},
    }
    labels = {**spec.labels, SITE_LABEL: site, WORKSPACE_LABEL: spec.workspace_id}
    recipe = hashlib.sha256(json.dumps([options, labels], sort_keys=True).encode()).hexdigest()[:16]
    return {**options, "labels": {**labels, RECIPE_LABEL: recipe}}
