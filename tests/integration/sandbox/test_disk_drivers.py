"""Each disk driver on this machine, without a container: its limits, its leftovers, and the effects of a kill."""

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from sandbox.disk import Prepared, WorkspaceDisks, btrfs, ext4, folders, loops, migrate
from sandbox.disk.workspace_disks import kernel_resources_below, release_all
from sandbox.errors import SandboxUnavailable
from sandbox.limits import Limits
from sandbox.mounts import mounts_below
from tests.support.deadline import wait_until
from tests.support.lanes import fewer

pytestmark = [pytest.mark.docker, pytest.mark.skipif(os.getuid() != 0, reason="only root can mount")]

LIMITS: Final = Limits(disk_mib=64, inodes=1000)
OWNER: Final = 165_536
TOOL_USER: Final = OWNER + 1000
MIB: Final = 1 << 20
MODULE: Final = ("python3", "-m")


@pytest.fixture(params=["ext4", "btrfs"])
def setting(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def disks(setting: str, tmp_path: Path) -> Iterator[WorkspaceDisks]:
    yield WorkspaceDisks(tmp_path / "workspaces", setting=setting)
    release_all(tmp_path)


@pytest.fixture
def images_only(tmp_path: Path) -> Iterator[WorkspaceDisks]:
    yield WorkspaceDisks(tmp_path / "workspaces", setting="ext4")
    release_all(tmp_path)


def prepare(disks: WorkspaceDisks, name: str = "wsp_1", limits: Limits = LIMITS) -> Prepared:
    return disks.prepare(name, limits, OWNER)


def as_tool_user(command: str, cwd: Path) -> str:
    """Run a command as the tool user in `cwd`, a folder inside of the workspace's directory. The tool user cannot enter
    the directory by its path."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=cwd,
        preexec_fn=lambda: os.setresuid(TOOL_USER, TOOL_USER, TOOL_USER),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def used_by(folder: Path) -> int:
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


def plain_workspace(root: Path, name: str = "wsp_1", content: bytes = b"old") -> Path:
    """Create a workspace without a disk, in the layout of earlier releases."""
    folder = root / name
    for place, uid in (("files", TOOL_USER), ("home", TOOL_USER), ("runner", OWNER)):
        (folder / place).mkdir(parents=True)
        (folder / place / "kept").write_bytes(content)
        for path in (folder / place, folder / place / "kept"):
            os.chown(path, uid, uid)
    os.link(folder / "files" / "kept", folder / "files" / "twin")
    (folder / "files" / "link").symlink_to("/etc/passwd")
    return folder


def is_whole(prepared: Prepared) -> bool:
    places = (prepared.folders.files, prepared.folders.home, prepared.folders.runner)
    kept = [(place / "kept").stat() for place in places]
    assert [(place / "kept").read_bytes() for place in places] == [b"old"] * 3
    assert [status.st_uid for status in kept] == [TOOL_USER, TOOL_USER, OWNER]
    assert prepared.folders.files.joinpath("twin").stat().st_ino == kept[0].st_ino
    return prepared.folders.files.joinpath("link").readlink() == Path("/etc/passwd")


def test_a_full_disk_is_full_for_its_owner_alone(disks: WorkspaceDisks, setting: str) -> None:
    full, neighbour = prepare(disks, "wsp_full"), prepare(disks, "wsp_next")

    said = as_tool_user("cat /dev/zero > a; head -c 1M /dev/zero > b; stat -c %s b", full.folders.files)

    assert ("No space left" if setting == "ext4" else "Disk quota exceeded") in said
    assert "1048576\n" not in said
    assert 0.9 < used_by(full.folders.data) / (64 * MIB) < 1.1
    assert "No space" in (home := as_tool_user("head -c 1M /dev/zero > b", full.folders.home)) or "quota" in home
    (full.folders.runner / "journal").write_bytes(bytes(20 * MIB))
    assert as_tool_user("head -c 20M /dev/zero > a && echo fine", neighbour.folders.files) == "fine\n"
    assert as_tool_user("rm a && echo fine > b && cat b", full.folders.files) == "fine\n"


def test_inodes_end(images_only: WorkspaceDisks) -> None:
    prepared = prepare(images_only)

    said = as_tool_user("i=0; while : > $i; do i=$((i+1)); done", prepared.folders.files)

    assert "No space left" in said
    assert 900 < len(list(prepared.folders.files.iterdir())) < 1100
    (prepared.folders.runner / "journal").write_bytes(b"still")


def test_the_runner_has_a_bound_of_its_own(disks: WorkspaceDisks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ext4, "RUNNER_MIB", 32)
    monkeypatch.setattr(btrfs, "RUNNER_MIB", 32)
    prepared = prepare(disks)

    with pytest.raises(OSError, match=r"No space|quota"):
        (prepared.folders.runner / "journal").write_bytes(bytes(40 * MIB))
    assert as_tool_user("head -c 20M /dev/zero > a && echo fine", prepared.folders.files) == "fine\n"


def test_an_idle_workspace_holds_nothing_and_keeps_its_files(
    disks: WorkspaceDisks, tmp_path: Path, setting: str
) -> None:
    prepared = prepare(disks)
    as_tool_user("echo kept > a", prepared.folders.files)
    assert {f"{prepared.folders.root}/{name}" for name in ("disk", "runner")} <= set(mounts_below(tmp_path))

    disks.release("wsp_1")

    left = [""] if setting == "btrfs" else []
    wait_until(
        lambda: [held.workspace_id for held in kernel_resources_below(tmp_path / "workspaces")] == left,
        "nothing is held, also where a container that is being started has a copy of all mounts for a moment",
    )
    assert (prepare(disks).folders.files / "a").read_text() == "kept\n"


def test_what_is_deleted_leaves_nothing(disks: WorkspaceDisks, tmp_path: Path, setting: str) -> None:
    as_tool_user("echo kept > a", prepare(disks).folders.files)

    for _ in range(2):
        disks.delete("wsp_1")

    assert not (tmp_path / "workspaces" / "wsp_1").exists()
    assert not (tmp_path / "workspaces" / ".volumes" / "wsp_1").exists()
    assert not (prepare(disks).folders.files / "a").exists()


def test_freed_space_goes_back_to_the_host(images_only: WorkspaceDisks) -> None:
    prepared = prepare(images_only)
    image = prepared.folders.root / "disk.img"
    assert image.stat().st_blocks * 512 < 2 * MIB
    as_tool_user("head -c 30M /dev/urandom > a; sync a", prepared.folders.files)
    assert image.stat().st_blocks * 512 > 30 * MIB

    as_tool_user("rm a; sync .", prepared.folders.files)

    wait_until(lambda: image.stat().st_blocks * 512 < 10 * MIB, "the host has its space back")


def test_limits_may_grow_and_fall(disks: WorkspaceDisks, setting: str) -> None:
    as_tool_user("head -c 50M /dev/zero > a", prepare(disks).folders.files)

    for disk_mib, inodes, fits in ((200, 1000, True), (32, 1000, False), (64, 200_000, True)):
        disks.release("wsp_1")
        place = prepare(disks, limits=replace(LIMITS, disk_mib=disk_mib, inodes=inodes)).folders.files
        assert (place / "a").stat().st_size == 50 * MIB
        assert (
            as_tool_user("head -c 5M /dev/zero > b; [ $(stat -c %s b) = 5242880 ] && echo fits", place).endswith(
                "fits\n"
            )
            is fits
        )
        free = os.statvfs(place)
        if setting == "ext4" and disk_mib > 32:
            assert 0.8 < free.f_bavail * free.f_frsize / ((disk_mib - 55) * MIB) < 1.2
            assert free.f_files >= inodes


def test_plain_directories_are_taken_over(disks: WorkspaceDisks, tmp_path: Path) -> None:
    folder = plain_workspace(tmp_path / "workspaces")

    assert is_whole(prepare(disks))
    assert not (folder / "files").exists()
    disks.release("wsp_1")
    assert list((folder / "runner").iterdir()) == []


def test_plain_directories_that_do_not_fit_stay_and_are_told(images_only: WorkspaceDisks, tmp_path: Path) -> None:
    plain_workspace(tmp_path / "workspaces")
    (tmp_path / "workspaces" / "wsp_1" / "files" / "large").write_bytes(bytes(70 * MIB))

    prepared = prepare(images_only)

    assert (prepared.driver, prepared.folders.files) == ("soft", tmp_path / "workspaces" / "wsp_1" / "files")
    assert "larger than its limit allows" in prepared.detail
    (prepared.folders.files / "large").unlink()
    assert is_whole(prepare(images_only))


def test_a_kill_between_any_two_steps_loses_nothing(disks: WorkspaceDisks, tmp_path: Path, setting: str) -> None:
    disks.driver()
    prepare(disks, "wsp_other")
    step, finished = 0, False
    while not finished:
        plain_workspace(tmp_path / "workspaces")
        finished = in_child_killed_at(step, lambda: prepare(disks))
        assert is_whole(prepare(disks)), f"killed at step {step}"
        assert is_whole(prepare(disks))
        disks.delete("wsp_1")
        assert mounts_below(tmp_path / "workspaces" / "wsp_1") == []
        step += fewer(1, default=3)
    assert step > (10 if setting == "ext4" else 8)


@pytest.mark.full
def test_a_kill_between_any_two_steps_leaves_a_new_workspace_that_can_be_prepared(
    disks: WorkspaceDisks, tmp_path: Path
) -> None:
    disks.driver()
    step, finished = 0, False
    while not finished:
        finished = in_child_killed_at(step, lambda: prepare(disks))
        prepared = prepare(disks)
        assert len(mounts_below(prepared.folders.root)) == 2, f"killed at step {step}"
        assert as_tool_user("echo fine > a && cat a", prepared.folders.files) == "fine\n", f"killed at step {step}"
        disks.delete("wsp_1")
        assert mounts_below(tmp_path / "workspaces" / "wsp_1") == []
        step += 1
    assert step > 5


def in_child_killed_at(step: int, act: Callable[[], object]) -> bool:
    """Run an action in a child process that ends before the step with this number. Return whether the action
    completed."""
    child = os.fork()
    if child == 0:
        count = 0

        def before(real: Callable[..., Any]) -> Callable[..., Any]:
            def perform(*arguments: Any, **named: Any) -> Any:
                nonlocal count
                if count == step:
                    os._exit(1)
                count += 1
                return real(*arguments, **named)

            return perform

        for module, name in STEPS:
            setattr(module, name, before(getattr(module, name)))
        try:
            act()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


STEPS: Final[tuple[tuple[Any, str], ...]] = (
    (ext4, "make_image"),
    (migrate, "copy_all"),
    (loops, "mount"),
    (loops, "bind"),
    (loops, "unmount"),
    (loops, "_attach"),
    (btrfs, "run_program"),
    (migrate, "remove_tree"),
    (Path, "rename"),
    (folders.Folders, "make"),
)


def test_preparing_at_once_gives_one_disk(disks: WorkspaceDisks, tmp_path: Path) -> None:
    disks.driver()
    children = []
    for _ in range(4):
        if (child := os.fork()) == 0:
            try:
                prepare(disks)
            except BaseException:  # noqa: BLE001 - the child must never come back into the test run
                os._exit(1)
            os._exit(0)
        children.append(child)

    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 4
    mounts = [place for place in mounts_below(tmp_path) if "wsp_1" in place]
    assert len(mounts) == 2
    devices = [file for _, file in loops.backing_files() if file.startswith(str(tmp_path))]
    assert len(devices) == len(set(devices))


def test_one_image_never_gets_two_devices(images_only: WorkspaceDisks, tmp_path: Path) -> None:
    prepared = prepare(images_only)
    (prepared.folders.files / "open").write_bytes(b"")
    with (prepared.folders.files / "open").open("rb") as held_open:
        images_only.release("wsp_1")
        assert mounts_below(tmp_path) == []

        again = prepare(images_only)

        assert len(loops.devices_of(again.folders.root / "disk.img")) == 1
        assert os.fstat(held_open.fileno()).st_dev == (again.folders.files / "open").stat().st_dev


def test_a_damaged_image_is_repaired_or_refused_in_words(images_only: WorkspaceDisks) -> None:
    image = prepare(images_only).folders.root / "disk.img"
    images_only.release("wsp_1")
    with image.open("r+b") as file:
        file.seek(1024)
        file.write(bytes(1024))

    with pytest.raises(SandboxUnavailable, match=r"disk could not be prepared|failed"):
        prepare(images_only)


@pytest.mark.parametrize("command", ["disk release {}/workspaces", "engine stop --state {}"])
def test_what_is_mounted_can_be_listed_and_ends_with_the_site(
    disks: WorkspaceDisks, tmp_path: Path, command: str
) -> None:
    prepare(disks)
    root = tmp_path / "workspaces"

    listed = subprocess.run([*MODULE, "sandbox.disk", "list", root], capture_output=True, text=True, check=True)
    subprocess.run(f"python3 -m sandbox.{command.format(tmp_path)}".split(), capture_output=True, check=True)

    assert f"wsp_1\t{tmp_path}/workspaces/wsp_1/runner\t{tmp_path}/workspaces/wsp_1/disk" in listed.stdout
    assert mounts_below(tmp_path) == []
    wait_until(
        lambda: not [file for _, file in loops.backing_files() if file.startswith(str(tmp_path))],
        "the devices are gone, also where a container that is being started held them for a moment",
    )
