"""The choice of the disk driver, and the messages about it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.disk import WorkspaceDisks, workspace_disks
from sandbox.disk.driver import DiskDriver, DiskUnusable, DriverName, Prepared
from sandbox.disk.folders import Folders
from sandbox.disk.images import Capacity
from sandbox.disk.loops import CONFIGURATION
from sandbox.disk.workspace_disks import choose_driver, kernel_resources_below
from sandbox.docker.disks import obstacle_to_mounts
from sandbox.errors import SandboxUnavailable
from sandbox.limits import Limits


class Fake:
    detail = "It holds."

    def __init__(self, name: DriverName, trouble: str = "") -> None:
        self.name: DriverName = name
        self._trouble = trouble

    def try_out(self) -> None:
        if self._trouble:
            raise DiskUnusable(self._trouble)

    def has(self, folder: Path) -> bool:
        return False

    def prepare(self, folder: Path, limits: Limits, owner: int) -> Prepared:
        return Prepared(Folders(folder, folder), self.name)

    def release(self, folder: Path) -> None: ...

    def delete(self, folder: Path) -> None: ...


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def has(*, btrfs: str = "", ext4: str = "", on_btrfs: bool = False) -> None:
        makers: dict[str, Callable[[Path], DiskDriver]] = {
            "btrfs": lambda _: Fake("btrfs", btrfs),
            "ext4": lambda _: Fake("ext4", ext4),
        }
        monkeypatch.setattr(workspace_disks, "DRIVERS", makers)
        monkeypatch.setattr(workspace_disks, "is_btrfs", lambda _: on_btrfs)

    return has


@pytest.mark.parametrize(
    ("works", "chosen"),
    [
        ({}, "ext4"),
        ({"on_btrfs": True}, "btrfs"),
        ({"on_btrfs": True, "btrfs": "no quotas."}, "ext4"),
        ({"ext4": "no loop devices."}, "soft"),
    ],
)
def test_the_best_that_works_is_chosen(
    machine: Callable[..., None], tmp_path: Path, works: dict[str, str], chosen: str
) -> None:
    machine(**works)

    assert choose_driver(tmp_path, "auto", "").name == chosen


def test_a_machine_where_nothing_holds_says_why(machine: Callable[..., None], tmp_path: Path) -> None:
    machine(on_btrfs=True, btrfs="No quotas.", ext4="No loop devices.")

    assert choose_driver(tmp_path, "auto", "").detail == (
        "Disk limits are only watched: a command can write more before that is noticed. No quotas. No loop devices."
    )


def test_what_was_asked_for_and_does_not_work_is_refused(machine: Callable[..., None], tmp_path: Path) -> None:
    machine(btrfs="btrfs is missing: apt-get install btrfs-progs.")

    with pytest.raises(DiskUnusable, match=r"SANDBOX_DISK=btrfs does not work here. btrfs is missing: apt-get install"):
        choose_driver(tmp_path, "btrfs", "")


def test_an_engine_that_would_not_see_a_mount_gets_none(machine: Callable[..., None], tmp_path: Path) -> None:
    machine()

    driver = choose_driver(tmp_path, "auto", "The engine is elsewhere.")

    assert (driver.name, driver.detail.endswith("The engine is elsewhere.")) == ("soft", True)


def test_a_setting_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="SANDBOX_DISK must be one of auto, ext4, btrfs, soft, not 'zfs'"):
        WorkspaceDisks(tmp_path, setting="zfs")


def test_a_machine_is_tried_once(machine: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine()
    disks = WorkspaceDisks(tmp_path)
    first = disks.driver()
    monkeypatch.setattr(workspace_disks, "DRIVERS", {})

    assert disks.driver() is first


def test_what_a_workspace_has_counts_more_than_what_was_chosen(tmp_path: Path) -> None:
    (tmp_path / "with").mkdir()
    (tmp_path / "with" / "disk.img").touch()
    disks = WorkspaceDisks(tmp_path, setting="soft")

    assert disks.folders("with").files == tmp_path / "with" / "disk" / "files"
    assert disks.folders("without").files == tmp_path / "without" / "files"


def test_plain_directories_are_made_for_the_containers_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[str, int]] = []
    monkeypatch.setattr("os.chown", lambda path, uid, *_, **__: given.append((Path(path).name, uid)))

    prepared = WorkspaceDisks(tmp_path, setting="soft").prepare("wsp_1", Limits(), 100_000)

    assert given == [("files", 101_000), ("home", 101_000), ("runner", 100_000)]
    assert (prepared.folders.runner.stat().st_mode & 0o777, prepared.driver) == (0o700, "soft")
    assert "only watched" in prepared.detail


def test_an_image_is_larger_than_what_may_be_put_into_it() -> None:
    capacity = Capacity(mib=1000, inodes=400_000)

    assert capacity.blocks() * 4096 // (1 << 20) == 1000 + 400_000 * 256 // (1 << 20) + 8 + 16 + 1
    assert capacity.spare(capacity.blocks() + 500, 400_000) == 500


def test_the_kernel_is_told_of_a_loop_device_in_its_own_words() -> None:
    assert CONFIGURATION.size == 304


def test_a_directory_without_workspaces_holds_nothing(tmp_path: Path) -> None:
    assert kernel_resources_below(tmp_path / "none") == []


def test_an_engine_that_cannot_be_asked_is_no_obstacle(tmp_path: Path) -> None:
    assert obstacle_to_mounts(f"unix://{tmp_path}/none.sock") == ""
