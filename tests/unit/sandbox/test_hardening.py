import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.runner import hardening, kernel
from sandbox.runner.hardening import TooPowerful

PROBE = """
import socket, errno
from sandbox.runner import hardening, kernel
hardening.restrict_runner()
attempts = [(40, 1, 0), (38, 5, 0), (17, 3, 0), (16, 3, 12), (1, 1, 0), (2, 1, 0), (10, 2, 0), (16, 3, 0)]
for family, kind, protocol in attempts:
    try:
        socket.socket(family, kind, protocol)
        print("made")
    except OSError as error:
        print(errno.errorcode[error.errno])
"""


def test_the_filter_refuses_what_leads_out_and_nothing_else() -> None:
    answer = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True, timeout=20)

    assert answer.stdout.split() == ["EPERM"] * 4 + ["made"] * 4


def test_nobody_makes_a_disk_that_no_quota_counts(tmp_path: Path) -> None:
    """The kernel refuses to create btrfs subvolumes, which no quota would count, even in one's own directory; other
    requests of the same system call pass."""
    probe = """
import errno, fcntl, os, sys
from sandbox.runner import hardening, kernel
hardening.restrict_runner()
folder = os.open(sys.argv[1], os.O_RDONLY)
for control in (*kernel.REFUSED_IOCTLS, 0x50009402, 0x541B):
    try:
        fcntl.ioctl(folder, control, bytearray(4096))
        print("done")
    except OSError as error:
        print(errno.errorcode[error.errno])
"""
    command = [sys.executable, "-c", probe, str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.split()

    assert said[:4] == ["EPERM"] * 4
    assert "EPERM" not in said[4:]


@pytest.mark.parametrize("machine", kernel.TABLE)
def test_the_filter_is_whole_instructions_and_jumps_stay_inside(machine: str) -> None:
    program = hardening.filter_program(kernel.TABLE[machine])

    assert len(program) % 8 == 0
    assert program[-8:-4] == bytes([hardening.RETURN, 0, 0, 0])


def test_the_runner_refuses_to_be_the_root_of_a_host() -> None:
    with pytest.raises(TooPowerful):
        hardening.require_few_capabilities()


def test_the_kernel_opens_nothing_through_links(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc")
    folder = os.open(tmp_path, os.O_PATH)
    try:
        for path in ("link/passwd", "link", "../x", "/etc/passwd"):
            with pytest.raises(OSError, match=r"(symbolic links|cross-device)"):
                kernel.openat2(folder, path, os.O_RDONLY)
    finally:
        os.close(folder)
