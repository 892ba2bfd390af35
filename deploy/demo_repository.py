"""Show a repository in the demo: a project starts from a forge on this machine, and gets a pull request there."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import httpx

from agentsite.client import Client, Session
from agentsite.client.types import ProjectView
from deploy import demo_project
from deploy.demo_forge import Account, ForgeRepository, forge

PLACE: Final = "DEMO_FORGE"
"""The variable with the host and port of the forge, which the site exempts with NETWORK_ALLOW."""
NAME: Final = "tea/tea-shop"
PROJECT: Final = "Tea shop from a repository"
TITLE: Final = "Give the bulk discount for ten packets"
PROMPT: Final = f"{demo_project.SUGGESTED_PROMPT.rstrip('.')}, commit, and push the branch."


class RepositoryShownWrong(Exception):
    """A second clone does not contain the commits that the agent pushed."""


@dataclass(frozen=True)
class DemoRepository:
    """A repository on the forge of the demo, and an account that may push to it."""

    shop: ForgeRepository
    account: Account

    @contextmanager
    def project(self, site: Client, address: str, token: str) -> Iterator[ProjectView]:
        """Connect the first team of the signed-in person with the forge, and give a project the repository.
        Afterwards, remove the project's repository and the connection, because the forge ends with the demo; the
        project stays."""
        team = site.me().teams[0].id
        connection = site.connect(team, "github", self.account.token, address=self.shop.site_url, name="Demo forge")
        found = [project for project in site.projects() if project.name == PROJECT]
        project = found[0] if found else site.create_project(team, PROJECT)
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=f"{address}/api/v1", headers=headers, timeout=30, trust_env=False) as http:
            place = f"/projects/{project.id}/repository"
            chosen = {"connection": connection.id, "name": self.shop.full_name}
            http.put(place, json=chosen).raise_for_status()
            try:
                yield project
            finally:
                http.delete(place).raise_for_status()
                http.delete(f"/connections/{connection.id}").raise_for_status()

    def show_pull_request(self, session: Session, say: Callable[[str], None]) -> None:
        """Open a pull request, and check the branch in a second clone. Raises RepositoryShownWrong."""
        opened = session.open_pull_request(TITLE).pull_request
        if opened is None or not self.shop.pulls:
            raise RepositoryShownWrong("The forge has no pull request.")
        say(f"  pull request #{opened.number}: {opened.branch} into {opened.base}, {opened.url}")
        log = self._log_of_second_clone(opened.branch)
        if len(log) != 1:
            raise RepositoryShownWrong(f"A second clone shows {len(log)} commits on {opened.branch} instead of one.")
        say(f"  a second clone sees {log[0]}")

    def _log_of_second_clone(self, branch: str) -> list[str]:
        address = self.shop.clone_url.replace("://", f"://{self.account.login}:{self.account.token}@")
        with tempfile.TemporaryDirectory() as folder:
            _git("clone", "-q", address, folder)
            shown = ("--format=%h %s (%an)", f"origin/{self.shop.default_branch}..origin/{branch}")
            return _git("-C", folder, "log", *shown).splitlines()


@contextmanager
def demo_repository() -> Iterator[DemoRepository | None]:
    """Run a forge with a repository of the demo project during the block, and yield the repository. Yield None on a
    site that the demo has not started itself."""
    host, _, port = os.environ.get(PLACE, "").rpartition(":")
    if not port:
        yield None
        return
    with forge(place=(host, int(port))) as running:
        account = running.account("demo")
        yield DemoRepository(running.repository(NAME, demo_project.files(), writers=[account]), account)


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode:
        raise RepositoryShownWrong(f"git {arguments[0]} failed: {done.stderr.strip()[-300:]}")
    return done.stdout
