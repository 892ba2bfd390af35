"""Only commits and tags are signed, in the same way as by ssh-keygen."""

import subprocess
from pathlib import Path

import pytest

from tools_app.network.git.signing import BURST, PER_SECOND, Allowance, NotSigned, Signer
from tools_app.network.git.ssh_keys import BadKey, fingerprint, load_key, new_key, ssh_signature

ID = "a" * 40
WHO = "Tea bot <bot@tea.example> 1700000000 +0100"
COMMIT = f"tree {ID}\nparent {ID}\nauthor Kim <kim@x> 1 +0000\ncommitter {WHO}\nencoding UTF-8\n\nMessage\n"
TAG = f"object {ID}\ntype commit\ntag v1\ntagger {WHO}\n\nFirst\n"


@pytest.fixture(scope="module")
def signer() -> Signer:
    return Signer("Tea bot", "bot@tea.example", load_key(new_key("x").private))


def test_ssh_keygen_accepts_the_key_its_fingerprint_and_the_signature(tmp_path: Path) -> None:
    key = new_key("agentsite-tea")
    (tmp_path / "key.pub").write_text(f"{key.public}\n")
    (tmp_path / "signers").write_text(f"bot@tea.example {key.public}\n")
    (tmp_path / "sig").write_bytes(ssh_signature(load_key(key.private), COMMIT.encode()))
    listed = subprocess.run(["ssh-keygen", "-lf", tmp_path / "key.pub"], capture_output=True, text=True, check=True)
    assert fingerprint(key.public) in listed.stdout
    verify = ["ssh-keygen", "-Y", "verify", "-n", "git", "-f", "signers", "-I", "bot@tea.example", "-s", "sig"]
    for payload, is_good in ((COMMIT, True), (f"{COMMIT}x", False)):
        done = subprocess.run(verify, cwd=tmp_path, input=payload.encode(), capture_output=True, check=False)
        assert (done.returncode == 0) is is_good


@pytest.mark.parametrize("text", ["", "-----BEGIN OPENSSH PRIVATE KEY-----\n", "x" * 100])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(BadKey):
        load_key(text)
    assert fingerprint(text) == ""


@pytest.mark.parametrize("payload", [COMMIT, TAG])
def test_commits_and_tags_of_the_agent_are_signed(payload: str, signer: Signer) -> None:
    assert signer.sign(payload.encode()).startswith(b"-----BEGIN SSH SIGNATURE-----\n")


@pytest.mark.parametrize(
    "payload",
    [
        "", "hello", f"certificate version 0.1\npusher {WHO}\n\n", COMMIT.replace("tree", "three"),
        f"\n{COMMIT}", COMMIT.replace("Message", "a\0b"), f"{COMMIT}{'x' * (1 << 20)}",
        COMMIT.replace("committer Tea bot", "committer Mallory"), COMMIT.replace("bot@", "kim@"),
        TAG.replace("tagger Tea", "tagger My"), COMMIT.replace(f"committer {WHO}\n", "") + f"committer {WHO}\n",
    ],
)  # fmt: skip
def test_everything_else_is_refused(payload: str, signer: Signer) -> None:
    with pytest.raises(NotSigned):
        signer.sign(payload.encode())


def test_signatures_are_limited() -> None:
    now = 0.0
    allowance = Allowance(lambda: now)
    for _ in range(BURST):
        allowance.take()
    with pytest.raises(NotSigned, match="Too many"):
        allowance.take()
    now = 1 / PER_SECOND
    allowance.take()
    with pytest.raises(NotSigned):
        allowance.take()
