"""One session: send prompts, follow its events, answer requests, and read the changes."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from agentsite.client import types
from agentsite.client.answers import Answered, PermissionAnswer, QuestionAnswer
from agentsite.client.changes import SessionChanges
from agentsite.client.errors import ApiError, TurnNotCompleted
from agentsite.client.events import Event, TooOld, follow
from agentsite.client.paging import pages

END_STATES: Final = frozenset({"completed", "aborted", "failed"})
OPEN: Final = "open"
SETTLED_CODES: Final = frozenset({"already_settled", "already_approved"})

Files = Literal["now", "then"]
OnPermission = Callable[[types.PermissionRequestView], PermissionAnswer | None]
OnQuestion = Callable[[types.QuestionView], QuestionAnswer | None]
OnEvent = Callable[[Event], None]


@dataclass(slots=True)
class TurnResult:
    """The result of a completed turn.

    `turn` is its last state, `text` the last text of the agent, and `calls` its tool calls by id. `output` is the
    structured output, if the prompt had an `output_schema`.
    """

    turn: types.TurnView
    text: str = ""
    calls: dict[str, types.ToolCallView] = field(default_factory=dict)

    @property
    def output(self) -> dict[str, Any] | None:
        return self.turn.output


class Session(SessionChanges):
    """One session of a site.

    The id is the only state: another process can continue the session with `Client.session(id)`.
    """

    def snapshot(self, *, limit: int | None = None) -> types.SnapshotView:
        """Return the conversation with its `seq`, which is the cursor for `follow`. With `limit`, the conversation has
        at most that many of the newest messages."""
        return self._connection.get(types.SnapshotView, self._path("snapshot"), limit=limit)

    def conversation(self) -> Iterator[types.ConversationView]:
        """Yield the pages of the conversation, the newest page first."""
        before: str | None = None
        while True:
            page = self._connection.get(types.ConversationView, self._path("conversation"), before=before)
            yield page
            before = page.older
            if before is None:
                return

    def retry(
        self, turn_id: str, *, files: Files = "now", decisions: Sequence[types.RevertDecision] = ()
    ) -> types.TurnView:
        """Answer the prompt of a turn again. The old answer is kept as an alternative. If `files` is "then", the
        changes since the prompt are reverted first. Raises ApiError `revert_conflict` if a person has to decide about a
        file."""
        body = {"files": files, "decisions": [each.model_dump() for each in decisions]}
        return self._connection.send(types.TurnView, "POST", f"/turns/{turn_id}/retry", body)

    def choose(self, turn_id: str) -> types.AlternativesView:
        """Choose this turn among the answers to the same prompt; people and models continue from it. The files are not
        changed; to restore the files of the chosen answer as well, use `revert` with `answer_id`."""
        return self._connection.send(types.AlternativesView, "POST", f"/turns/{turn_id}/choose")

    def edit(
        self,
        message_id: str,
        text: str,
        *,
        where: Literal["here", "fork"] = "here",
        files: Files = "now",
        decisions: Sequence[types.RevertDecision] = (),
    ) -> types.EditedPromptTaken:
        """Send a prompt again with another text: in this session as an alternative, or in a fork. `files` has the same
        meaning as in `retry`."""
        body = {
            "text": text, "where": where, "files": files, "decisions": [each.model_dump() for each in decisions],
        }  # fmt: skip
        return self._connection.send(types.EditedPromptTaken, "POST", f"/messages/{message_id}/edit", body)

    def fork(self, message_id: str = "", *, files: Files | None = None, same_workspace: bool = False) -> types.ForkView:
        """Create a session with a copy of the conversation up to a message. The fork gets the files that the workspace
        had at that message or, with `files` "now", the newest files."""
        body = {
            "message_id": message_id or None, "files": files, "workspace": "same" if same_workspace else "copy",
        }  # fmt: skip
        return self._connection.send(types.ForkView, "POST", self._path("fork"), body)

    def attempt(self, text: str, *, models: Sequence[str] = ("", ""), test_command: str = "") -> types.ComparisonView:
        """Send a prompt to several forks of the session, one for each model in `models` ("" is the session's own
        model)."""
        body = {"text": text, "models": list(models), "test_command": test_command}
        return self._connection.send(types.ComparisonView, "POST", self._path("comparisons"), body)

    def comparison(self, comparison_id: str) -> types.ComparisonView:
        """Return a comparison: the state, cost and test outcome of each attempt."""
        return self._connection.get(types.ComparisonView, f"/comparisons/{comparison_id}")

    def keep(self, comparison_id: str, session_id: str) -> types.ComparisonView:
        """Keep one of several attempts. The sessions of the other attempts are archived, and their workspaces are
        deleted after the grace period."""
        body = {"session_id": session_id}
        return self._connection.send(types.ComparisonView, "POST", f"/comparisons/{comparison_id}/keep", body)

    def context(self) -> types.ContextView:
        """Return the contents of the session's context window, with the tokens of each part."""
        return self._connection.get(types.ContextView, self._path("context"))

    def system_prompt(self, message_id: str) -> types.SystemPromptView:
        """Return the system prompt of the answer with this message id, exactly as it was sent to the model."""
        return self._connection.get(types.SystemPromptView, f"/messages/{message_id}/system-prompt")

    def prompt(self, text: str, **options: Any) -> types.TurnView:
        """Send a prompt without waiting for the turn.

        `options` are additional fields of a prompt: agent, attachments, wait_for_answers, output_schema.
        """
        body = {"text": text, **options}
        return self._connection.send(types.PromptTaken, "POST", self._path("prompts"), body).turn

    def run(
        self,
        text: str,
        *,
        on_permission: OnPermission | None = None,
        on_question: OnQuestion | None = None,
        on_event: OnEvent | None = None,
        timeout: float | None = None,
        **options: Any,
    ) -> TurnResult:
        """Send a prompt and wait until its turn ends. Raises TurnNotCompleted if the turn failed or was aborted.

        Permission requests and questions of the session and its sub-agents are passed to the callbacks. If a callback
        is missing or returns None, the request waits for a person. Raises TimeoutError after `timeout` seconds; the
        turn continues on the site.
        """
        seq = self.view().last_seq
        turn = self.prompt(text, **options)
        watch = _Watch(self, turn, on_permission, on_question, on_event)
        return watch.until_it_ends(seq, None if timeout is None else time.monotonic() + timeout)

    def follow(self, after: int) -> Iterator[Event | None]:
        """Yield the events after a cursor; see `agentsite.client.events.follow`."""
        return follow(self._connection, self.id, after)

    def attach(self, path: Path) -> types.AttachmentView:
        """Upload a file for a prompt. Pass the `id` of the result in `attachments` of a prompt."""
        return self._connection.upload(types.AttachmentView, self._path("attachments"), path.name, path.read_bytes())

    def abort(self) -> None:
        """Abort the session's running turn."""
        self._connection.send(types.SessionView, "POST", self._path("abort"))

    def pull_request(self) -> types.PullRequestState:
        """Return the site's stored state of the session's pull request, and whether a pull request can be opened."""
        return self._connection.get(types.PullRequestState, self._path("pull-request"))

    def open_pull_request(self, title: str, body: str = "", *, draft: bool = False) -> types.PullRequestState:
        """Open a pull request from the session's branch, or update the open pull request. The branch must be pushed."""
        given = {"title": title, "body": body, "draft": draft}
        return self._connection.send(types.PullRequestState, "POST", self._path("pull-request"), given)

    def git_state(self) -> types.GitState:
        """Return the uncommitted and unpushed changes in the session's workspace."""
        return self._connection.get(types.GitState, self._path("git"))

    def commit(self, message: str) -> types.GitState:
        """Commit all uncommitted changes in the session's workspace. The owner of the API token is the author, unless
        the commit settings make the agent the author."""
        return self._connection.send(types.GitState, "POST", self._path("git/commit"), {"message": message})

    def draft(self, what: Literal["commit", "pull_request"]) -> types.DraftView:
        """Let the small model draft a commit message, or the title and text of a pull request."""
        return self._connection.send(types.DraftView, "POST", self._path("git/draft"), {"what": what})

    def push(self, *, workflows: bool = False) -> types.GitState:
        """Push the newest commit to the session's branch. With `workflows`, push it even if it changes files for a CI
        service."""
        given = {"commit": self.git_state().head, "workflows": workflows}
        return self._connection.send(types.GitState, "POST", self._path("git/push"), given)

    def update_branch(self, how: Literal["fetch", "rebase", "merge", "abort"]) -> types.GitState:
        """Fetch the branch that the session started from, and rebase the session's branch onto it or merge it into the
        session's branch; or abort a rebase or merge that has conflicts."""
        return self._connection.send(types.GitState, "POST", self._path("git/update"), {"how": how})

    def resolve_conflicts(self) -> types.PromptTaken:
        """Start a turn that resolves the conflicts of a rebase or a merge."""
        return self._connection.send(types.PromptTaken, "POST", self._path("git/resolve"), {})

    def session_from_branch(self, title: str = "") -> "Session":
        """Create a session in a new workspace that starts from the branch that this session has pushed."""
        made = self._connection.send(types.SessionView, "POST", self._path("git/session"), {"title": title})
        return Session(self._connection, made.id)

    def refresh_pull_request(self) -> types.PullRequestState:
        """Ask the forge for the state, the checks and the comments of the pull request."""
        return self._connection.send(types.PullRequestState, "POST", self._path("pull-request/refresh"), {})

    def fix_pull_request(self, *, check: str = "", comment: str = "") -> types.PromptTaken:
        """Start a turn that fixes a failed check or deals with a comment of the pull request, given by its id."""
        given = {"check": check, "comment": comment}
        return self._connection.send(types.PromptTaken, "POST", self._path("pull-request/fix"), given)

    def children(self) -> "list[Session]":
        """Return the sessions of this session's sub-agents, newest first."""
        path = self._path("children")
        found = pages(lambda cursor: self._connection.get(types.SessionPage, path, cursor=cursor, limit=100))
        return [Session(self._connection, item.id) for item in found]

    def request(self, request_id: str) -> types.PermissionRequestView:
        return self._connection.get(types.PermissionRequestView, f"/permission-requests/{request_id}")

    def question(self, question_id: str) -> types.QuestionView:
        return self._connection.get(types.QuestionView, f"/questions/{question_id}")

    def open_questions(self) -> Sequence[types.QuestionView]:
        """Return the open questions of all sessions that the API token can access, oldest first."""
        found = pages(lambda cursor: self._connection.get(types.WaitingQuestions, "/questions", cursor=cursor))
        return [types.QuestionView.model_validate(item.model_dump()) for item in found]

    def reply(self, request_id: str, answer: PermissionAnswer) -> types.PermissionRequestView:
        """Answer a permission request."""
        path = f"/permission-requests/{request_id}/reply"
        return self._connection.send(types.PermissionRequestView, "POST", path, answer.body())

    def answer(self, question_id: str, answer: QuestionAnswer) -> types.QuestionView:
        """Answer or dismiss a question."""
        if isinstance(answer, Answered):
            body = {"answers": [list(chosen) for chosen in answer.answers]}
            return self._connection.send(types.QuestionView, "POST", f"/questions/{question_id}/reply", body)
        return self._connection.send(types.QuestionView, "POST", f"/questions/{question_id}/reject")

    def delete(self) -> None:
        """Delete the session."""
        self._connection.delete(self._path())


class _Watch:
    """The observation of one turn until it ends, with the callbacks for its events, requests and questions."""

    def __init__(
        self,
        session: Session,
        turn: types.TurnView,
        on_permission: OnPermission | None,
        on_question: OnQuestion | None,
        on_event: OnEvent | None,
    ) -> None:
        self._session = session
        self._result = TurnResult(turn)
        self._on_permission = on_permission
        self._on_question = on_question
        self._on_event = on_event
        self._handled_ids: set[str] = set()
        self._answers: set[str] = set()
        self._texts: dict[str, str] = {}

    def until_it_ends(self, seq: int, deadline: float | None) -> TurnResult:
        while True:
            try:
                for event in self._session.follow(seq):
                    self._handle(event)
                    if self._result.turn.state in END_STATES:
                        return self._ended()
                    if deadline is not None and time.monotonic() > deadline:
                        raise TimeoutError("The turn has not ended in time; it continues on the site.")
            except TooOld:
                seq = self._reload()

    def _ended(self) -> TurnResult:
        if self._result.turn.state != "completed":
            raise TurnNotCompleted(self._result.turn)
        texts = [text for message_id, text in self._texts.items() if message_id in self._answers]
        self._result.text = texts[-1] if texts else ""
        return self._result

    def _handle(self, event: Event | None) -> None:
        if event is None:
            return
        if self._on_event:
            self._on_event(event)
        self._keep(event.view)

    def _keep(self, view: object) -> None:
        match view:
            case types.TurnView() if view.id == self._result.turn.id:
                self._result.turn = view
            case types.MessageView() if view.turn_id == self._result.turn.id and view.role == "assistant":
                self._answers.add(view.id)
            case types.PartView() if view.type == "text":
                self._texts[view.message_id] = view.text
            case types.ToolCallView() if view.turn_id == self._result.turn.id:
                self._result.calls[view.id] = view
                self._handle_sub_agents(view)
            case types.PermissionRequestView():
                self._decide(view)
            case types.QuestionView():
                self._answer(view)

    def _decide(self, request: types.PermissionRequestView) -> None:
        if self._on_permission is None or request.state != OPEN or request.id in self._handled_ids:
            return
        self._handled_ids.add(request.id)
        answer = self._on_permission(request)
        if answer is not None:
            _unless_settled(lambda: self._session.reply(request.id, answer))

    def _answer(self, question: types.QuestionView) -> None:
        if self._on_question is None or question.state != OPEN or question.id in self._handled_ids:
            return
        self._handled_ids.add(question.id)
        answer = self._on_question(question)
        if answer is not None:
            _unless_settled(lambda: self._session.answer(question.id, answer))

    def _handle_sub_agents(self, call: types.ToolCallView) -> None:
        """Pass on the permission requests and questions of sub-agents at any depth to the callbacks. The metadata of
        the tool call of a sub-agent lists them."""
        for waiting in call.metadata.get("waiting") or ():
            if waiting["kind"] == "permission" and self._on_permission:
                self._decide(self._session.request(waiting["id"]))
            elif waiting["kind"] == "question" and self._on_question:
                self._answer(self._session.question(waiting["id"]))

    def _reload(self) -> int:
        snapshot = self._session.snapshot()
        conversation: tuple[Sequence[object], ...] = (snapshot.messages, snapshot.parts, snapshot.calls, snapshot.turns)
        for views in (*conversation, snapshot.permission_requests, snapshot.questions):
            for view in views:
                self._keep(view)
        return snapshot.seq


def _unless_settled(act: Callable[[], object]) -> None:
    """Call `act`, which answers a request, and ignore the error if somebody else has answered the request first."""
    try:
        act()
    except ApiError as error:
        if error.code not in SETTLED_CODES:
            raise
