"""What a sandbox's container is made with. The hardening is this table; a test inspects a running container for it."""

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
"""States of a container that its engine did not get rid of; it cannot be started again."""
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
QUIET: Final[Mapping[str, Any]] = {
    "hostname": "sandbox",
    "log_config": {"type": "json-file", "config": {"max-size": "1m", "max-file": "1"}},
}

OOM_SCORE: Final = 500
"""When the host itself runs out of memory, commands (1000) go first, then runners, and the host's own services last."""
ULIMITS: Final[Mapping[str, int]] = {
    "core": 0,
    "memlock": 64 * 1024,
    "msgqueue": 0,
    "sigpending": 1024,
}
"""For each process or user. The kernel also counts them over all containers of an engine together and for the host's
root, who made their user namespaces: with the usual values one container takes every message queue (819,200 bytes) and
queued signal from its neighbours and from the host."""


def ulimits_of(limits: Limits) -> list[Ulimit]:
    values = {**ULIMITS, "nofile": limits.open_files}
    return [Ulimit(name=name, soft=value, hard=value) for name, value in sorted(values.items())]


def container_name(site: str, workspace_id: str) -> str:
    if not WORKSPACE_ID.fullmatch(workspace_id):
        raise SandboxUnavailable(f"{workspace_id[:80]!r} cannot be the id of a workspace.")
    return f"agentsite-{site}-{workspace_id}"


def container_options(
    spec: SandboxSpec, site: str, place: Folders | Volumes, disk: DriverName = "soft"
) -> dict[str, Any]:
    """For the SDK's `containers.create`. Equal options have equal recipe labels: another label means: make it anew."""
    limits = spec.limits
    options: dict[str, Any] = {
        **HARDENING,
        **QUIET,
        "image": spec.image,
        "name": container_name(site, spec.workspace_id),
        "runtime": spec.runtime,
        "pids_limit": limits.pids,
        "mem_limit": limits.memory_mib * MIB,
        "memswap_limit": limits.memory_mib * MIB,
        "nano_cpus": int(limits.cpus * 1_000_000_000),
        "tmpfs": {"/tmp": f"rw,exec,nosuid,nodev,mode=1777,size={limits.tmp_mib}m"},  # noqa: S108
        "mounts": mounts_of(place),
        "ulimits": ulimits_of(limits),
        "oom_score_adj": OOM_SCORE,
        "environment": {"SANDBOX_LIMITS": json.dumps(asdict(limits), sort_keys=True), "SANDBOX_DISK": disk},
    }
    labels = {**spec.labels, SITE_LABEL: site, WORKSPACE_LABEL: spec.workspace_id}
    recipe = hashlib.sha256(json.dumps([options, labels], sort_keys=True).encode()).hexdigest()[:16]
    return {**options, "labels": {**labels, RECIPE_LABEL: recipe}}
