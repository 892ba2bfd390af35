"""Requirements: the signature and the lines that the commits of a push must have according to the project's settings.
Pure.

Programs in a workspace can make commits without these: `git commit --no-gpg-sign` without a signature, and `git -c
core.hooksPath=x commit` without the lines that a hook adds.
"""

import re
from dataclasses import dataclass
from typing import Final

from tools_app.network.git.objects import parents_of
from tools_app.network.git.signing import NotSigned, Signer

UNSIGNED: Final = (
    "The commit {commit} does not have the signature that the settings of the project want. Sign it with "
    "`git rebase --exec 'git commit --amend --no-edit -S' <the commit before it>`."
)
NOT_SIGNED_OFF: Final = (
    "The commit {commit} is not signed off (`Signed-off-by:`), which the settings of the project want. Sign it off "
    "with `git rebase --signoff <the commit before it>`."
)
NOT_CO_AUTHORED: Final = (
    "The commit {commit} has no line `Co-authored-by:` for the agent that made it, which the settings of the project "
    "want. Add it with `git rebase --exec 'git commit --amend --no-edit --trailer \"Co-authored-by: {agent}\"' <the "
    "commit before it>`."
)
_SIGNATURE: Final = re.compile(rb"^gpgsig(?:-sha256)? (.*\n(?: .*\n)*)", re.MULTILINE)
_CO_AUTHOR: Final = re.compile(rb"^Co-authored-by: \S", re.MULTILINE | re.IGNORECASE)
_NAMED: Final = re.compile(rb"^(author|committer) (.*>) \d+ [+-]\d{4}$", re.MULTILINE)
_SIGN_OFF: Final = re.compile(rb"^Signed-off-by: \S", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Requirements:
    """The requirements for new commits. `signer` must have signed them; None if nobody must. With `sign_off`, new
    commits must be signed off. `co_author` is the agent that must be named in commits that it made for another author;
    "" if it need not be named."""

    signer: Signer | None = None
    sign_off: bool = False
    co_author: str = ""

    def __bool__(self) -> bool:
        return self.are_strict or bool(self.co_author)

    @property
    def are_strict(self) -> bool:
        """True if a push is refused when its commits cannot be read and so cannot be checked."""
        return self.signer is not None or self.sign_off

    def missing_in(self, object_id: str, commit: bytes) -> str:
        """Return the first requirement that a commit does not meet, as a sentence for people; "" if the commit meets
        all."""
        shown = object_id[:8]
        if self.signer is not None and not is_signed_by(self.signer, commit):
            return UNSIGNED.format(commit=shown)
        message = commit.partition(b"\n\n")[2]
        if self.sign_off and len(parents_of(commit)) < 2 and not _SIGN_OFF.search(message):
            return NOT_SIGNED_OFF.format(commit=shown)
        if self._lacks_co_author(commit, message):
            return NOT_CO_AUTHORED.format(commit=shown, agent=self.co_author)
        return ""

    def _lacks_co_author(self, commit: bytes, message: bytes) -> bool:
        if not self.co_author or len(parents_of(commit)) > 1 or _CO_AUTHOR.search(message):
            return False
        named = {name: who.decode("utf-8", "replace") for name, who in _NAMED.findall(commit.partition(b"\n\n")[0])}
        return named.get(b"committer") == self.co_author != named.get(b"author")


def is_signed_by(signer: Signer, commit: bytes) -> bool:
    """Return whether a commit has the signer's signature. Signing is deterministic, so the commit is signed again
    and the two signatures are compared."""
    head, separator, message = commit.partition(b"\n\n")
    found = _SIGNATURE.search(head + b"\n")
    if found is None:
        return False
    without = _SIGNATURE.sub(b"", head + b"\n", count=1)
    payload = without.removesuffix(b"\n") + separator + message
    try:
        expected = signer.sign(payload)
    except NotSigned:
        return False
    return [line.strip() for line in found[1].splitlines()] == expected.split(b"\n")[:-1]
