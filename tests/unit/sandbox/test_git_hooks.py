"""The image's git adds the configured lines to commits, and also runs the hooks of the repository."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from sandbox.image import recipe

CO_AUTHOR: Final = "Co-authored-by: agentsite <agent@example.org>"
SIGN_OFF: Final = "Signed-off-by: Kim <kim@example.org>"
OWN_HOOK: Final = '#!/bin/sh\necho "$(basename "$0") $#" >> ran\n'


class Repository:
    """A repository of a workspace, used with the image's git."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "work"
        self.bin = folder / "image" / "bin"
        hooks = folder / "image" / "hooks"
        for place in (self.path, self.bin, hooks):
            place.mkdir(parents=True)
        shutil.copy(recipe.FOLDER / "git.sh", self.bin / "git")
        for name in ("prepare-commit-msg", "commit-msg", "pre-commit", "post-commit", "pre-push"):
            shutil.copy(recipe.FOLDER / "hook.sh", hooks / name)
            (hooks / name).chmod(0o755)
        (self.bin / "git").chmod(0o755)
        self.git("init", "-q", "-b", "main")
        self.write("a", "a\n")

    def git(self, *arguments: str, trailers: str = f"{CO_AUTHOR}\n{SIGN_OFF}", **more: str) -> str:
        environment = {
            "PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(self.path.parent), "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Kim", "GIT_AUTHOR_EMAIL": "kim@example.org", "GIT_EDITOR": "true",
            "GIT_COMMITTER_NAME": "agentsite", "GIT_COMMITTER_EMAIL": "agent@example.org",
            "AGENTSITE_TRAILERS": trailers, **more,
        }  # fmt: skip
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env=environment, capture_output=True, text=True, check=False, timeout=60
        )
        return done.stdout + done.stderr

    def write(self, name: str, content: str) -> None:
        (self.path / name).write_text(content)
        self.git("add", name)

    def own_hook(self, folder: str, name: str, text: str = OWN_HOOK) -> None:
        path = self.path / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    @property
    def message(self) -> list[str]:
        return self.git("log", "-1", "--format=%B").split("\n")

    @property
    def ran(self) -> list[str]:
        return (self.path / "ran").read_text().splitlines()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def has_lines(repository: Repository) -> bool:
    return [repository.message.count(line) for line in (CO_AUTHOR, SIGN_OFF)] == [1, 1]


def test_a_repository_with_hooks_of_its_own_gets_the_lines_and_its_hooks_run(repository: Repository) -> None:
    repository.git("config", "core.hooksPath", ".husky/_")
    for name in ("pre-commit", "prepare-commit-msg", "commit-msg"):
        repository.own_hook(".husky/_", name)
    repository.own_hook(".husky/_", "post-commit", "#!/bin/sh\ngit config core.hooksPath > seen\nenv >> seen\n")
    repository.git("commit", "-qm", "One")
    assert has_lines(repository)
    assert repository.ran == ["pre-commit 0", "prepare-commit-msg 2", "commit-msg 1"]
    seen = (repository.path / "seen").read_text()
    assert seen.startswith(".husky/_\n")  # programs that hooks start find the repository's configuration
    assert "GIT_CONFIG_" not in seen.replace("GIT_CONFIG_NOSYSTEM", "")
    assert repository.git("config", "core.hooksPath") == ".husky/_\n"
    assert repository.git("rev-parse", "--git-path", "hooks") == ".husky/_\n"

    repository.own_hook(".husky/_", "commit-msg", "#!/bin/sh\necho not like this >&2\nexit 1\n")
    repository.write("a", "b\n")
    assert "not like this" in repository.git("commit", "-qm", "Two")
    assert repository.message[0] == "One"


def test_hooks_that_a_program_replaced_run_beside_those_of_the_image(repository: Repository) -> None:
    repository.own_hook(".git/hooks", "prepare-commit-msg")
    repository.git("commit", "-qm", "One")
    assert (has_lines(repository), repository.ran) == (True, ["prepare-commit-msg 2"])


@pytest.mark.parametrize(
    "command",
    [
        ("commit", "-qam", "Two"),
        ("commit", "-qam", "Two", "--no-verify"),
        ("-C", ".", "-c", "user.name=x", "commit", "-qam", "Two"),
        ("ci", "-qam", "Two"),
        ("commit", "-q", "--amend", "--no-edit"),
    ],
)
def test_every_way_to_commit_adds_them_once(command: tuple[str, ...], repository: Repository) -> None:
    repository.git("config", "core.hooksPath", "/dev/null")
    repository.git("config", "alias.ci", "commit")
    repository.git("commit", "-qm", "One")
    repository.write("a", "b\n")
    repository.git(*command)
    assert has_lines(repository)


def test_merges_picks_reverts_and_rebases_add_them(repository: Repository) -> None:
    repository.git("config", "core.hooksPath", "nowhere")
    repository.git("commit", "-qm", "One", trailers="")
    assert CO_AUTHOR not in repository.message
    repository.git("branch", "other")
    repository.write("b", "b\n")
    repository.git("commit", "-qm", "Two", trailers="")
    repository.git("checkout", "-q", "other")
    repository.write("c", "c\n")
    repository.git("commit", "-qm", "Three", trailers="")
    repository.git("cherry-pick", "main")
    assert has_lines(repository)
    repository.git("revert", "--no-edit", "HEAD")
    assert has_lines(repository)
    repository.git("merge", "-q", "--no-edit", "main")
    assert has_lines(repository)
    repository.git("reset", "-q", "--hard", "HEAD^^^")
    assert CO_AUTHOR not in repository.message
    repository.git("rebase", "-q", "main")
    assert has_lines(repository)


def test_a_push_runs_its_own_hook_with_the_refs_and_uploads_lfs(repository: Repository, tmp_path: Path) -> None:
    repository.git("config", "core.hooksPath", ".husky")
    repository.own_hook(".husky", "pre-push", "#!/bin/sh\ncat >> refs\n")
    (repository.bin / "git-lfs").write_text('#!/bin/sh\necho "$@" >> lfs-ran\ncat >> lfs-ran\n')
    (repository.bin / "git-lfs").chmod(0o755)
    repository.git("commit", "-qm", "One")
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "server.git")], check=True)
    (repository.path / ".git" / "lfs").mkdir()
    printed = repository.git("push", str(tmp_path / "server.git"), "main", trailers="")
    assert "new branch" in printed, printed
    assert "refs/heads/main" in (repository.path / "refs").read_text()
    ran = (repository.path / "lfs-ran").read_text()
    assert ran.startswith("pre-push ")
    assert "refs/heads/main" in ran


def test_outside_of_a_repository_and_without_settings_git_is_git(repository: Repository) -> None:
    assert "git version" in repository.git("--version")
    assert "not a git repository" in repository.git("-C", "/", "commit", "-m", "x")
    assert "usage: git" in repository.git()
    repository.git("config", "core.hooksPath", "nowhere")
    repository.git("commit", "-qm", "One", trailers="")
    assert repository.message[0] == "One"
