"""The self-check examines a new container from inside, once, before anything else runs in it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from docker.types import Mount

from sandbox.docker import container, deployment
from sandbox.errors import CheckFailed
from sandbox.ports import Deployment, SandboxSpec, SandboxState
from tests.contract.sandbox.conftest import Sandbox

pytestmark = pytest.mark.docker

LOOKED_AT = {
    "runner's capabilities", "runner", "user map", "user", "capabilities", "no new privileges", "seccomp", "AF_VSOCK",
    "io_uring", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "mount", "mknod", "kexec_load",
    "init_module", "bpf", "keyctl", "add_key", "userfaultfd", "perf_event_open", "setns", "open_by_handle_at",
    "user namespace", "root file system", "/tmp", "mounts", "engine's socket", "kernel's files", "kernel's memory",
    "control groups", "namespaces", "processes", "devices", "interfaces", "network", "name service", "files",
    "home files", "mmap", "kill", "ls", "stat", "cat", "bash", "git", "rg", "pipe",
}  # fmt: skip


async def test_a_new_sandbox_has_a_report_that_outlives_the_service_and_a_stop(
    fresh_sandbox: Sandbox, make_deployment: Callable[[], Deployment]
) -> None:
    workspace_id = fresh_sandbox.spec.workspace_id
    first = await fresh_sandbox.deployment.report(workspace_id)
    assert first is not None
    assert ({item.name for item in first.items}, first.failures, first.passed) == (LOOKED_AT, (), True)
    facts = await fresh_sandbox.deployment.facts()
    assert (first.runtime, first.kernel, facts.engine) == ("runc", facts.kernel, "docker")
    assert "runc" in facts.runtimes
    assert facts.memory_bytes > facts.cpus > 0

    await fresh_sandbox.deployment.stop(workspace_id)
    assert await fresh_sandbox.shell("ls -A /tmp; ls -A ~") == ""
    successor = make_deployment()
    await successor.ensure(fresh_sandbox.spec)

    assert await successor.report(workspace_id) == first
    await successor.close()


async def test_it_can_be_looked_at_again_also_where_the_workspace_is_closed_to_its_own_user(sandbox: Sandbox) -> None:
    """The self-check can be repeated after the tool user has filled its home or closed the workspace to itself: such
    changes are no fault of the sandbox."""
    await sandbox.shell("touch ~/.self-check-{1..900}{a,b,c}")
    spoiled = await sandbox.runtime.check()
    assert spoiled.failures == ()
    await sandbox.shell("chmod 0 ~ /workspace")

    report = await sandbox.runtime.check()

    assert (report.failures, {item.name for item in report.items}) == ((), LOOKED_AT)


async def test_a_container_with_holes_in_it_does_not_start(
    make_deployment: Callable[[], Deployment], spec: SandboxSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container whose options the engine or the runtime ignores fails the self-check and does not start."""
    (shared := tmp_path / "shared").mkdir()
    original = container.container_options

    def with_holes(*arguments: Any) -> dict[str, Any]:
        options = original(*arguments)
        options["tmpfs"] = {"/tmp": "rw,exec,suid,dev"}
        return {**options, "mounts": [*options["mounts"], Mount("/shared", str(shared), type="bind")]}

    holes = {"read_only": False, "security_opt": ["seccomp=unconfined"]}
    monkeypatch.setattr(container, "HARDENING", {**container.HARDENING, **holes})
    monkeypatch.setattr(deployment, "container_options", with_holes)
    made = make_deployment()

    with pytest.raises(CheckFailed, match="root file system") as failed:
        await made.ensure(replace(spec, workspace_id="wsp_holes"))

    names = {item.name for item in failed.value.report.failures}
    assert {"keyctl", "add_key", "user namespace", "root file system", "/tmp", "mounts"} <= names
    assert names.isdisjoint({"AF_VSOCK", "io_uring", "ptrace", "capabilities", "network", "ls", "git"})
    assert (await made.poll("wsp_holes")).state == SandboxState.ABSENT
    assert await made.report("wsp_holes") is None
    await made.remove("wsp_holes", files=True)
    await made.close()
