"""An option that takes a date may take the date of a file instead."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed, touched


@pytest.mark.parametrize(
    "command",
    [
        "tar cf a.tar -N /etc/passwd src",
        "tar cf a.tar -N/etc/passwd src",
        "tar cNf /etc/passwd a.tar src",
        "tar cf a.tar --newer-m=/etc/passwd src",
        "tar cf a.tar --after-date /etc/passwd src",
        "tar -cf a.tar --mtime=/etc/passwd src",
        "curl -z /etc/passwd http://localhost",
        "curl --time-cond /etc/passwd http://localhost",
    ],
)
def test_a_date_that_is_a_file_is_read(command: str) -> None:
    assert "/etc/passwd" in touched(command, "read")


@pytest.mark.parametrize("date", ["2024-01-01", "yesterday", "@1700000000", "'2 days ago'"])
def test_a_date_of_tar_is_no_file(date: str) -> None:
    found = analyzed(f"tar cf a.tar --newer-mtime={date} src")
    assert found.complete
    assert {use.path for use in found.paths if use.mode == "read"} == {"/workspace/src"}


def test_a_date_that_is_not_known_may_be_a_file() -> None:
    assert not analyzed('tar cf a.tar -N "$(cat f)" src').complete
