"""Files in Git LFS in workspaces: they come with the clone, and a session's push uploads them."""

import hashlib
import os
from typing import Final

import pytest

from deploy.demo_forge.lfs import pointer
from sessions_app.models import RefusedHost, WorkspaceNote
from sessions_app.workers.sandbox import clone as cloning
from tests.support.asking import set_policy
from tests.support.repositories import RepositorySite, add_submodule

ATTRIBUTES: Final = "*.bin filter=lfs diff=lfs merge=lfs -text\n"
NAMED: Final = "git -c user.name=K -c user.email=k@x"
PICTURE: Final = os.urandom(3 << 20)
DIGEST: Final = hashlib.sha256(PICTURE).hexdigest()


@pytest.fixture
def stored(repo: RepositorySite) -> RepositorySite:
    """Add a file of 3 MiB in LFS to the repository, after clearing the storage's recorded requests and tickets."""
    repo.forge.own_lfs_storage.requests.clear()
    repo.forge.own_lfs_storage.tickets.clear()
    repo.shop.commit({".gitattributes": ATTRIBUTES, "picture.bin": pointer(repo.shop.lfs, PICTURE)})
    return repo


def note() -> str:
    return WorkspaceNote.objects.filter(text__startswith="Cloned").get().text


def test_files_come_with_the_clone_and_a_push_asks_once_and_uploads_new_ones(stored: RepositorySite) -> None:
    session = stored.site.open_session(allow=("bash",))
    found, status = stored.outputs("sha256sum < picture.bin", "git status --short", session=session)
    assert (found.split()[0], status) == (DIGEST, "(no output)")
    assert "Its file in Git LFS (3.0 MiB) is there." in note()

    before = dict(stored.shop.lfs.objects)
    make = "head -c 100000 /dev/urandom > new.bin && git add -A && git commit -qm New"
    turn = stored.run(make, "git push -q origin HEAD 2>&1", "git push -q origin HEAD 2>&1", session=session)
    request = stored.site.open_request()
    branch = f"agentsite/{session.pk.hex[-8:]}"
    assert [(need["permission"], need["patterns"]) for need in request.needs] == [("git_push", [branch])]
    assert stored.shop.lfs.objects == before
    stored.site.reply("once")
    stored.site.pump.run()
    outputs = [call.output for call in stored.site.calls(turn)]
    assert f"Pushing to {branch} needs a person's permission." in outputs[1]
    assert not stored.site.open_requests().exists()
    new = stored.shop.read("new.bin", branch=branch)
    assert new.startswith("version https://git-lfs")
    assert len(stored.shop.lfs.objects) == 2
    assert new.split("sha256:")[1][:64] in stored.shop.lfs.objects


def test_the_credential_and_those_of_the_storage_are_nowhere_in_the_workspace(stored: RepositorySite) -> None:
    set_policy(stored.site.project, rules=[{"permission": "git_push", "pattern": "agentsite/*", "action": "allow"}])
    traced = "GIT_TRACE=1 GIT_CURL_VERBOSE=1 GIT_TRACE_CURL=1 GIT_TRACE_PACKET=1 GIT_TRACE_REDACT=0"
    stored.run("true")
    printed = [
        stored.shell(f"rm -r .git/lfs; {traced} git lfs pull 2>&1; git lfs env; env; cat .git/config"),
        stored.shell(f"echo x > y.bin; git add -A; {NAMED} commit -qm Y; {traced} git push origin HEAD 2>&1"),
        stored.shell("cat /proc/self/environ; grep -rhaoE '(forge|lfs)_[0-9a-f]{40}' . ~ 2> /dev/null; true"),
    ]
    assert "[new branch]" in printed[1]
    tickets = list(stored.forge.own_lfs_storage.tickets)
    assert len(tickets) >= 3
    for text in printed:
        assert stored.account.token not in text
        assert not any(ticket in text for ticket in tickets)


@pytest.mark.parametrize("why", ["setting", "size"])
def test_files_stay_pointers_by_setting_or_size(why: str, stored: RepositorySite) -> None:
    if why == "setting":
        stored.row.lfs = False
        stored.row.save()
    else:
        set_policy(stored.site.project, options={"sandbox": {"disk_mib": 64}})
        stored.shop.commit({"large.bin": pointer(stored.shop.lfs, os.urandom(14 << 20))})
    assert "version https://git-lfs" in stored.outputs("head -n 1 picture.bin")[0]
    said = "as the project's settings want" if why == "setting" else "a new workspace gets at most 16.0 MiB"
    assert said in note()
    assert not [each for each, _ in stored.forge.own_lfs_storage.requests if each == f"GET {DIGEST}"]
    pulled = stored.shell("git lfs pull --include=picture.bin --exclude= && sha256sum < picture.bin")
    assert DIGEST in pulled


@pytest.mark.parametrize("why", ["", "setting", "size"])
def test_files_of_submodules_come_along_or_it_is_said_why_not(why: str, stored: RepositorySite) -> None:
    owner = stored.shop.full_name.partition("/")[0]
    lib = stored.forge.repository(f"{owner}/lib", {".gitattributes": ATTRIBUTES}, writers=[stored.account])
    content = os.urandom(14 << 20 if why == "size" else 1 << 20)
    lib.commit({"data.bin": pointer(lib.lfs, content)})
    inner = stored.forge.repository(f"{owner}/outer", {"a": "a"}, writers=[stored.account])
    for shop, name, path in ((inner, "lib", "deep"), (stored.shop, "lib", "lib"), (stored.shop, "outer", "outer")):
        add_submodule(shop, path, f"../{name}.git", stored.forge.repositories[f"{owner}/{name}"].heads()["main"])
    stored.row.submodules, stored.row.lfs = [f"{owner}/*"], why != "setting"
    stored.row.save()
    if why == "size":
        set_policy(stored.site.project, options={"sandbox": {"disk_mib": 64}})
    digests, status = stored.outputs("sha256sum < lib/data.bin; sha256sum < outer/deep/data.bin", "git status --short")
    is_there = hashlib.sha256(content).hexdigest() in digests
    assert (is_there, status) == (why == "", "(no output)")
    said = {"": "of lib, outer/deep are there", "setting": "lib are pointers: the project's", "size": "more than a new"}
    assert said[why] in note()


def test_a_storage_elsewhere_needs_a_rule_and_the_command_asks_for_it(stored: RepositorySite) -> None:
    stored.forge.lfs_storage = type(stored.forge.own_lfs_storage)("https://storage.example")
    try:
        set_policy(stored.site.project, options={"sandbox": {"network": "allowlist"}})
        stored.run("git lfs pull", session=stored.site.open_session(allow=("bash",)))
    finally:
        stored.forge.lfs_storage = None
    assert "came: " in note()
    assert "storage.example is refused" in note()
    request = stored.site.open_request()
    assert [(need["permission"], need["patterns"]) for need in request.needs] == [("egress", ["storage.example"])]
    assert RefusedHost.objects.filter(name="storage.example").exists()


def test_a_server_without_lfs_and_its_own_address_in_lfsconfig_are_understood(stored: RepositorySite) -> None:
    stored.shop.commit({".lfsconfig": f"[lfs]\n\turl = {stored.shop.clone_url}/info/lfs\n"})
    assert DIGEST in stored.outputs("sha256sum < picture.bin")[0]
    stored.shop.lfs.enabled = False
    assert "has no Git LFS for this repository" in stored.shell("rm -r .git/lfs; git lfs fetch 2>&1")


def test_an_image_without_git_lfs_is_said(stored: RepositorySite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cloning, "SCRIPT", cloning.SCRIPT.replace("command -v git-lfs", "command -v no-git-lfs"))
    assert "version https://git-lfs" in stored.outputs("head -n 1 picture.bin")[0]
    assert "the image has no git-lfs" in note()
