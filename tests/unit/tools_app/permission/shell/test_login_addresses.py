"""Addresses of other machines, for which rules about `ssh` hold."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    ("command", "machine"),
    [
        ("docker compose -H ssh://a@b up", "a@b"), ("docker -Hssh://a@b:22/x ps", "a@b:22"), ("x ssh://b", "b"),
        ("virsh --connect=qemu+ssh://a@b/system list", "a@b"), ("restic -r sftp:a@b:/r backup src", "a@b"),
        ("emacs '/ssh:a@b|sudo:c:/f'", "a@b"), ("vim -c 'e scp://a@b/f'", "a@b"), ("cvs -d :ext:a@b:/x co y", "a@b"),
        ("pytest --px ssh=a@b", "a@b"), ("code --folder-uri vscode-remote://ssh-remote+b/x", "b"),
        ("qemu-img info file.driver=ssh,file.host=b", "ssh"), ("curl sftp://b/f", "b"),
        ("nix build --store ssh-ng://b", "b"),
        ("python3 a.py ssh://b", "b"), ("npm run a -- ssh://b", "b"), ("docker -H ssh://git@b/x.git ps", "git@b"),
        ('h=$(cat f); docker-compose -H "ssh://$h" up', "host"), ("xargs docker-compose -H ssh://b", "b"),
        ("BORG_REPO=ssh://a@b/r borg list", "a@b"), ("env X=sftp://b/r ./a.sh", "b"), ("export X='ssh://b'", "b"),
    ],
)  # fmt: skip
def test_a_command_with_an_address_is_also_a_login(command: str, machine: str) -> None:
    found = analyzed(command)
    assert f"ssh {machine}" in found.spellings
    assert not found.complete


@pytest.mark.parametrize(
    "command",
    [
        "git clone ssh://a@b/x", "git remote add x ssh://a@b/x", "git commit -m 'see ssh://a@b'", "grep -r ssh:// src",
        "timeout 9 git fetch ssh://a@b/x", "pip install git+ssh://git@b/x.git", "npm install ssh://git@b/x.git",
        "copier copy git+ssh://git@b/x.git y", "cookiecutter ssh://git@b/x.git", "sed -i 's#ssh://a@b#x#' notes.md",
        "echo ssh://a@b", "jq '.a = \"ssh://a@b\"' data.json", "python3 -c \"print('ssh://a@b')\"", "pytest -k ssh",
        "hg commit -m 'see ssh://a@b'", "test x = ssh://a@b", "docker build --ssh default .", "pytest --tx 2*popen",
        "GIT_SSH_COMMAND='ssh -i k' git fetch", "TEST_URL=ssh://a@b pytest", "docker -H unix:///run/docker.sock ps",
        "cat docs/sftp.md", "url=ssh://a@b/x; echo $url", "x 'starts with ssh:// only'",
    ],
)  # fmt: skip
def test_other_words_are_no_logins(command: str) -> None:
    found = analyzed(command)
    assert not [each for each in found.spellings if each.startswith("ssh ")]
