import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from sandbox.runner.budgets import MemoryPool
from sandbox.runner.disk_use import count
from sandbox.runner.limits import MESSAGES, MIB, Allowance, hit
from sandbox.runner.meters import ControlGroups, Meters, file_system_use
from sandbox.runner.privileges import SingleUser
from sandbox.runner.tree import Tree

FIRST: Mapping[str, str] = {
    "memory/memory.usage_in_bytes": "5000000\n",
    "memory/memory.limit_in_bytes": "67108864\n",
    "memory/memory.stat": "cache 4096\ninactive_file 9\ntotal_cache 2000000\ntotal_inactive_file 1000000\n",
    "memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
    "pids/pids.current": "12\n",
    "pids/pids.max": "100\n",
    "pids/pids.events": "max 7\n",
    "cpuacct/cpuacct.usage": "2500000000\n",
    "cpu/cpu.cfs_quota_us": "150000\n",
    "cpu/cpu.cfs_period_us": "100000\n",
}
SECOND: Mapping[str, str] = {
    "cgroup.controllers": "cpu memory pids\n",
    "memory.current": "5000000\n",
    "memory.max": "67108864\n",
    "memory.stat": "anon 1\nfile 2\ninactive_file 1000000\n",
    "memory.events": "low 0\nhigh 0\nmax 40\noom 4\noom_kill 3\noom_group_kill 0\n",
    "pids.current": "12\n",
    "pids.max": "100\n",
    "pids.events": "max 7\n",
    "cpu.stat": "usage_usec 2500000\nuser_usec 1\n",
    "cpu.max": "150000 100000\n",
}
FIRST_WITHOUT_LIMITS = {
    "memory/memory.limit_in_bytes": "9223372036854771712",
    "pids/pids.max": "max",
    "cpu/cpu.cfs_quota_us": "-1",
}
SECOND_WITHOUT_LIMITS = {"memory.max": "max", "pids.max": "max", "cpu.max": "max 100000"}


def groups(folder: Path, files: Mapping[str, str]) -> ControlGroups:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return ControlGroups(str(folder))


@pytest.mark.parametrize("files", [FIRST, SECOND], ids=["v1", "v2"])
def test_both_versions_of_control_groups_tell_the_same(tmp_path: Path, files: Mapping[str, str]) -> None:
    found = groups(tmp_path, files)

    assert found.memory() == (4_000_000, 67_108_864)
    assert found.pids() == (12, 100)
    assert (found.kills(), found.refused_processes()) == (3, 7)
    assert (found.cpu_seconds(), found.cpus()) == (2.5, 1.5)


@pytest.mark.parametrize(
    "files", [{**FIRST, **FIRST_WITHOUT_LIMITS}, {**SECOND, **SECOND_WITHOUT_LIMITS}], ids=["v1", "v2"]
)
def test_no_limit_is_told_as_zero(tmp_path: Path, files: Mapping[str, str]) -> None:
    found = groups(tmp_path, files)

    assert (found.memory()[1], found.pids()[1], found.cpus()) == (0, 0, 0.0)


def test_what_a_kernel_does_not_have_counts_as_nothing(tmp_path: Path) -> None:
    found = groups(tmp_path, {"memory/memory.stat": "nonsense", "pids/pids.events": "max\nmax x\n"})

    assert (found.memory(), found.pids(), found.kills(), found.refused_processes()) == ((0, 0), (0, 0), 0, 0)
    assert (found.cpu_seconds(), found.cpus()) == (0.0, 0.0)


def meters(tmp_path: Path, allowance: Allowance) -> Meters:
    for name in ("files", "home"):
        (tmp_path / name).mkdir()
    tree = Tree(str(tmp_path / "files"), str(tmp_path / "home"))
    return Meters(tree, SingleUser(), allowance, MemoryPool(), groups(tmp_path / "groups", FIRST))


def test_a_disk_without_a_quota_is_counted_and_the_count_is_kept_for_a_while(tmp_path: Path) -> None:
    counted = meters(tmp_path, Allowance(disk_mib=10, inodes=50, disk="soft"))
    (tmp_path / "files" / "a").write_bytes(b"x" * 100_000)
    (tmp_path / "home" / "b").mkdir()

    used, names = counted.disk()
    (tmp_path / "files" / "c").write_bytes(b"x" * 100_000)

    assert 100_000 <= used[0] < 150_000
    assert (used[1], names) == (10 * MIB, (2, 50))
    assert counted.disk() == (used, names)


@pytest.mark.parametrize(
    ("limit", "total", "files", "left", "used"),
    [
        (96, 99, 1, 95, 1),  # as it was made
        (160, 247, 1, 161, 1),  # it grew for its inodes, and the space beyond the limit is reserved
        (160, 247, 60, 100, 60),
        (96, 1024, 700, 0, 700),  # the limit was lowered below the usage
        (96, 99, 95, 0, 96),  # the kernel has the last blocks for itself
        (0, 100, 10, 80, 10),  # no limit is set
    ],
)
def test_what_a_file_system_keeps_back_is_neither_used_nor_room(
    limit: int, total: int, files: int, left: int, used: int
) -> None:
    blocks = (MIB, MIB, total, total - files, left, 4000, 3900, 3900, 0, 255)

    disk, names = file_system_use(os.statvfs_result(blocks), Allowance(disk_mib=limit, inodes=1000))

    assert disk == (used * MIB, (limit or files + left) * MIB)
    assert names == (100, 1000)


def test_a_quota_is_asked_of_its_file_system(tmp_path: Path) -> None:
    used, names = meters(tmp_path, Allowance(disk="ext4")).disk()

    assert 0 < used[0] <= used[1]
    assert names[0] <= names[1]


def test_where_nobody_set_limits_there_are_none(tmp_path: Path) -> None:
    usage = meters(tmp_path, Allowance.from_environment({})).usage()

    assert (usage["disk"]["limit"], usage["inodes"]["limit"], usage["tmp"]["limit"]) == (0, 0, 0)
    assert usage["memory"] == {"used": 4_000_000, "limit": 67_108_864}


def test_hard_links_count_once_and_links_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 50_000)
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "up").symlink_to("..")
    tree = Tree(str(tmp_path))

    used, names = count(tree.root_fd, MemoryPool().budget())

    assert 50_000 <= used < 100_000
    assert names == 4


def test_limits_come_from_the_containers_environment() -> None:
    told = '{"memory_mib": 512, "open_files": 100, "wall_seconds": 60, "of_the_future": 1}'

    allowance = Allowance.from_environment({"SANDBOX_LIMITS": told, "SANDBOX_DISK": "btrfs"})

    assert (allowance.memory_mib, allowance.open_files, allowance.disk) == (512, 100, "btrfs")
    assert (allowance.capped("wall_seconds", 5), allowance.capped("wall_seconds", 500)) == (5, 60)
    assert Allowance.from_environment({}).capped("wall_seconds", 500) == 500


@pytest.mark.parametrize("kind", MESSAGES)
def test_every_kind_has_a_sentence_with_its_number(kind: str) -> None:
    met = hit(kind, 1234, "call_1")

    assert "1,234" in met.message
    assert met.message.endswith(".")
    assert (met.kind, met.call_id) == (kind, "call_1")
