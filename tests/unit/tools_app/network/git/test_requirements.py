"""Requirements that the commits of a push must meet."""

import pytest

from tools_app.network.git.requirements import Requirements, is_signed_by
from tools_app.network.git.signing import Signer
from tools_app.network.git.ssh_keys import load_key, new_key, ssh_signature

SIGNER = Signer("agent", "agent@example.org", load_key(new_key("x").private))
OTHER = Signer("agent", "agent@example.org", load_key(new_key("x").private))
HEAD = (
    "tree " + "a" * 40 + "\nparent " + "b" * 40 + "\nauthor Kim <kim@example.org> 1700000000 +0000"
    "\ncommitter agent <agent@example.org> 1700000000 +0000"
)  # fmt: skip
AGENT = "agent <agent@example.org>"
NAMING = f"{HEAD}\n\nMend it\n\nCo-Authored-By: {AGENT}\n".encode()
PLAIN = f"{HEAD}\n\nMend it\n\nSigned-off-by: Kim <kim@example.org>\n".encode()


def signed(payload: bytes, by: Signer = SIGNER) -> bytes:
    head, _, message = payload.partition(b"\n\n")
    signature = ssh_signature(by.key, payload).decode().strip().replace("\n", "\n ")
    return head + f"\ngpgsig {signature}\n\n".encode() + message


def test_a_signature_of_the_teams_key_about_this_commit_counts() -> None:
    assert is_signed_by(SIGNER, signed(PLAIN))
    assert not is_signed_by(SIGNER, PLAIN)
    assert not is_signed_by(SIGNER, signed(PLAIN, OTHER))
    assert not is_signed_by(SIGNER, signed(PLAIN).replace(b"Mend it", b"Break it"))
    someone = PLAIN.replace(b"committer agent <agent", b"committer Mallory <mallory")
    assert not is_signed_by(SIGNER, signed(someone))


@pytest.mark.parametrize(
    ("requirements", "commit", "missing"),
    [
        (Requirements(), b"", ""),
        (Requirements(SIGNER), PLAIN, "does not have the signature"),
        (Requirements(SIGNER), signed(PLAIN), ""),
        (Requirements(sign_off=True), PLAIN, ""),
        (Requirements(sign_off=True), PLAIN.replace(b"Signed-off", b"Looked-at"), "is not signed off"),
        (Requirements(co_author=AGENT), PLAIN, f'--trailer "Co-authored-by: {AGENT}"'),
        (Requirements(co_author=AGENT), NAMING, ""),
        (Requirements(co_author="bot <b@x>"), PLAIN, ""),
        (Requirements(co_author=AGENT), PLAIN.replace(b"author Kim <kim@", b"author agent <agent@"), ""),
        (Requirements(sign_off=True), f"{HEAD}\n\nSigned-off-by:\n".encode(), "is not signed off"),
    ],
)
def test_what_a_commit_lacks_is_said(requirements: Requirements, commit: bytes, missing: str) -> None:
    said = requirements.missing_in("c" * 40, commit)
    assert missing in said
    assert bool(said) == bool(missing)


def test_merges_need_no_sign_off() -> None:
    merge = PLAIN.replace(b"\nauthor", b"\nparent " + b"c" * 40 + b"\nauthor").replace(b"Signed-off-by", b"X")
    assert Requirements(sign_off=True).missing_in("c" * 40, merge) == ""
