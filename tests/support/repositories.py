"""Projects with a repository on the forge of the tests, and the door (the proxy for workspaces) that leads to it."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import pytest

from agentsite.base.background import background
from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.models import Project
from deploy.demo_forge import Account, Forge, ForgeRepository, forge
from sandbox.ports import RunRequest
from sessions_app.models import Session, Turn, Workspace
from sessions_app.repositories.models import Connection, ProjectRepository
from sessions_app.workers.door.serving import serve
from sessions_app.workers.sandbox import deployment as node
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

FILES: Final = {"README.md": "# Tea\n", "AGENTS.md": "Say please.\n", "src/a.py": "print(1)\n"}
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def forge_site() -> Iterator[Forge]:
    with forge() as running:
        yield running


@pytest.fixture
def repo(site: SessionSite, forge_site: Forge) -> Iterator["RepositorySite"]:
    """Yield a site whose project has the repository `shop`. Its workspace is new, and clones the repository at the
    first prompt."""
    account = forge_site.account("kim")
    number = len(forge_site.repositories)
    shop = forge_site.repository(f"tea{number}/shop", FILES, writers=[account])
    site.settings.NETWORK_ALLOW = [forge_site.place]
    row = connect_repository(site.project, shop, account)
    Workspace.objects.filter(pk=site.workspace.pk).update(state=Workspace.State.NEW, seeded=False)
    site.workspace.refresh_from_db()
    with open_door(site):
        yield RepositorySite(site, forge_site, shop, account, row)


def connect_repository(project: Project, repository: ForgeRepository, account: Account | None) -> ProjectRepository:
    """Give a project a repository of the forge, with the token of an account."""
    connection = None
    if account is not None:
        connection = Connection.objects.create(
            team=project.team, kind="gitea", name=f"forge {next(_numbers)}", base_url=repository.site_url,
            username=account.login, sealed=DOOR.seal(account.token), state="ok",
        )  # fmt: skip
    return ProjectRepository.objects.create(
        project=project, connection=connection, clone_url=repository.clone_url, full_name=repository.full_name
    )


@contextmanager
def open_door(site: SessionSite) -> Iterator[None]:
    serving = background.start(serve(site.files.parent.parent))
    try:
        yield
    finally:
        serving.cancel()


@dataclass
class RepositorySite:
    """A site whose project has the repository `shop`, with a new workspace."""

    site: SessionSite
    forge: Forge
    shop: ForgeRepository
    account: Account
    row: ProjectRepository

    def run(self, *commands: str, session: Session | None = None) -> Turn:
        """Let an agent run commands in one turn, without permission requests."""
        steps = [calls(tool_call("bash", command=command)) for command in commands]
        self.site.script(*steps, text("Done."))
        return self.site.run_prompt(session=session or self.site.open_session(allow=("bash",)))

    def outputs(self, *commands: str, session: Session | None = None) -> list[str]:
        return [call.output for call in self.site.calls(self.run(*commands, session=session))]

    def shell(self, command: str, *, workspace: Workspace | None = None) -> str:
        """Run a command in the workspace, bypassing all rules."""
        request = RunRequest(f"test-{next(_numbers)}", command)
        result = background.run(node.runtime_of(workspace or self.site.workspace).run(request))
        return result.output.decode()


def add_submodule(shop: ForgeRepository, path: str, url: str, commit: str) -> None:
    """Commit a submodule to the main branch of a repository."""
    listed = shop.git("ls-tree", "--name-only", "main")
    before = shop.read(".gitmodules", branch="main") if ".gitmodules" in listed else ""
    head = shop.commit({".gitmodules": f'{before}[submodule "{path}"]\n\tpath = {path}\n\turl = {url}\n'})
    shop.git("read-tree", head)
    shop.git("update-index", "--add", "--cacheinfo", f"160000,{commit},{path}")
    tree = shop.git("write-tree").strip()
    named = ("-c", "user.name=K", "-c", "user.email=k@x")
    made = shop.git(*named, "commit-tree", tree, "-p", head, "-m", f"Add {path}").strip()
    shop.git("update-ref", "refs/heads/main", made)
