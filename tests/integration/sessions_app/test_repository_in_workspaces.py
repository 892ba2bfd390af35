"""A workspace starts with the repository of its project, and its programs push to it as the rules allow."""

import os
from pathlib import Path

import pytest

from agentsite.tenancy.door_encryption import DOOR
from deploy.demo_forge.git import git
from sandbox.image import recipe
from sessions_app.models import Grant, RefusedHost, TeamCommits, Workspace, WorkspaceNote
from sessions_app.repositories import authors
from sessions_app.repositories.commits.effective import agent_email
from sessions_app.repositories.forges.client import RENEW
from sessions_app.repositories.models import Connection
from tests.support.asking import set_policy
from tests.support.model_server import calls, text, tool_call
from tests.support.repositories import RepositorySite
from tools_app.network.git.ssh_keys import new_key

SIGN_COMMIT = str(recipe.FOLDER / "sign_commit.py")  # the file that the image has
MALLORY = "GIT_AUTHOR_NAME=M GIT_AUTHOR_EMAIL=m@x GIT_COMMITTER_NAME=Mallory GIT_COMMITTER_EMAIL=m@x"


def test_the_first_prompt_finds_the_files_on_a_branch_of_the_session(repo: RepositorySite) -> None:
    session = repo.site.open_session(allow=("bash",))
    branch = f"agentsite/{session.pk.hex[-8:]}"
    status, log, remote = repo.outputs(
        "git status -sb", "git log --format=%s origin/main", "git remote get-url origin", session=session
    )
    assert (status, log) == (f"## {branch}...origin/main", "Start")
    assert remote.endswith("/git/shop.git")
    session.refresh_from_db()
    assert session.branch == branch
    workspace = Workspace.objects.get(pk=repo.site.workspace.pk)
    asked = str(repo.site.model_server.requests(bodies=True))
    assert f"Repository: {repo.shop.full_name}, as the remote origin" in asked
    assert workspace.start_commit == repo.shop.heads()["main"]
    assert workspace.instructions == [{"path": "AGENTS.md", "text": "Say please.\n"}]
    note = WorkspaceNote.objects.filter(text__startswith="Cloned").get()
    assert f"at main ({workspace.start_commit[:8]}" in note.text
    assert f"on the branch {branch}." in note.text


@pytest.mark.parametrize(("ref", "start"), [("green", "green"), ("v1", "v1"), ("commit", "HEAD")])
def test_a_workspace_starts_from_a_branch_a_tag_or_a_commit(ref: str, start: str, repo: RepositorySite) -> None:
    commit = repo.shop.commit({"README.md": "# Green tea\n"}, "Green", branch="green")
    repo.shop.git("tag", "v1", commit)
    Workspace.objects.update(ref=commit if ref == "commit" else ref)
    assert repo.outputs("cat README.md; git rev-parse HEAD") == [f"# Green tea\n{commit}"]


def test_pull_brings_what_others_pushed(repo: RepositorySite) -> None:
    repo.run("true")
    repo.shop.commit({"new.txt": "new\n"})
    assert repo.shell("git pull -q && cat new.txt") == "new\n"


def test_the_person_is_the_author_and_the_agent_the_committer(repo: RepositorySite) -> None:
    repo.row.sign_off = True
    repo.row.save()
    repo.site.user.name = "Kim <Tea>"
    repo.site.user.save()
    session = repo.site.open_session(allow=("bash",))
    one, two = repo.outputs(
        "git commit -q --allow-empty -m One; git log -1 --format='%an <%ae> %cn <%ce>%n%B'",
        "for i in 1 2; do git commit -q --amend --allow-empty -m Two; done; git log -1 --format=%B",
        session=session,
    )
    email = repo.site.user.email
    who, _, message = one.partition("\n")
    trailers = f"Co-authored-by: agentsite <{agent_email()}>\nSigned-off-by: Kim Tea <{email}>"
    assert who == f"Kim Tea <{email}> agentsite <{agent_email()}>"
    assert message == f"One\n\n{trailers}"
    assert two == f"Two\n\n{trailers}"
    set_policy(repo.site.project, rules=[{"permission": "git_push", "pattern": "agentsite/*", "action": "allow"}])
    repo.shell("mkdir .own && git config core.hooksPath .own")
    amend = "git commit -q --amend --no-edit --allow-empty"
    bare, signed_off, mended = repo.outputs(  # without the image's git, which would add both
        "git commit -q --allow-empty -m Three && git push origin HEAD 2>&1",
        f"{amend} --signoff && git push origin HEAD 2>&1",
        f"{amend} --trailer 'Co-authored-by: agentsite <{agent_email()}>' && git push -q origin HEAD && echo pushed",
        session=session,
    )
    assert "is not signed off" in bare
    assert "has no line `Co-authored-by:` for the agent" in signed_off
    assert mended == "pushed"


def test_settings_choose_author_and_committer_and_the_repository_does_not(repo: RepositorySite) -> None:
    TeamCommits.objects.create(team=repo.site.team, author="agent", committer_name="Tea bot", sign_off=True)
    repo.row.committer_email = "bot@tea.example"
    repo.row.save()
    session = repo.site.open_session(allow=("bash",))
    repo.run("true", session=session)
    repo.shell("git config user.name Mallory; git config author.email m@x; git config committer.name Mallory")
    commit = "git commit -q --allow-empty -m One; git log -1 --format='%an <%ae> %cn <%ce>%n%B'"
    (shown,) = repo.outputs(commit, session=session)
    kim = f"{repo.site.user.name or repo.site.user.email.partition('@')[0]} <{repo.site.user.email}>"
    agent = "Tea bot <bot@tea.example>"
    assert shown == f"{agent} {agent}\nOne\n\nCo-authored-by: {kim}\nSigned-off-by: {kim}"


def test_commits_are_signed_with_a_key_that_is_not_in_the_workspace(
    repo: RepositorySite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authors, "HELPER", SIGN_COMMIT)
    key, signers = new_key("tea"), tmp_path / "signers"
    TeamCommits.objects.create(
        team=repo.site.team, sign=True, signing_key=key.public, sealed_key=DOOR.seal(key.private)
    )
    session = repo.site.open_session(allow=("bash",))
    hostile = "git config commit.gpgSign false; git config gpg.ssh.program /bin/false; "
    assert repo.outputs("git commit -q --allow-empty -m One && echo done", session=session) == ["done"]
    raw = repo.shell(f"{hostile} git cat-file commit HEAD")
    signers.write_text(f"{agent_email()} {key.public}\n")
    stored = git(repo.shop.path, "hash-object", "-t", "commit", "-w", "--stdin", stdin=raw.encode()).strip()
    shown = repo.shop.git("-c", f"gpg.ssh.allowedSignersFile={signers}", "log", "-1", "--format=%G? %GS", stored)
    assert shown.strip() == f"G {agent_email()}"
    assert repo.outputs("git commit -q --allow-empty -m Two && echo done", session=session) == ["done"]
    assert "gpgsig" in repo.shell("git cat-file commit HEAD")
    signing = f"git -c gpg.format=ssh -c gpg.ssh.program={SIGN_COMMIT} -c user.signingKey=key::ssh-x"
    refused = repo.shell(f"export {MALLORY}; {signing} commit -S --allow-empty -m Two 2>&1")
    assert "this one is of Mallory" in refused
    assert "PRIVATE KEY" not in repo.shell("env; cat .git/config; cat /proc/*/environ 2> /dev/null | tr '\\0' '\\n'")
    push = {"permission": "git_push", "pattern": "agentsite/*", "action": "allow"}
    set_policy(repo.site.project, rules=[push])
    passed, unsigned = repo.outputs(
        "git push -q origin HEAD && echo pushed", "git commit -q --no-gpg-sign --allow-empty -m Three && git push 2>&1",
        session=session,
    )  # fmt: skip
    assert passed == "pushed"
    assert "does not have the signature that the settings of the project want" in unsigned
    mended = "git commit -q --amend --no-edit --allow-empty && git push -q origin HEAD && echo pushed"
    assert repo.outputs(mended, session=session) == ["pushed"]
    TeamCommits.objects.update(sign=False)
    asked = f"printf x > /tmp/x; {SIGN_COMMIT} -Y sign -n git -f x /tmp/x 2>&1; ls /tmp/x.sig"
    assert "are not signed" in repo.shell(asked)


def test_a_push_is_asked_about_after_the_command_and_passes_when_it_is_allowed(repo: RepositorySite) -> None:
    session = repo.site.open_session(allow=("bash",))
    branch = f"agentsite/{session.pk.hex[-8:]}"
    turn = repo.run("git commit -q --allow-empty -m Try && git push -q", "git push -q; echo pushed", session=session)
    request = repo.site.open_request()
    assert [(need["permission"], need["patterns"]) for need in request.needs] == [("git_push", [branch])]
    assert request.title == f"Push to {branch}"
    call = repo.site.calls(turn)[0]
    assert f"remote: Pushing to {branch} needs a person's permission." in call.output
    assert list(repo.shop.heads()) == ["main"]
    repo.site.reply("always", scope="session")
    repo.site.pump.run()
    grant = Grant.objects.get()
    assert (grant.permission, grant.pattern) == ("git_push", branch)
    first, second = repo.site.calls(turn)
    assert first.output.endswith(f"({branch} is allowed now. Run the command again if it needs it.)")
    assert second.output == "pushed"
    assert set(repo.shop.heads()) == {"main", branch}
    repo.run("git commit -q --allow-empty -m More; git push -q", session=session)
    assert (len(repo.shop.pushes), repo.site.open_requests().count()) == (2, 0)
    assert not RefusedHost.objects.exists()


def test_a_denied_push_is_said_at_once_and_nobody_is_asked(repo: RepositorySite) -> None:
    turn = repo.run("git commit -q --allow-empty -m Try; git push origin HEAD:main; git push origin HEAD:refs/tags/v1")
    output = repo.site.calls(turn)[0].output
    assert "Pushing to main is not allowed." in output
    assert "Pushing the tag v1 is not allowed." in output
    assert (repo.site.open_requests().count(), repo.shop.pushes) == (0, [])


def test_rules_of_the_project_decide_about_pushes(repo: RepositorySite) -> None:
    allow = {"permission": "git_push", "pattern": "*", "action": "allow"}
    set_policy(repo.site.project, rules=[allow, {**allow, "pattern": "main"}])
    repo.run("git commit -q --allow-empty -m Try; git push -q origin HEAD:main")
    assert [list(push.moved) for push in repo.shop.pushes] == [["main"]]
    set_policy(repo.site.team, enforced=[{**allow, "action": "deny"}])
    output = repo.outputs("git commit -q --allow-empty -m Try; git push origin HEAD:main")[0]
    assert "is denied by a rule (team limits)" in output


def test_a_revoked_connection_ends_at_once_and_an_expired_token_says_who_has_to_act(repo: RepositorySite) -> None:
    session = repo.site.open_session(allow=("bash",))
    repo.run("true", session=session)
    repo.account.renew()
    expired = repo.outputs("git fetch", session=session)[0]
    connection = Connection.objects.get()
    assert "is not accepted for" in expired
    assert RENEW in expired
    assert connection.state == "failed"
    assert connection.message in expired
    Connection.objects.update(sealed=DOOR.seal(repo.account.token), state="ok")
    assert repo.outputs("git fetch && echo ok", session=session) == ["ok"]
    Connection.objects.update(sealed="", state="revoked")
    revoked = repo.outputs("git fetch", session=session)[0]
    assert f"The connection {connection.name} was revoked" in revoked
    assert repo.account.token not in revoked + expired


def test_a_repository_that_is_empty_starts_without_commits(repo: RepositorySite) -> None:
    empty = repo.forge.repository(f"{repo.shop.full_name}-empty", writers=[repo.account])
    repo.row.clone_url, repo.row.full_name = empty.clone_url, empty.full_name
    repo.row.save()
    turn = repo.run("echo a > a; git add a; git commit -qm First; git push -q origin HEAD")
    assert "needs a person's permission" in repo.site.calls(turn)[0].output
    assert WorkspaceNote.objects.filter(text__contains="is empty").exists()


def test_one_answer_covers_a_command_and_its_push(repo: RepositorySite) -> None:
    session = repo.site.open_session()
    turn = repo.run("git push -q origin HEAD && echo pushed", session=session)
    request = repo.site.open_request()
    assert [(need["permission"], need["patterns"][-1]) for need in request.needs] == [
        ("bash", "git push -q origin HEAD"), ("git_push", f"agentsite/{session.pk.hex[-8:]}"),
    ]  # fmt: skip
    repo.site.reply("once")
    repo.site.pump.run()
    assert not repo.site.open_requests().exists()
    assert [call.output for call in repo.site.calls(turn)][-1] == "pushed"
    assert len(repo.shop.pushes) == 1


def test_a_command_that_hides_its_push_is_run_again_without_a_third_question(repo: RepositorySite) -> None:
    """A command that hides its push runs again after a grant of the push, without a third permission request. The grant
    is used once, and only by the next call, because a call in between may change the command's effect."""
    repo.run("echo 'git push -q origin HEAD && echo pushed' > release.sh")
    steps = [calls(tool_call("bash", command="sh release.sh", description=f"Try {each}")) for each in range(3)]
    repo.site.script(*steps, text("Done."))
    turn = repo.site.run_prompt(session=repo.site.open_session())
    asked = []
    while repo.site.open_requests().exists():
        asked.append([need["permission"] for need in repo.site.open_request().needs])
        repo.site.reply("once")
        repo.site.pump.run()
    assert asked == [["bash"], ["git_push"], ["bash"]]
    assert [call.output for call in repo.site.calls(turn)][1:] == ["pushed", "pushed"]


def test_a_command_is_asked_about_again_if_another_call_came_between(repo: RepositorySite) -> None:
    repo.run("echo 'git push -q origin HEAD' > release.sh")
    push, edit = tool_call("bash", command="sh release.sh"), tool_call("write", file_path="a.txt", content="a")
    repo.site.script(calls(push), calls(edit), calls(push), text("Done."))
    repo.site.run_prompt(session=repo.site.open_session(allow=("edit",)))
    for expected in ("bash", "git_push", "bash"):
        assert [need["permission"] for need in repo.site.open_request().needs] == [expected]
        repo.site.reply("once")
        repo.site.pump.run()


@pytest.mark.parametrize("problem", ["gone", "expired", "no such branch", "revoked"])
def test_why_a_repository_cannot_be_cloned_ends_the_turn(problem: str, repo: RepositorySite) -> None:
    said = {
        "gone": "does not exist",
        "expired": "is not accepted for",
        "no such branch": "has no branch, tag or commit",
        "revoked": "was revoked",
    }
    if problem == "gone":
        repo.shop.writers.clear()
    elif problem == "expired":
        repo.account.revoke()
    elif problem == "revoked":
        Connection.objects.update(state="revoked")
    else:
        Workspace.objects.update(ref="nowhere")
    turn = repo.run("true")
    assert turn.state == "failed"
    error = turn.error or {}
    assert error["code"] == "clone_failed"
    assert said[problem] in error["message"]
    assert Workspace.objects.get().state == "failed"
    repo.shop.writers.add("kim")
    repo.account.renew()
    Workspace.objects.update(ref="")
    Connection.objects.update(state="ok", sealed=DOOR.seal(repo.account.token))
    assert repo.outputs("cat README.md") == ["# Tea"]


def test_what_is_left_out_is_said(repo: RepositorySite) -> None:
    repo.shop.git("update-ref", "refs/heads/main", _with_submodule(repo))
    repo.run("true")
    text = WorkspaceNote.objects.filter(text__startswith="Cloned").get().text
    assert "1 of its submodules are left out: .gitmodules has no address for them." in text


def _with_submodule(repo: RepositorySite, path: str = "vendored", commit: str = "") -> str:
    git, head = repo.shop.git, repo.shop.heads()["main"]
    git("read-tree", head)
    git("update-index", "--add", "--cacheinfo", f"160000,{commit or head},{path}")
    tree = git("write-tree").strip()
    return git("-c", "user.name=K", "-c", "user.email=k@x", "commit-tree", tree, "-p", head, "-m", "Vendor").strip()


def test_submodules_come_from_where_admins_and_the_network_allow(repo: RepositorySite) -> None:
    owner = repo.shop.full_name.partition("/")[0]
    lib = repo.forge.repository(f"{owner}/lib", {"lib.py": "x = 1\n"}, writers=[repo.account])
    repo.forge.repository(f"{owner}/secret", {"s.txt": "s\n"}, writers=[repo.account])
    head = lib.heads()["main"]
    modules = {"lib": "../lib.git", "secret": "../secret.git", "web": "https://web.example/a.git"}
    text = "".join(f'[submodule "{name}"]\n\tpath = {name}\n\turl = {url}\n' for name, url in modules.items())
    repo.shop.commit({".gitmodules": text})
    for name in modules:
        repo.shop.git("update-ref", "refs/heads/main", _with_submodule(repo, name, head))
    repo.row.submodules = [f"{owner}/lib"]
    repo.row.save()
    assert repo.outputs("cat lib/lib.py; git status --porcelain") == ["x = 1"]

    note = WorkspaceNote.objects.filter(text__startswith="Cloned").get().text
    assert "Its submodule lib is there." in note
    assert f"Its submodule secret is left out: An admin has to add {owner}/secret" in note
    assert "Its submodule web is left out: " in note
    assert "web.example" in note
    stolen = "git clone -q $(git config submodule.lib.url | sed s/lib.git/secret.git/) stolen 2>&1; ls stolen 2>&1"
    fetch = repo.shell(stolen)
    push = repo.shell("cd lib && git push origin HEAD:refs/heads/x 2>&1")
    assert "and no other, beside the submodules" in fetch
    assert "s.txt" not in fetch
    assert "workspaces of this project read it, and do not push to it" in push
    assert list(lib.heads()) == ["main"]


@pytest.mark.full
def test_a_repository_that_is_too_large_is_cloned_in_part(repo: RepositorySite) -> None:
    for number in range(3):
        repo.shop.commit({"big.bin": os.urandom(7 << 20)}, f"Change {number}")
    set_policy(repo.site.project, options={"sandbox": {"disk_mib": 64}})  # a pack may have a quarter of it
    assert repo.outputs("git log --oneline | wc -l; git show HEAD~1:big.bin | wc -c") == [f"4\n{7 << 20}"]
    note = WorkspaceNote.objects.filter(text__startswith="Cloned").get()
    assert "It is large: git gets files of older commits when it needs them." in note.text


def test_folders_and_history_of_workspaces_are_chosen(repo: RepositorySite) -> None:
    repo.shop.commit({"shop/a.txt": "a\n", "pots/b.txt": "b\n", "pots/deep/c.txt": "c\n"}, "Two")
    repo.shop.commit({"shop/a.txt": "aa\n", "cups/d.txt": "d\n"}, "Three")
    repo.shop.commit({"x": "x"}, branch="other")
    repo.row.history, repo.row.depth, repo.row.folders = "shallow", 2, ["shop", "pots/deep"]
    repo.row.save()
    set_policy(repo.site.project, rules=[{"permission": "git_push", "pattern": "agentsite/*", "action": "allow"}])
    session = repo.site.open_session(allow=("bash",))
    log, status = repo.outputs("git log --format=%s", "git status --short", session=session)
    assert (log.split(), status) == (["Three", "Two"], "(no output)")
    files = repo.shell("find . -type f -not -path './.git/*' | sort").split()
    assert files == ["./AGENTS.md", "./README.md", "./pots/b.txt", "./pots/deep/c.txt", "./shop/a.txt"]
    assert repo.shell("git for-each-ref --format='%(refname)' refs/remotes").split()[-1] == "refs/remotes/origin/main"
    note = WorkspaceNote.objects.filter(text__startswith="Cloned").get()
    assert "It has the newest 2 commits of this branch" in note.text
    assert "It has only shop, pots/deep." in note.text
    repo.shell("echo b >> shop/a.txt")
    assert repo.outputs("git commit -qam Four; git push -q origin HEAD && echo pushed", session=session) == ["pushed"]
    session.refresh_from_db()
    assert repo.shop.read("cups/d.txt", branch=session.branch) == "d\n"


def test_odd_names_and_a_default_branch_of_any_name(repo: RepositorySite) -> None:
    names = {"a b.txt", "-x", "\u00e4\u4e2d.md", "q'uote.txt", "dot./n.txt"}
    trunk = repo.forge.repository(
        f"{repo.shop.full_name}-trunk", dict.fromkeys(names, "x\n"), default_branch="trunk", writers=[repo.account]
    )
    repo.row.clone_url, repo.row.full_name, repo.row.history = trunk.clone_url, trunk.full_name, "partial"
    repo.row.save()
    assert repo.outputs("git status -sb")[0].endswith("...origin/trunk")
    assert set(repo.shell("git ls-files -z | tr '\\0' '\\n'").splitlines()) == names
    assert "Git gets files of older commits" in WorkspaceNote.objects.filter(text__startswith="Cloned").get().text
