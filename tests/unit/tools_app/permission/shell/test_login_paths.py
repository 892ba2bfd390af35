"""Machines in front of paths, for which rules about `ssh` hold."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    ("command", "machine"),
    [
        ("tar -cf a@b:x.tar src", "a@b"), ("tar czf b:x.tgz src", "b"), ("tar --file=b:/x.tar -c src", "b"),
        ("tar -c -f b:x.tar src", "b"), ("tar -cfb:x.tar src", "b"), ("tar cbf 20 b:x.tar src", "b"),
        ("gtar -xvf b:x.tar", "b"), ("cpio -oO b:x.cpio", "b"), ("cpio -o -Fb:x.cpio", "b"),
        ("mt -f b:/dev/st0 status", "b"), ("mt-gnu -f b:/dev/st0 status", "b"), ("tar -g b:snap -cf x.tar src", "b"),
        ("bsdtar -cf b:x src", "b"), ("pax -wf b:x src", "b"), ("dump -0f b:/x /", "b"), ("dump 0uf b:/x /", "b"),
        ("restore -tf b:/x", "b"), ("afio -o b:x", "b"), ("cpio -0oF a@b:x", "a@b"), ("buffer -o b:x", "b"),
        ("xpra start ssh:a@b --start=xterm", "a@b"), ("xpra attach ssh://b/1", "b"), ("xpra shadow ssh/b", "b"),
        ("borg create a@b:r::x src", "a@b"), ("borg create b:r::x src", "b"), ("rdiff-backup src a@b::/r", "a@b"),
        ("mutagen sync create src b:/srv", "b"), ("syncoid tank/x a@b:tank/x", "a@b"),
    ],
)  # fmt: skip
def test_a_command_with_a_machine_in_front_of_a_path_is_also_a_login(command: str, machine: str) -> None:
    found = analyzed(command)
    assert f"ssh {machine}" in found.spellings
    assert not found.complete


@pytest.mark.parametrize(
    "command",
    [
        "tar czf x.tgz src", "tar cf x.tar a:b", "tar -xzf x.tgz a:b", "tar --force-local -cf a:b.tar src",
        "tar xf ./a:b.tar", "tar xf deep/a:b.tar", "tar -C deep -cf - src", "tar --exclude='*:x' -cf x.tar src",
        "borg create r::x src", "borg create /r::x src --exclude sh:*.pyc", "rdiff-backup src deep", "cpio -o > a:b",
        "mutagen sync create src docker://x/srv", "tar -tf x.tar f:a", "tar -cf x.tar --transform=s:a:b: src",
        "bsdtar -xf x.zip", "pax -rw src deep", "xpra start :100", "xpra attach tcp://localhost:10000",
        "afio -o x.afio",
    ],
)  # fmt: skip
def test_other_paths_are_no_logins(command: str) -> None:
    found = analyzed(command)
    assert not [each for each in found.spellings if each.startswith("ssh ")]
