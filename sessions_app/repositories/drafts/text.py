"""The request for a draft, the parsing of the model's answer, and drafts without a model. Pure.

The content of the repository is not trusted. Each line of that content is quoted, and the request tells the model that
quoted lines are data.
"""

import re
from collections.abc import Iterable
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from sessions_app.repositories.pulls.opening import MAX_BODY_CHARS

What = Literal["commit", "pull_request"]

MAX_PATCH_CHARS: Final = 24_000  # of the diff
MAX_FILE_CHARS: Final = 6_000  # of one file's part of it
MAX_PATHS: Final = 100
MAX_LOG_CHARS: Final = 4_000
MAX_TEMPLATE_CHARS: Final = 8_000
MAX_TITLE_CHARS: Final = 250
_FILE: Final = re.compile(r"^(?=diff --(?:git|cc|combined) )", re.MULTILINE)
_FENCE: Final = re.compile(r"\A```\w*\n(.*?)\n?```\s*\Z", re.DOTALL)
_LABEL: Final = re.compile(r"(?i)\A(?:#+\s+|\*\*|(?:title|subject|first line):\s*)+")
COMMIT: Final = "Write the message of a commit with these changes."
PULL_REQUEST: Final = "Write the first line and the text of a pull request with these changes."


class ChangedFile(BaseModel):
    """A changed file with its numbers of added and deleted lines as git prints them: "-" for a binary file."""

    model_config = ConfigDict(frozen=True)

    path: str
    added: str
    deleted: str


class Material(BaseModel):
    """The material that a draft is based on. `log` has the subjects and texts of the commits, newest first; `withheld`
    are changed files that the rules do not let agents read, whose content is not in `patch`."""

    model_config = ConfigDict(frozen=True)

    what: What
    files: list[ChangedFile] = []
    withheld: list[str] = []
    log: list[str] = []
    template: str = ""
    patch: str = ""


class Draft(BaseModel):
    """A drafted title and body. `by_model` is true if a model wrote them; otherwise `problem` says why no model did."""

    model_config = ConfigDict(frozen=True)

    title: str
    body: str
    by_model: bool
    problem: str = ""


def draft_request(material: Material, *, session_title: str) -> str:
    """Return the prompt with which the agent `draft` writes a commit message or the text of a pull request."""
    shown = [f"{each.added} {each.deleted} {each.path}" for each in material.files[:MAX_PATHS]]
    if len(material.files) > MAX_PATHS:
        shown.append(f"and {len(material.files) - MAX_PATHS} more files")
    blocks = [COMMIT if material.what == "commit" else PULL_REQUEST]
    blocks += _block("They were made in a session with the title:", session_title)
    blocks += _block("The template of the repository, whose headings the text keeps:", material.template)
    blocks += _block("Its commits, newest first:", "\n".join(material.log)[:MAX_LOG_CHARS])
    blocks += _block("Added lines, deleted lines and path of each changed file:", "\n".join(shown))
    blocks += _block("Files whose content is not shown to you:", "\n".join(material.withheld[:MAX_PATHS]))
    blocks += _block("The diff, as far as there is room:", shortened(material.patch))
    return "\n\n".join(blocks)


def shortened(patch: str) -> str:
    """Return a patch cut to `MAX_FILE_CHARS` characters for each file, and to `MAX_PATCH_CHARS` characters in all."""
    parts = [_cut(part, MAX_FILE_CHARS) for part in _FILE.split(patch) if part]
    return _cut("".join(parts), MAX_PATCH_CHARS)


def read_answer(answer: str, material: Material) -> Draft | None:
    """Parse a model's answer into a draft. Returns None if the answer contains no draft."""
    text = answer.replace("\0", "").strip()
    fenced = _FENCE.match(text)
    first, _, rest = (fenced[1].strip() if fenced else text).partition("\n")
    title = " ".join(_LABEL.sub("", first).split()).strip("\"'`*#")[:MAX_TITLE_CHARS].strip()
    if not title:
        return None
    return Draft(title=title, body=rest.strip()[:MAX_BODY_CHARS] or material.template, by_model=True)


def plain_draft(material: Material, problem: str, *, session_title: str) -> Draft:
    """Return a draft without a model: from the template, the commits and the names of the files."""
    if material.what == "commit":
        title = " ".join(session_title.split()) or _title_of_files(material.files)
        return Draft(title=title[:MAX_TITLE_CHARS], body="", by_model=False, problem=problem)
    newest, _, rest = (material.log[0] if material.log else "").partition("\n")
    subjects = "\n".join(f"- {each.partition(chr(10))[0]}" for each in material.log)
    body = material.template or (rest.strip() if len(material.log) == 1 else subjects)
    title = " ".join((newest or session_title).split()) or _title_of_files(material.files)
    return Draft(title=title[:MAX_TITLE_CHARS], body=body[:MAX_BODY_CHARS], by_model=False, problem=problem)


def _title_of_files(files: list[ChangedFile]) -> str:
    return f"Change {files[0].path}" if len(files) == 1 else f"Change {len(files)} files"


def _block(heading: str, text: str) -> Iterable[str]:
    if text.strip():
        quoted = "\n".join(f"> {line}".rstrip() for line in text.replace("\0", "").splitlines())
        yield f"{heading}\n{quoted}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rpartition(chr(10))[0]}\n(more is left out)\n"
