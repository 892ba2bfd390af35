"""Read the changes in a workspace for reviewers, with secrets masked."""

import base64
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any, Final

from asgiref.sync import sync_to_async

from sandbox.errors import NotFound
from sandbox.files import FileState, RecordedChange
from sandbox.ports import ReviewedFile, ReviewList, Runtime
from sessions_app.models import Workspace
from sessions_app.queries.questions import (
    CommitsQuestion,
    ReviewImageQuestion,
    ReviewLinesQuestion,
    ReviewQuestion,
)
from sessions_app.variables.given import masks_of
from tools_app.media import recognise
from tools_app.secret_paths import is_secret
from tools_app.text import clean_value

FILE_FIELDS: Final = tuple(field.name for field in fields(ReviewedFile))


async def read_review(
    workspace: Workspace,
    runtime: Runtime,
    question: ReviewQuestion | ReviewImageQuestion | ReviewLinesQuestion | CommitsQuestion,
) -> dict[str, Any] | list[Any] | None:
    """Return a `ReviewList` as JSON (empty if the requested file did not change), the requested picture, lines, or
    commits. Raises SandboxError."""
    if isinstance(question, ReviewImageQuestion):
        return await _read_image(workspace, runtime, question)
    if isinstance(question, ReviewLinesQuestion):
        return await _read_lines(workspace, runtime, question)
    masks = await sync_to_async(masks_of, thread_sensitive=False)(workspace.project)
    if isinstance(question, CommitsQuestion):
        return [masks.mask_value(clean_value(asdict(each))) for each in await runtime.commits(question.since)]
    review = await _review(runtime, question)
    found: dict[str, Any] = masks.mask_value(clean_value(_as_json(review)))
    return found


def _as_json(review: ReviewList) -> dict[str, Any]:
    """Return a review list as JSON values. `dataclasses.asdict` would copy the texts of all files, of which there may
    be a thousand."""
    files = [{name: getattr(file, name) for name in FILE_FIELDS} for file in review.files]
    return {"files": files, "folded": [asdict(folder) for folder in review.folded], "more_files": review.more_files}


async def _read_image(workspace: Workspace, runtime: Runtime, question: ReviewImageQuestion) -> dict[str, str] | None:
    """Return {media_type, content in base64} of a changed picture; None for other files, and for a picture that
    contains a secret. Raises SandboxError."""
    try:
        content = await runtime.reviewed_content(
            question.base,
            changes=recorded_changes(question.changes),
            commit=question.commit,
            path=question.path,
            old=question.old,
        )
    except NotFound:
        return None
    media = recognise(content)
    masks = await sync_to_async(masks_of, thread_sensitive=False)(workspace.project)
    text = content.decode("latin-1")
    if media is None or masks.mask(text) != text:
        return None
    return {"media_type": media.media_type, "content": base64.b64encode(content).decode("ascii")}


async def _read_lines(workspace: Workspace, runtime: Runtime, question: ReviewLinesQuestion) -> dict[str, Any] | None:
    """Return {first, lines, total number of lines} of a changed file. Returns None for a binary file, an unchanged
    file, a file that usually holds secrets, and a file with a secret of several lines: masking this secret would change
    the line numbers. Raises SandboxError."""
    if is_secret(question.path):
        return None
    try:
        changes = recorded_changes(question.changes)
        content = await runtime.reviewed_content(
            question.base, changes=changes, commit=question.commit, path=question.path, old=False
        )
    except NotFound:
        return None
    masks = await sync_to_async(masks_of, thread_sensitive=False)(workspace.project)
    text = content.decode("utf-8", "replace")
    lines = masks.mask(text).removesuffix("\n").split("\n") if text else []
    if b"\0" in content or len(lines) != len(text.removesuffix("\n").split("\n") if text else []):
        return None
    shown = lines[question.first - 1 : question.last]
    return {"first": question.first, "lines": clean_value(shown), "total": len(lines)}


def recorded_changes(changes: Sequence[Any] | None) -> list[RecordedChange] | None:
    """Convert the recorded changes in a query from JSON to `RecordedChange` objects."""
    return None if changes is None else [_recorded(*change) for change in changes]


async def _review(runtime: Runtime, question: ReviewQuestion) -> ReviewList:
    try:
        return await runtime.review(
            question.base,
            changes=recorded_changes(question.changes),
            commit=question.commit,
            path=question.path,
            under=question.under,
            ignore_space=question.ignore_space,
        )
    except NotFound:
        if question.path:
            return ReviewList(files=())
        raise


def _recorded(path: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> RecordedChange:
    return RecordedChange(path, _state(before), _state(after), shared=False)


def _state(state: dict[str, Any] | None) -> FileState | None:
    return None if state is None else FileState(**state)
