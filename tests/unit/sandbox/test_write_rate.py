"""The write rate limit of a device: the files and values that set it."""

from pathlib import Path

from sandbox.disk import write_rate


def machine(root: Path) -> tuple[Path, Path]:
    groups, blocks = root / "cgroup", root / "block"
    (groups / "blkio").mkdir(parents=True)
    (groups / write_rate.THROTTLE).write_text("")
    (blocks / "loop7" / "bdi").mkdir(parents=True)
    (blocks / "loop7" / "dev").write_text("7:7\n")
    return groups, blocks


def test_a_device_is_bound_by_its_number_and_little_may_wait(tmp_path: Path) -> None:
    groups, blocks = machine(tmp_path)

    write_rate.set_write_rate("/dev/loop7", 1000, groups=groups, blocks=blocks)

    assert (groups / write_rate.THROTTLE).read_text() == "7:7 1000\n"
    assert (blocks / "loop7/bdi/strict_limit").read_text() == "1"
    assert (blocks / "loop7/bdi/max_bytes").read_text() == str(write_rate.MAX_DIRTY_BYTES)


def test_what_a_device_had_before_is_taken_back(tmp_path: Path) -> None:
    groups, blocks = machine(tmp_path)

    write_rate.set_write_rate("/dev/loop7", write_rate.UNLIMITED, groups=groups, blocks=blocks)

    assert (groups / write_rate.THROTTLE).read_text() == "7:7 0\n"
    assert (blocks / "loop7/bdi/strict_limit").read_text() == "0"


def test_a_machine_without_these_files_mounts_all_the_same(tmp_path: Path) -> None:
    write_rate.set_write_rate("/dev/loop7", 1000, groups=tmp_path, blocks=tmp_path)

    assert not list(tmp_path.iterdir())
