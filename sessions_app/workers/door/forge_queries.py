"""Answer requests about forges: the door decrypts the credential, asks the forge, and sends back the answer."""

from collections.abc import Callable, Coroutine
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any, Final, TypeVar

import httpx
import structlog
from channels.layers import get_channel_layer
from django.conf import settings
from pydantic import ValidationError

from agentsite.base.background import background
from sessions_app.llm.guarded_http import GuardedTransport
from sessions_app.repositories.connections import find_connection, note_failure, note_host_key, note_success
from sessions_app.repositories.credentials import access_of
from sessions_app.repositories.forges.access import Access, AppTokens
from sessions_app.repositories.forges.client import ForgeClient, GitClient
from sessions_app.repositories.forges.git_clients import git_client
from sessions_app.repositories.forges.kinds import forge_of
from sessions_app.repositories.forges.port import Forge, ForgeError, PullRequestText
from sessions_app.repositories.forges.refs import read_refs
from sessions_app.repositories.models import Connection
from sessions_app.repositories.pulls import opening
from sessions_app.repositories.pulls.one_at_a_time import one_at_a_time
from sessions_app.repositories.questions import (
    FORGE_QUESTIONS,
    ForgeQuestion,
    PlanPullRequestQuestion,
    PullRequestQuestion,
    ReadPullRequestQuestion,
    RefsQuestion,
    RepositoriesQuestion,
    TestQuestion,
)
from tools_app.network.git.ssh_keys import fingerprint
from tools_app.web.rules import WebRules

Found = TypeVar("Found")
Asking = Coroutine[Any, Any, Found]

NO_LIST: Final = "This server has no list of repositories. Enter the address of one."

app_tokens: Final = AppTokens()
logger = structlog.get_logger(__name__)


def answer_query(question: dict[str, Any], reply_to: str) -> None:
    """Answer a request about a forge: send {"ok": {"found": answer}}, or {"ok": {problem, message, hint}}, on the
    private reply channel."""
    try:
        answer = {"found": found_for(FORGE_QUESTIONS.validate_python(question))}
    except ForgeError as error:
        answer = {"problem": error.problem, "message": error.message, "hint": error.hint}
    except ValidationError:
        answer = {"problem": "broken", "message": "This door is too old to answer this.", "hint": ""}
    background.run(get_channel_layer().send(reply_to, {"type": "forge.answer", "ok": answer}))


def found_for(question: ForgeQuestion) -> Any:
    """Return the forge's answer to a request. Raises ForgeError."""
    match question:
        case TestQuestion(connection=connection_id):
            return test_connection(find_connection(connection_id))
        case RepositoriesQuestion(connection=connection_id, search=search):
            found = find_connection(connection_id)
            return [asdict(each) for each in run(found, lambda forge: forge.repositories(search))]
        case RefsQuestion(connection=connection_id, clone_url=clone_url, search=search):
            connection = find_connection(connection_id) if connection_id else None
            return asdict(run_git(connection, clone_url, lambda client: read_refs(client, search)))
        case PullRequestQuestion():
            return asdict(_with_git(find_connection(question.connection), question, _open_alone(question)))
        case PlanPullRequestQuestion():
            return asdict(_with_git(find_connection(question.connection), question, opening.plan))
        case ReadPullRequestQuestion(repository=repository, number=number):
            found = find_connection(question.connection)
            return asdict(run(found, lambda forge: opening.read(forge, repository, number)))


def _open_alone(question: PullRequestQuestion) -> Callable[[Forge, GitClient, opening.Wanted], Asking[opening.Opened]]:
    """Return a function that calls `open_or_update` while no other process does so for the same branch."""

    async def work(forge: Forge, git: GitClient, wanted: opening.Wanted) -> opening.Opened:
        async with one_at_a_time(question.clone_url, question.head):
            return await opening.open_or_update(forge, git, wanted)

    return work


def _with_git(
    row: Connection,
    question: PullRequestQuestion | PlanPullRequestQuestion,
    work: Callable[[Forge, GitClient, opening.Wanted], Asking[Found]],
) -> Found:
    """Call `work` with the client of the forge, the client of the repository's git server, and the pull request to open
    or plan, and return the result. Raises ForgeError."""
    wanted = opening.Wanted(question.repository, question.head, question.bases, number=question.number)
    if isinstance(question, PullRequestQuestion):
        text = PullRequestText(question.title, question.body, question.draft)
        wanted = replace(wanted, text=text, link=question.link)

    def ask(forge: Forge) -> Asking[Found]:
        return work(forge, git_client(opened(row), question.clone_url, transport()), wanted)

    return run(row, ask)


def test_connection(row: Connection) -> dict[str, Any]:
    """Test a connection to a forge, store the result, and return it."""
    try:
        account = _account(row)
    except ForgeError as error:
        note_failure(row, error, tested=True)
        return {"ok": False, "message": error.message, "hint": error.hint}
    note_success(row, account)
    known = f"Connected. The host key of the server is {fingerprint(row.host_key)}." if row.host_key else ""
    message = f"Connected as {account}." if account else known or "The server answers."
    return {"ok": True, "message": message, "hint": ""}


def _account(row: Connection) -> str:
    access = opened(row)
    if access.ssh is not None:
        from sessions_app.repositories.forges.ssh import test_ssh

        found = background.run(test_ssh(access))
        note_host_key(row, found)
        return ""
    forge = forge_of(access, transport(), is_app=row.auth == Connection.Auth.APP)
    if forge is not None:
        return background.run(forge.account())
    client = ForgeClient(row.base_url, {}, transport())
    try:
        background.run(client.send("GET", "/"))
    except ForgeError as error:
        if error.problem == "address":  # any other answer shows that the server is there
            raise
    return row.username


def run(row: Connection, ask: Callable[[Forge], Asking[Found]]) -> Found:
    """Call `ask` with a forge client for the connection's credential, and return the result. Raises ForgeError."""

    def once() -> Asking[Found]:
        forge = forge_of(opened(row), transport(), is_app=row.auth == Connection.Auth.APP)
        if forge is None:
            raise ForgeError("refused", NO_LIST)
        return ask(forge)

    return _noted(row, once)


def run_git(row: Connection | None, clone_url: str, ask: Callable[[GitClient], Asking[Found]]) -> Found:
    """Call `ask` with a client of a git repository, with or without a connection, and return the result. Raises
    ForgeError."""
    if row is None:
        return background.run(ask(git_client(Access("git", clone_url), clone_url, transport())))
    return _noted(row, lambda: ask(git_client(opened(row), clone_url, transport())))


def _noted(row: Connection, once: Callable[[], Asking[Found]]) -> Found:
    """Send a request to a forge, return the forge's answer, and store whether the connection's credential works. If a
    token issued to an app is refused, try once more with a new token."""
    try:
        try:
            found = background.run(once())
        except ForgeError as error:
            if error.problem != "credential" or row.auth != Connection.Auth.APP:
                raise
            app_tokens.forget(access_of(row))
            found = background.run(once())
    except ForgeError as error:
        note_failure(row, error)
        raise
    note_success(row)
    return found


def opened(row: Connection) -> Access:
    """Return a connection's access to the forge, with an installation token if it signs in as a GitHub App. Raises
    ForgeError."""
    return background.run(app_tokens.opened(access_of(row), transport()))


@lru_cache(maxsize=1)
def transport() -> httpx.AsyncBaseTransport:
    """Return this process's HTTP transport to forges, which connects only to addresses of the public web and exempted
    hosts."""
    return GuardedTransport(lambda: WebRules.exempting(settings.NETWORK_ALLOW), settings.NETWORK_CERTIFICATES)
