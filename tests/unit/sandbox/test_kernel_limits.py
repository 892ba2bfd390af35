"""Limits that the kernel applies to all containers together."""

import os
from pathlib import Path

from sandbox.docker.kernel_limits import HOST_MINIMUMS, limit_container, raise_host_limits


def test_the_hosts_own_ceilings_are_only_ever_raised(tmp_path: Path) -> None:
    names = list(HOST_MINIMUMS)
    values = dict(zip(names, ["128", "9000000", "0"], strict=False))
    for name, value in values.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(value)

    raise_host_limits(tmp_path)

    assert [(tmp_path / name).read_text() for name in names[:3]] == [str(HOST_MINIMUMS[names[0]]), "9000000", "0"]


def test_the_hosts_own_user_namespace_gets_no_ceilings() -> None:
    assert not limit_container(os.getpid(), "")


def test_a_container_that_has_ended_is_no_error() -> None:
    assert not limit_container(0, "")
