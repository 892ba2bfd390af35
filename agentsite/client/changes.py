"""The changes of a session: read, review, download and revert them."""

import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from agentsite.client import types
from agentsite.client.connection import Connection
from agentsite.client.paging import pages

REVERT_SECONDS: Final = 600.0
REVERT_INTERVAL: Final = 0.5  # seconds


class SessionChanges:
    """Methods of the client for a session's changes: diffs, review comments, approvals and reverts."""

    def __init__(self, connection: Connection, session_id: str) -> None:
        self._connection = connection
        self.id = session_id

    def view(self) -> types.SessionView:
        """Return the current state of the session."""
        return self._connection.get(types.SessionView, self._path())

    def diff(self, path: str = "", *, turn_id: str = "", commit: str = "") -> list[types.FileDiffView]:
        """Return the files changed by a turn, by a commit or, by default, in the workspace since the first tool call.

        If a patch is left out (`cut`), call this again with its `path` to get it.
        """
        found = self._connection.get(types.SessionDiff, self._path("diff"), path=path, turn=turn_id, commit=commit)
        return found.files

    def changed_lines(self, path: str, first: int, last: int) -> types.ChangedLinesView:
        """Return the lines `first` to `last` of a changed file, counted from 1, at most 2,000. Patches leave out lines
        that are far from a change."""
        return self._connection.get(types.ChangedLinesView, self._path("diff/lines"), path=path, first=first, last=last)

    def commits(self) -> list[types.CommittedView]:
        """Return the commits that were made in the workspace since the session began, the newest first."""
        return self._connection.get(types.SessionCommits, self._path("commits")).commits

    def review_comments(self) -> Iterator[types.ReviewCommentView]:
        """Yield the session's review comments, newest first, without the drafts of other people."""
        path = self._path("review-comments")
        return pages(lambda cursor: self._connection.get(types.ReviewCommentPage, path, cursor=cursor))

    def comment(self, path: str, text: str, **fields: Any) -> types.ReviewCommentView:
        """Write a draft of a review comment. `fields` are more fields of `types.NewReviewComment`: side, first_line,
        last_line, quote, version."""
        body = {"path": path, "text": text, **fields}
        return self._connection.send(types.ReviewCommentView, "POST", self._path("review-comments"), body)

    def send_review(self, introduction: str = "") -> types.ReviewSent:
        """Send your drafts of review comments, and all open review comments, to the agent as one prompt."""
        return self._connection.send(types.ReviewSent, "POST", self._path("review"), {"introduction": introduction})

    def approve(self, file: types.FileDiffView) -> types.FileApprovalView:
        """Approve a changed file in the version that `diff` returned."""
        body = {"path": file.path, "version": file.version}
        return self._connection.send(types.FileApprovalView, "PUT", self._path("file-approvals"), body)

    def patch(self, *, turn_id: str = "", commit: str = "") -> bytes:
        """Return a patch for `git apply` with the changes of a turn, of a commit or, by default, of the session.

        The changes of the session are all changes in the workspace since the session's first tool call.
        """
        return self._connection.download(self._path("patch"), turn=turn_id or None, commit=commit or None)

    def bundle(self) -> bytes:
        """Return the current commit and the uncommitted changes as the branch `agentsite/<session>` of a git bundle."""
        return self._connection.download(self._path("bundle"))

    def file_changes(self, *, turn_id: str = "", message_id: str = "") -> types.ChangedFiles:
        """Return the files that were changed by a turn, since a message or, by default, in the whole session."""
        return self._connection.get(
            types.ChangedFiles, self._path("file-changes"), turn_id=turn_id, message_id=message_id
        )

    def preview_revert(self, what: types.NewRevert) -> types.RevertPreview:
        """Return the effect that a revert would have on each file, and the changes that the revert would not cover."""
        return self._connection.send(types.RevertPreview, "POST", self._path("revert/preview"), what.model_dump())

    def revert(self, what: types.NewRevert) -> types.RevertView:
        """Take changes of the session back, and hide messages. If files are in conflict, the state of the result is
        `failed`, and the result names these files."""
        return self._until_ended(
            self._connection.send(types.RevertView, "POST", self._path("revert"), what.model_dump())
        )

    def unrevert(self, decisions: Sequence[types.RevertDecision] = ()) -> types.RevertView:
        """Undo the revert in force. Raises ApiError if no revert is in force."""
        revert = self.view().revert
        given = {"revert_id": revert.id if revert else "none", "decisions": [each.model_dump() for each in decisions]}
        return self._until_ended(self._connection.send(types.RevertView, "POST", self._path("unrevert"), given))

    def _until_ended(self, revert: types.RevertView) -> types.RevertView:
        """Wait until a revert has ended, for at most ten minutes, and return it."""
        deadline = time.monotonic() + REVERT_SECONDS
        while revert.state == "pending" and time.monotonic() < deadline:
            time.sleep(REVERT_INTERVAL)
            revert = self._connection.get(types.RevertView, self._path(f"reverts/{revert.id}"))
        return revert

    def _path(self, rest: str = "") -> str:
        return f"/sessions/{self.id}/{rest}".rstrip("/")
