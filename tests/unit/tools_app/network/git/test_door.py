"""Real git through the door (the network proxy) to a real server: fetches, allowed and refused pushes, and the output
of git."""

import itertools
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from deploy.demo_forge import Forge, ForgeRepository, forge
from tests.support.git_door import GivenSide, OpenGitDoor, git_door
from tools_app.network.git.judging import PushRules
from tools_app.permission import presets
from tools_app.permission.model import Action, Layer, Rule

NUMBERS = itertools.count(1)
PRESET = Layer("defaults", presets.rules("balanced"))


@pytest.fixture(scope="module")
def site() -> Iterator[Forge]:
    with forge() as running:
        yield running


@pytest.fixture
def shop(site: Forge) -> ForgeRepository:
    site.requests.clear()
    return site.repository(
        f"tea{next(NUMBERS)}/shop", {"README.md": "# Tea\n", ".github/workflows/ci.yml": "on: push\n"}
    )


@pytest.fixture
async def door(site: Forge, shop: ForgeRepository, tmp_path: Path) -> AsyncIterator[OpenGitDoor]:
    """Run the door's git proxy. The repository is cloned through it, and the clone has a new branch with one commit."""
    writer = site.account("kim")
    shop.writers.add("kim")
    async with git_door(site, GivenSide(shop, writer), tmp_path) as opened:
        allow(opened)
        assert (await opened.git("clone", "-q", opened.origin, "shop")).returncode == 0
        await opened.git("checkout", "-q", "-b", "agentsite/x", at="shop")
        await opened.commit("shop", "README.md", "# Green tea\n")
        yield opened


def allow(door: OpenGitDoor, *patterns: str, action: Action = "allow") -> None:
    own = Layer("project", [Rule("git_push", pattern, action) for pattern in patterns])
    door.side.rules = PushRules((PRESET, own), (), "main", ("release/*",))


async def push(door: OpenGitDoor, *what: str, **variables: str) -> str:
    """Push, and return "done" or "refused", followed by the output of git."""
    done = await door.git("push", "origin", *what, at="shop", **variables)
    return f"{'refused' if done.returncode else 'done'} {done.stderr}"


def patterns(door: OpenGitDoor) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = [(each.action, each.pattern) for each in door.side.reported]
    door.side.reported.clear()
    return found


async def test_a_private_repository_is_cloned_and_fetched_without_a_credential_inside(
    door: OpenGitDoor, shop: ForgeRepository
) -> None:
    shop.commit({"new.txt": "new\n"})
    assert (await door.git("fetch", "-q", at="shop")).returncode == 0
    log = await door.git("log", "--format=%s", "origin/main", at="shop")
    assert log.stdout == "Change\nStart\n"
    assert door.meter.received > 500
    for protocol in ("0", "1", "2"):
        done = await door.git("-c", f"protocol.version={protocol}", "ls-remote", "origin", at="shop")
        assert "refs/heads/main" in done.stdout
    held = b"".join(path.read_bytes() for path in (door.folder / "shop").rglob("*") if path.is_file())
    assert door.side.account.token.encode() not in held


@pytest.mark.parametrize("options", [["--depth=1"], ["--filter=blob:none"]])
async def test_part_of_a_repository_is_cloned(options: list[str], door: OpenGitDoor) -> None:
    done = await door.git("clone", "-q", *options, door.origin, "part")
    assert done.returncode == 0, done.stderr
    assert (door.folder / "part" / "README.md").read_text() == "# Tea\n"


async def test_a_new_branch_needs_permission_and_passes_with_it(door: OpenGitDoor, shop: ForgeRepository) -> None:
    printed = await push(door, "agentsite/x")
    assert printed.startswith("refused")
    assert "remote: Pushing to agentsite/x needs a person's permission." in printed
    assert "! [remote rejected] agentsite/x -> agentsite/x (needs permission)" in printed
    assert patterns(door) == [("ask", "agentsite/x")]
    assert (list(shop.heads()), shop.pushes) == (["main"], [])

    allow(door, "agentsite/*")
    assert (await push(door, "agentsite/x")).startswith("done")
    assert shop.read("README.md", branch="agentsite/x") == "# Green tea\n"
    await door.commit("shop", "README.md", "# Black tea\n")
    assert (await push(door, "agentsite/x")).startswith("done")
    assert (patterns(door), len(shop.pushes)) == ([], 2)


@pytest.mark.parametrize(
    ("what", "pattern"),
    [("HEAD:main", "main"), ("HEAD:release/1", "release/1"), ("HEAD:refs/tags/v1", "refs/tags/v1"),
     ("HEAD:refs/meta/config", "refs/meta/config")],
)  # fmt: skip
async def test_protected_branches_tags_and_other_refs_are_denied(
    what: str, pattern: str, door: OpenGitDoor, shop: ForgeRepository
) -> None:
    allow(door, "*")
    before = shop.heads()
    printed = await push(door, what)
    assert "is not allowed" in printed
    assert patterns(door) == [("deny", pattern)]
    assert (shop.heads(), shop.tags()) == (before, {})
    allow(door, pattern)
    assert (await push(door, what)).startswith("done")


async def test_deletion_and_force_are_denied_and_have_rules_of_their_own(
    door: OpenGitDoor, shop: ForgeRepository
) -> None:
    allow(door, "*")
    assert (await push(door, "agentsite/x")).startswith("done")
    await door.git("commit", "-q", "--amend", "-m", "Other words", at="shop")
    assert "Replacing commits of agentsite/x is not allowed" in await push(door, "--force", "agentsite/x")
    assert "Deleting agentsite/x is not allowed" in await push(door, "--delete", "agentsite/x")
    assert patterns(door) == [("deny", "force:agentsite/x"), ("deny", "delete:agentsite/x")]
    allow(door, "*", "force:agentsite/*", "delete:agentsite/*")
    assert (await push(door, "--force", "agentsite/x")).startswith("done")
    assert shop.git("log", "-1", "--format=%s", "agentsite/x") == "Other words\n"
    assert (await push(door, "--delete", "agentsite/x")).startswith("done")
    assert list(shop.heads()) == ["main"]


async def test_one_refused_ref_refuses_the_whole_push(door: OpenGitDoor, shop: ForgeRepository) -> None:
    allow(door, "agentsite/*")
    printed = await push(door, "agentsite/x", "HEAD:main")
    assert "main (denied)" in printed
    assert "agentsite/x (another ref was refused)" in printed
    assert list(shop.heads()) == ["main"]


@pytest.mark.parametrize(
    "name", [".github/workflows/ci.yml", ".github/workflows/new.yml", ".gitlab-ci.yml", ".circleci/config.yml",
             "Jenkinsfile", ".gitea/workflows/a.yaml", "bitbucket-pipelines.yml"],
)  # fmt: skip
async def test_files_for_a_ci_service_are_asked_about_by_themselves(name: str, door: OpenGitDoor) -> None:
    allow(door, "*")
    await door.commit("shop", name, "run: anything\n")
    printed = await push(door, "agentsite/x")
    assert "Changing files for a CI service on agentsite/x (" in printed
    assert patterns(door) == [("ask", "workflows:agentsite/x")]
    allow(door, "*", "workflows:agentsite/*")
    assert (await push(door, "agentsite/x")).startswith("done")


async def test_what_the_repository_has_already_is_no_change_of_ci_files(
    door: OpenGitDoor, shop: ForgeRepository
) -> None:
    allow(door, "*")
    assert (await push(door, "agentsite/x")).startswith("done")
    shop.commit({".github/workflows/ci.yml": "on: [push, pull_request]\n"})
    await door.git("fetch", "-q", at="shop")
    await door.git("merge", "-q", "origin/main", at="shop")
    assert (await push(door, "agentsite/x")).startswith("done")
    older = await door.git("push", "origin", "origin/main~1:refs/heads/agentsite/older", at="shop")
    assert older.returncode == 0, older.stderr
    assert patterns(door) == []


async def test_ci_files_of_a_commit_without_a_known_parent_are_a_change(door: OpenGitDoor) -> None:
    allow(door, "*")
    await door.git("checkout", "-q", "--orphan", "agentsite/orphan", at="shop")
    await door.commit("shop", ".github/workflows/ci.yml", "on: other\n")
    assert (await push(door, "agentsite/orphan")).startswith("refused")
    assert patterns(door) == [("ask", "workflows:agentsite/orphan")]


async def test_a_first_push_to_an_empty_repository(site: Forge, tmp_path: Path) -> None:
    writer = site.account("kim2")
    empty = site.repository("tea/empty", writers=[writer])
    async with git_door(site, GivenSide(empty, writer), tmp_path) as opened:
        allow(opened, "agentsite/*")
        assert (await opened.git("clone", "-q", opened.origin, "shop")).returncode == 0
        await opened.commit("shop", "a.txt", "a\n")
        assert (await push(opened, "HEAD:agentsite/x")).startswith("done")
        assert (await push(opened, "HEAD:main")).startswith("refused")
    assert list(empty.heads()) == ["agentsite/x"]


async def test_a_push_without_new_commits_and_a_large_one_are_judged_too(
    door: OpenGitDoor, shop: ForgeRepository
) -> None:
    allow(door, "agentsite/*")
    assert (await push(door, "origin/main:refs/heads/agentsite/same")).startswith("done")
    (door.folder / "shop" / "big.bin").write_bytes(os.urandom(3 << 20))
    await door.commit("shop", "a.txt", "a\n")
    assert (await push(door, "agentsite/x")).startswith("done")  # in pieces: larger than git's buffer
    assert set(shop.heads()) == {"main", "agentsite/same", "agentsite/x"}


async def test_a_server_that_cannot_leave_out_files_is_compared_with_too(
    door: OpenGitDoor, shop: ForgeRepository
) -> None:
    allow(door, "agentsite/*")
    shop.git("config", "uploadpack.allowFilter", "false")
    assert (await push(door, "agentsite/x")).startswith("done")
    await door.commit("shop", ".gitlab-ci.yml", "a: b\n")
    assert (await push(door, "agentsite/x")).startswith("refused")
    assert patterns(door) == [("ask", "workflows:agentsite/x")]


async def test_limits_hold_and_a_rule_for_everything_allows_no_push(door: OpenGitDoor) -> None:
    everything = Layer("team", [Rule("*", "*", "allow")])
    door.side.rules = PushRules((PRESET, everything), (), "main")
    assert (await push(door, "agentsite/x")).startswith("refused")
    own = Layer("project", [Rule("git_push", "agentsite/*", "allow")])
    limit = Layer("team limits", [Rule("git_push", "*", "deny")])
    door.side.rules = PushRules((PRESET, own), (limit,), "main")
    assert "is denied by a rule (team limits)" in await push(door, "agentsite/x")


async def test_another_repository_of_the_same_forge_is_not_served(
    door: OpenGitDoor, site: Forge, shop: ForgeRepository
) -> None:
    other = site.repository("tea/secret", {"a.txt": "a\n"}, writers=[door.side.account])
    site.requests.clear()
    await door.git("remote", "set-url", "origin", f"{door.url}/git/secret.git", at="shop")
    for done in (await door.git("fetch", at="shop"), await door.git("push", "origin", "agentsite/x", at="shop")):
        assert "fatal: remote error: This workspace reaches tea/shop and no other repository." in done.stderr
    for path in (
        "/git/shop.git/../secret.git",
        "/git/shop.git/%2e%2e/secret.git",
        "/git/tea/secret.git",
        "/tea/secret",
    ):
        assert (await door.git("ls-remote", f"{door.url}{path}")).returncode != 0
    assert (site.requests, list(other.heads())) == ([], ["main"])


@pytest.mark.parametrize(
    "options",
    [["-c", "http.extraHeader=Authorization: Basic eDp5"], ["-c", "http.extraHeader=Host: evil.example"],
     ["-c", "credential.helper=!echo username=x; echo password=y >&2; cat > stolen; :"],
     ["-c", "http.extraHeader=X-Forwarded-Host: evil.example"]],
)  # fmt: skip
async def test_configuration_of_the_program_gives_nothing_away(options: list[str], door: OpenGitDoor) -> None:
    trace = door.folder / "trace"
    done = await door.git(
        *options, "fetch", at="shop", GIT_TRACE_CURL=str(trace), GIT_TRACE_PACKET=str(trace), GIT_TRACE_REDACT="0"
    )
    assert done.returncode == 0, done.stderr
    text = done.stdout + done.stderr + trace.read_text() + (door.folder / "shop" / ".git" / "config").read_text()
    assert door.side.account.token not in text
    assert "Basic Z2l0" not in text  # "git:" in base64


async def test_what_the_server_refuses_is_said_in_words(door: OpenGitDoor, shop: ForgeRepository) -> None:
    allow(door, "agentsite/*")
    shop.writers.clear()
    shop.readers.add("kim")
    assert f"fatal: remote error: {shop.full_name} does not accept the credential." in await push(door, "agentsite/x")
    door.side.account.revoke()
    done = await door.git("fetch", at="shop")
    assert f"fatal: remote error: {shop.full_name} does not accept the credential." in done.stderr
    door.side.account.renew()
    shop.readers.clear()
    assert "does not exist (any more), or the connection may not use it" in (await door.git("fetch", at="shop")).stderr
    door.side.refusal = "The connection was revoked."
    assert "fatal: remote error: The connection was revoked." in (await door.git("fetch", at="shop")).stderr
    assert door.side.statuses == [403, 401]


async def test_a_token_that_ended_is_renewed_on_the_way(door: OpenGitDoor, shop: ForgeRepository) -> None:
    allow(door, "agentsite/*")
    door.side.renews = True
    door.side.account.token = f"forge_{'0' * 40}"
    door.side.account.revoke()
    assert (await push(door, "agentsite/x")).startswith("done")
    assert (list(shop.heads()), door.side.statuses) == (["agentsite/x", "main"], [])


async def test_git_says_why_other_paths_are_refused(door: OpenGitDoor) -> None:
    import httpx

    async with httpx.AsyncClient(trust_env=False) as http:
        dumb = await http.get(f"{door.origin}/info/refs")
        file = await http.get(f"{door.origin}/config")
        wrong = await http.get(f"{door.origin}/git-upload-pack")
        packed = await http.post(f"{door.origin}/git-receive-pack", headers={"Content-Encoding": "gzip"}, content=b"x")
        broken = await http.post(f"{door.origin}/git-receive-pack", content=b"zzzz")
    assert (dumb.status_code, file.status_code, wrong.status_code) == (403, 404, 405)
    assert (packed.status_code, broken.status_code) == (415, 400)
