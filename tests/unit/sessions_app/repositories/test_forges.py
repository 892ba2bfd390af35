"""Requests and parsed responses of the forge clients, with a forge on this machine."""

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

from deploy.demo_forge import Account, Forge, ForgeRepository, PullRequest, forge
from sessions_app.llm.guarded_http import GuardedTransport
from sessions_app.repositories.forges.access import Access, AppTokens
from sessions_app.repositories.forges.git_clients import git_client
from sessions_app.repositories.forges.kinds import forge_of
from sessions_app.repositories.forges.port import Forge as ForgePort
from sessions_app.repositories.forges.port import ForgeError, PullRequestText
from sessions_app.repositories.forges.refs import read_refs
from tools_app.web.rules import WebRules

KINDS = ("github", "gitlab", "gitea", "bitbucket")


@pytest.fixture(autouse=True)
def _waits_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessions_app.repositories.forges.client.TIMEOUT_SECONDS", 120.0)


@pytest.fixture(scope="module")
def site() -> Iterator[Forge]:
    with forge() as running:
        yield running


@pytest.fixture(scope="module")
def kim(site: Forge) -> Account:
    return site.account("kim")


@pytest.fixture(scope="module")
def shop(site: Forge, kim: Account) -> ForgeRepository:
    made = site.repository("tea/shop", {"README.md": "# Tea\n"}, writers=[kim], default_branch="trunk")
    made.git("tag", "v1", "trunk")
    made.git("-c", "user.name=k", "-c", "user.email=k@k", "tag", "-a", "v2", "-m", "two", "trunk")
    return made


@pytest.fixture
def transport(site: Forge) -> GuardedTransport:
    return GuardedTransport(lambda: WebRules.exempting([site.place]))


def client(kind: str, site: Forge, account: Account, transport: httpx.AsyncBaseTransport) -> ForgePort:
    made = forge_of(Access(kind, site.url, token=account.token), transport)
    assert made is not None
    return made


@pytest.mark.parametrize("kind", KINDS)
async def test_a_credential_tells_its_account_and_repositories(
    kind: str, site: Forge, kim: Account, shop: ForgeRepository, transport: GuardedTransport
) -> None:
    asked = client(kind, site, kim, transport)
    assert await asked.account() == "kim"
    (found,) = await asked.repositories("SHO")
    assert (found.full_name, found.default_branch, found.private) == ("tea/shop", "trunk", True)
    assert found.clone_url == shop.clone_url
    assert await asked.repositories("nothing like it") == []
    assert (await asked.repository("tea/shop")).full_name == "tea/shop"
    assert await asked.file("tea/shop", "README.md", "trunk") == "# Tea\n"
    assert await asked.file("tea/shop", "none.md", "trunk") is None


@pytest.mark.parametrize("kind", KINDS)
async def test_a_pull_request_is_opened_found_updated_and_followed(
    kind: str, site: Forge, kim: Account, transport: GuardedTransport
) -> None:
    made = site.repository(f"tea/pulls-{kind}", {"a.txt": "a\n"}, writers=[kim])
    made.commit({"a.txt": "b\n"}, branch="agentsite/x")
    stranger = PullRequest(99, "Of a fork", "", "agentsite/x", "main", draft=False, author="lee", fork="lee/shop")
    made.pulls.append(stranger)
    asked = client(kind, site, kim, transport)
    assert await asked.find_pull_request(made.full_name, "agentsite/x") is None

    text = PullRequestText("Change a", "The body", draft=True)
    opened = await asked.open_pull_request(made.full_name, head="agentsite/x", base="main", text=text)
    assert (opened.state, opened.draft, opened.title) == ("open", True, "Change a")
    assert made.heads()["agentsite/x"].startswith(opened.commit or "?")
    with pytest.raises(ForgeError, match="already exists") as refused:
        await asked.open_pull_request(made.full_name, head="agentsite/x", base="main", text=text)
    assert refused.value.problem == "refused"

    await asked.update_pull_request(made.full_name, opened.number, PullRequestText("Change a twice", "More"))
    again = await asked.find_pull_request(made.full_name, "agentsite/x")
    assert again is not None
    assert (again.number, again.title, again.draft, made.pulls[-1].body) == (
        opened.number, "Change a twice", True, "More",
    )  # fmt: skip
    assert stranger.title == "Of a fork"

    made.add_check("agentsite/x", "lint", "success")
    made.add_check("agentsite/x", "tests", "failure", log="E  assert 1 == 2")
    checks = {check.name: check for check in await asked.checks(made.full_name, again)}
    assert (checks["lint"].state, checks["tests"].state) == ("success", "failure")
    assert "assert 1 == 2" in checks["tests"].text

    made.pulls[-1].comments.append({"id": 7, "author": "lee", "path": "a.txt", "line": 1, "body": "Why b?"})
    (comment,) = await asked.comments(made.full_name, again.number)
    assert (comment.author, comment.path, comment.line, comment.body) == ("lee", "a.txt", 1, "Why b?")

    made.pulls[-1].state = "merged"
    assert (await asked.pull_request(made.full_name, again.number)).state == "merged"
    assert await asked.find_pull_request(made.full_name, "agentsite/x") is None


async def test_bitbucket_without_its_list_of_all_repositories_asks_each_workspace(
    site: Forge, kim: Account, transport: GuardedTransport
) -> None:
    asked = client("bitbucket", site, kim, transport)
    site.repository("cups/mugs", {"a": "a"}, writers=[kim]).commit({"note.md": "hello\n"}, branch="release/1")
    assert await asked.file("cups/mugs", "note.md", "release/1") == "hello\n"
    assert await asked.file("cups/mugs", "note.md", "release/2") is None
    site.bitbucket_lists_by_workspace = True
    try:
        assert [found.full_name for found in await asked.repositories("cups/mu")] == ["cups/mugs"]
    finally:
        site.bitbucket_lists_by_workspace = False
    assert [found.full_name for found in await asked.repositories('cups/mugs"')] == []


async def test_gitea_finds_a_pull_request_behind_many_others(
    site: Forge, kim: Account, transport: GuardedTransport
) -> None:
    made = site.repository("tea/busy", {"a": "a"}, writers=[kim])
    made.pulls += [PullRequest(n, f"{n}", "", f"b{n}", "main", draft=False, author="kim") for n in range(1, 121)]
    asked = client("gitea", site, kim, transport)
    found = await asked.find_pull_request("tea/busy", "b7")
    assert found is not None
    assert found.number == 7
    assert await asked.find_pull_request("tea/busy", "b0") is None


@pytest.mark.parametrize("kind", KINDS)
async def test_errors_say_what_is_to_be_done(kind: str, site: Forge, transport: GuardedTransport) -> None:
    nobody, reader = site.account("nobody"), site.account("reader")
    site.repository(f"tea/closed-{kind}", {"a": "a"})
    read_only = site.repository(f"tea/read-{kind}", {"a": "a"}, readers=[reader])
    read_only.commit({"a": "b"}, branch="x")

    async def problem(account: Account, name: str, *, opening: bool = False) -> str:
        asked = client(kind, site, account, transport)
        text = PullRequestText("t", "b")
        asking = asked.open_pull_request(name, head="x", base="main", text=text) if opening else asked.repository(name)
        with pytest.raises(ForgeError) as raised:
            await asking
        assert account.token not in f"{raised.value.message} {raised.value.hint}"
        return raised.value.problem

    assert await problem(nobody, f"tea/closed-{kind}") == "missing"
    assert await problem(reader, f"tea/read-{kind}", opening=True) == "right"
    stale = replace(nobody, token="")
    nobody.revoke()
    assert await problem(stale, f"tea/closed-{kind}") == "credential"


async def test_only_the_public_web_and_exempted_hosts_are_asked(site: Forge, kim: Account) -> None:
    strict = GuardedTransport(WebRules)
    for address in (site.url, "https://10.0.0.1", "https://localhost", "http://example.org"):
        with pytest.raises(ForgeError) as raised:
            await client("github", replace(site, url=address), kim, strict).account()
        assert raised.value.problem == "address"


@pytest.mark.parametrize("kind", ["github", "gitlab", "gitea", "bitbucket", "git"])
async def test_refs_are_read_over_git_with_every_kind_of_credential(
    kind: str, site: Forge, kim: Account, shop: ForgeRepository, transport: GuardedTransport
) -> None:
    access = Access(kind, site.url, token=kim.token)
    refs = await read_refs(git_client(access, shop.clone_url, transport))
    head = shop.heads()["trunk"]
    assert refs.default_branch == "trunk"
    assert [(ref.name, ref.kind, ref.commit) for ref in refs.found] == [
        ("trunk", "branch", head), ("v1", "tag", head), ("v2", "tag", head),
    ]  # fmt: skip
    found = await read_refs(git_client(access, shop.clone_url, transport), "V2")
    assert [ref.name for ref in found.found] == ["v2"]


async def test_an_empty_repository_has_a_default_branch_and_no_refs(
    site: Forge, kim: Account, transport: GuardedTransport
) -> None:
    empty = site.repository("tea/empty", writers=[kim], default_branch="start")
    refs = await read_refs(git_client(Access("git", site.url, token=kim.token), empty.clone_url, transport))
    assert (refs.default_branch, list(refs.found)) == ("start", [])


async def test_refs_of_a_private_repository_need_the_credential(
    site: Forge, shop: ForgeRepository, transport: GuardedTransport
) -> None:
    with pytest.raises(ForgeError) as raised:
        await read_refs(git_client(Access("git", site.url), shop.clone_url, transport))
    assert raised.value.problem == "credential"


async def test_the_tokens_of_an_app_are_fetched_kept_and_renewed(site: Forge, transport: GuardedTransport) -> None:
    app = site.app_account("helper[bot]")
    site.repository("tea/apps", {"a": "a"}, writers=[app])
    given = {"app_id": app.app_id, "private_key": app.private_key, "installation_id": ""}
    tokens, access = AppTokens(), Access("github", site.url, app=given)

    first = await tokens.opened(access, transport)
    assert first.token == app.token
    asked = forge_of(first, transport, is_app=True)
    assert asked is not None
    assert [found.full_name for found in await asked.repositories("")] == ["tea/apps"]
    assert (await tokens.opened(access, transport)).token == first.token

    app.seconds = 60  # ends too soon to be used again
    tokens.forget(access)
    second = await tokens.opened(access, transport)
    assert (await tokens.opened(access, transport)).token not in (first.token, second.token)

    for wrong in ({"private_key": "no key"}, {"app_id": "1"}, {"installation_id": "7"}):
        with pytest.raises(ForgeError) as raised:
            await AppTokens().opened(replace(access, app={**given, **wrong}), transport)
        assert raised.value.problem == "credential"
