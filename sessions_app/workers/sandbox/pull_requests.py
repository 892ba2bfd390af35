"""The access of the tool `pull_request` to the pull request of its session."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, TypeVar

from asgiref.sync import sync_to_async

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import SiteError
from sandbox.ports import Runtime
from sessions_app.models import PermissionRequest, PullRequest, ToolCall
from sessions_app.repositories.drafts.actions import draft_question
from sessions_app.repositories.drafts.asking import draft_from
from sessions_app.repositories.drafts.text import Material
from sessions_app.repositories.forges.port import PullRequestText
from sessions_app.repositories.pulls.actions import open_question, owner_of, plan_question, store_opened
from sessions_app.repositories.queries import ask_forge
from sessions_app.workers.sandbox.draft_material import read_material
from tools_app.pull_requests import DraftedText, OpenedPullRequest, PlannedPullRequest
from tools_app.spec import ToolError
from tools_app.text import first_line

MAX_TITLE_CHARACTERS: Final = 250
PUSH_FIRST: Final = "Commit your changes and push the branch with `git push`, then call this again."
T = TypeVar("T")


class SessionPullRequests:
    """The pull requests of a session. Implements `tools_app.pull_requests.PullRequests`. The door asks the forge, so
    this process never has a credential. Methods run on the background loop, queries in threads."""

    def __init__(self, call: ToolCall, runtime: Runtime) -> None:
        self._call = call
        self._runtime = runtime
        self._planned: list[PlannedPullRequest] = []
        self._drafted: list[DraftedText] = []

    async def plan(self) -> PlannedPullRequest:
        if not self._planned:
            self._planned.append(await _told(self._plan))
        return self._planned[0]

    async def draft(self) -> DraftedText:
        if not self._drafted:
            number = (await self.plan()).number
            known = await _thread(lambda: self._approved() or self._stored(number))
            self._drafted.append(known or await _told(self._draft))
        return self._drafted[0]

    async def open(self, *, title: str, body: str, draft: bool) -> OpenedPullRequest:
        text = PullRequestText(first_line(" ".join(title.split()), MAX_TITLE_CHARACTERS), body, draft)
        return await _told(partial(self._open, text))

    async def _plan(self) -> PlannedPullRequest:
        question = await _thread(lambda: plan_question(owner_of(self._call.session)))
        found = await ask_forge(question)
        number = (found["existing"] or {}).get("number", 0)
        return PlannedPullRequest(question.repository, question.head, found["base"], found["commit"], number)

    def _approved(self) -> DraftedText | None:
        """Return the pull request text that was shown in the permission request by which people allowed this call; None
        if there is no such text."""
        yes = (PermissionRequest.State.ONCE, PermissionRequest.State.ALWAYS)
        for row in PermissionRequest.objects.filter(call=self._call, state__in=yes).order_by("-id"):
            for need in row.needs:
                if shown := need.get("metadata", {}).get("pull_request"):
                    return DraftedText(shown["title"], shown["body"])
        return None

    def _stored(self, number: int) -> DraftedText | None:
        """Return the stored text of the session's pull request with this number, or None."""
        row = PullRequest.objects.filter(session=owner_of(self._call.session), number=number).first()
        return DraftedText(row.title, row.body) if row else None

    async def _draft(self) -> DraftedText:
        session, turn = self._call.session, self._call.turn
        question = await _thread(lambda: draft_question(session, "pull_request"))
        material = Material.model_validate(await read_material(self._runtime, question))
        found = await draft_from(session, material, payer_id=turn.payer_id or turn.started_by_id)
        return DraftedText(found.title, found.body, found.problem)

    async def _open(self, text: PullRequestText) -> OpenedPullRequest:
        planned = await self.plan()
        question = await _thread(lambda: open_question(owner_of(self._call.session), text, base=planned.base))
        answer = await ask_forge(question)

        def store() -> PullRequest:
            call = self._call
            owner, actor = owner_of(call.session), call.turn.started_by
            return store_opened(actor=actor, session=owner, question=question, answer=answer, call=call.public_id)

        row = await _thread(store)
        return OpenedPullRequest(row.number, row.url, row.title, row.state, row.draft, row.base, answer["is_new"])


async def _told(work: Callable[[], Awaitable[T]]) -> T:
    """Await `work()` and return its result. A SiteError becomes a ToolError with the same message, which the model
    reads."""
    try:
        return await work()
    except SiteError as error:
        hint = PUSH_FIRST if error.code == ErrorCode.BRANCH_NOT_PUSHED else error.hint
        raise ToolError(f"{error.message} {hint}".strip()) from error


async def _thread(function: Callable[[], Any]) -> Any:
    return await sync_to_async(function, thread_sensitive=False)()
