"""Open, update and read pull requests at a forge. Without Django, because the door runs this module."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sessions_app.repositories.forges.client import GitClient
from sessions_app.repositories.forges.port import (
    CheckInfo,
    CommentInfo,
    Forge,
    ForgeError,
    PullRequestInfo,
    PullRequestText,
    RefInfo,
)
from sessions_app.repositories.forges.refs import read_refs

MAX_CHECKS: Final = 50
MAX_COMMENTS: Final = 100
MAX_COMMENT_CHARS: Final = 4_000
MAX_CHECK_CHARS: Final = 4_000  # of the end of a check's log
MAX_BODY_CHARS: Final = 60_000  # GitHub accepts 65,536
NO_TEXT: Final = PullRequestText("", "")
TEMPLATES: Final = (
    ".github/pull_request_template.md",
    ".github/PULL_REQUEST_TEMPLATE.md",
    ".gitea/pull_request_template.md",
    ".gitlab/merge_request_templates/Default.md",
)
"""Paths at which repositories keep the template of pull requests."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The pull request to open: from the branch `head` into the first of `bases` that exists as a branch, or into the
    default branch.

    `number` is the number of the pull request that the site knows, or 0. `link` is added below the body.
    """

    repository: str
    head: str
    bases: Sequence[str]
    text: PullRequestText = NO_TEXT
    link: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class Opened:
    """A pull request with its checks and comments. `is_new` is true if it was opened just now. `body` is the text of
    the pull request without the link that the site adds."""

    found: PullRequestInfo
    checks: Sequence[CheckInfo]
    body: str = ""
    is_new: bool = False
    comments: Sequence[CommentInfo] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """A preview of opening a pull request that merges `commit`, the newest commit of the head, into `base`. `existing`
    is the open pull request that would be updated. A new pull request would start with the text `template`."""

    base: str
    commit: str
    existing: PullRequestInfo | None = None
    template: str = ""


async def plan(forge: Forge, git: GitClient, wanted: Wanted) -> Plan:
    """Return the branch to merge into, the pushed commit, and the open pull request that `open_or_update` would update
    or the text with which a new one would start. Raises ForgeError."""
    head = await _branch(git, wanted.head)
    if head is None:
        raise ForgeError("unpushed", f"The branch {wanted.head} is not pushed yet.")
    open_one = await _open_one(forge, wanted)
    if open_one is not None:
        return Plan(open_one.base, head.commit, open_one)
    base = await _base(git, wanted)
    if head.commit == base.commit:
        raise ForgeError("unpushed", f"The branch {head.name} has no pushed commits that are not in {base.name}.")
    return Plan(base.name, head.commit, template=await _template(forge, wanted.repository, base.name))


async def open_or_update(forge: Forge, git: GitClient, wanted: Wanted) -> Opened:
    """Open the pull request of a branch, or update it if one is open. Calling it again is safe, because a branch has at
    most one open pull request at the forge. Raises ForgeError."""
    found_plan = await plan(forge, git, wanted)
    if found_plan.existing is not None:
        return await _update(forge, wanted, found_plan.existing)
    body = wanted.text.body or found_plan.template
    text = replace(wanted.text, body=_linked(body, wanted.link))
    try:
        found = await forge.open_pull_request(wanted.repository, head=wanted.head, base=found_plan.base, text=text)
    except ForgeError as error:
        raced = await forge.find_pull_request(wanted.repository, wanted.head) if error.problem == "refused" else None
        if raced is None:
            raise
        return await _update(forge, wanted, raced)
    return Opened(found, await _checks(forge, wanted.repository, found), body, is_new=True)


async def read(forge: Forge, repository: str, number: int) -> Opened:
    """Read the current state of a pull request from the forge. Raises ForgeError."""
    found = await forge.pull_request(repository, number)
    comments = await _comments(forge, repository, number)
    return Opened(found, await _checks(forge, repository, found), comments=comments)


async def _open_one(forge: Forge, wanted: Wanted) -> PullRequestInfo | None:
    if wanted.number:
        known = await forge.pull_request(wanted.repository, wanted.number)
        if known.state == "open" and known.head == wanted.head:
            return known
    return await forge.find_pull_request(wanted.repository, wanted.head)


async def _update(forge: Forge, wanted: Wanted, known: PullRequestInfo) -> Opened:
    text = replace(wanted.text, body=_linked(wanted.text.body, wanted.link))
    found = await forge.update_pull_request(wanted.repository, known.number, text)
    comments = await _comments(forge, wanted.repository, known.number)
    return Opened(found, await _checks(forge, wanted.repository, found), wanted.text.body, comments=comments)


async def _branch(git: GitClient, name: str) -> RefInfo | None:
    refs = await read_refs(git, name)
    return next((each for each in refs.found if each.kind == "branch" and each.name == name), None)


async def _base(git: GitClient, wanted: Wanted) -> RefInfo:
    names = [*filter(None, wanted.bases)]
    for name in names:
        if found := await _branch(git, name):
            return found
    default = (await read_refs(git, wanted.head)).default_branch
    found = await _branch(git, default) if default else None
    if found is None:
        raise ForgeError("refused", "The repository has no branch that this one could be merged into.")
    return found


async def _template(forge: Forge, repository: str, ref: str) -> str:
    """Return the repository's template for pull requests, "" if it has none."""
    for path in TEMPLATES:
        try:
            found = await forge.file(repository, path, ref)
        except ForgeError:
            return ""
        if found:
            return found.strip()
    return ""


async def _checks(forge: Forge, repository: str, found: PullRequestInfo) -> Sequence[CheckInfo]:
    """Return the checks of a pull request; an empty list if the credential may not read them."""
    try:
        checks = await forge.checks(repository, found)
    except ForgeError:
        return ()
    return [replace(each, text=each.text[-MAX_CHECK_CHARS:]) for each in checks[:MAX_CHECKS]]


async def _comments(forge: Forge, repository: str, number: int) -> Sequence[CommentInfo]:
    """Return the newest review comments of a pull request; an empty list if the credential may not read them."""
    try:
        comments = await forge.comments(repository, number)
    except ForgeError:
        return ()
    return [replace(each, body=each.body[:MAX_COMMENT_CHARS]) for each in comments[-MAX_COMMENTS:]]


def _linked(body: str, link: str) -> str:
    return "\n\n".join(filter(None, (body.strip()[:MAX_BODY_CHARS], link)))
