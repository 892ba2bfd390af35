"""The demo forge as an HTTP server that runs in a thread."""

import socket
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from deploy.demo_forge import git, lfs
from deploy.demo_forge.api import Api, endpoint
from deploy.demo_forge.bitbucket_api import BitbucketApi
from deploy.demo_forge.git_http import GitRequest, login_of
from deploy.demo_forge.gitea_api import GiteaApi
from deploy.demo_forge.github_api import GitHubApi, GitHubApps
from deploy.demo_forge.gitlab_api import GitLabApi
from deploy.demo_forge.model import Account, App, ForgeRepository

START_SECONDS: Final = 20.0
_APPS = GitHubApps()
_APIS: Sequence[Api] = (_APPS, GitHubApi(), GitLabApi(), GiteaApi(), BitbucketApi())


@dataclass(eq=False)
class Forge:
    """The state of the forge. `requests` are the requests so far, as "METHOD /path"; `credentials` are their
    Authorization headers. `bitbucket_lists_by_workspace`: the Bitbucket API refuses to list all repositories, and lists
    only the repositories of one workspace."""

    root: Path
    url: str
    accounts: list[Account] = field(default_factory=list)
    apps: list[App] = field(default_factory=list)
    repositories: dict[str, ForgeRepository] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    credentials: list[str] = field(default_factory=list)
    bitbucket_lists_by_workspace: bool = False
    refuses_second_pull: bool = True
    """Whether a second open pull request of one branch is refused, as most forges do."""
    hold: Callable[[str], Awaitable[None]] | None = None
    """A function that is awaited before each request. Its argument is the request as "METHOD /path"."""
    lfs_storage: "lfs.LfsStorage | None" = None
    """The storage of files in LFS; None for the forge's own."""

    def __post_init__(self) -> None:
        self.own_lfs_storage = lfs.LfsStorage(self.url)

    @property
    def place(self) -> str:
        """Return the host and port of the forge, in the form of the setting NETWORK_ALLOW."""
        return self.url.partition("://")[2]

    def account(self, login: str) -> Account:
        account = Account(login)
        self.accounts.append(account)
        return account

    def app_account(self, login: str) -> App:
        """Create a GitHub App that is installed for the repositories which `login` is added to."""
        app = App(login)
        self.accounts.append(app)
        self.apps.append(app)
        return app

    def repository(
        self,
        full_name: str,
        files: Mapping[str, str | bytes] | None = None,
        *,
        private: bool = True,
        default_branch: str = "main",
        readers: Iterable[Account] = (),
        writers: Iterable[Account] = (),
    ) -> ForgeRepository:
        """Create a repository, with one commit if there are files."""
        path = self.root / f"{full_name}.git"
        git.make_bare(path, default_branch)
        made = ForgeRepository(
            full_name, path, self.url, default_branch, private,
            {account.login for account in readers}, {account.login for account in writers},
        )  # fmt: skip
        if files:
            made.commit(files, "Start")
        self.repositories[full_name.lower()] = made
        return made

    def login(self, token: str) -> str | None:
        """Return the login that a token belongs to; None if the token is not valid."""
        return next((account.login for account in self.accounts if account.token and account.token == token), None)

    async def answer_git(self, request: Request) -> Response:
        name = request.path_params["name"]
        repository = self.repositories.get(name.removesuffix(".git").lower())
        login = login_of(request, self.login)
        if login is None:
            return PlainTextResponse("Bad credentials", 401, {"WWW-Authenticate": 'Basic realm="forge"'})
        if repository is None:
            return PlainTextResponse("Repository not found.", 404)
        below = request.url.path.removeprefix(f"/{name}/")
        return await GitRequest(repository, below, login).answer(request)

    async def answer_lfs(self, request: Request) -> Response:
        """Answer a request to the API of Git LFS, which requires a token of the forge, or to its storage, which
        requires a ticket."""
        name, oid = request.path_params["name"], request.path_params.get("oid")
        repository = self.repositories.get(name.removesuffix(".git").lower())
        if repository is None:
            return PlainTextResponse("Repository not found.", 404)
        storage = self.own_lfs_storage
        if oid is not None and request.method == "POST":
            return await lfs.answer_verify(request, repository, oid, storage)
        if oid is not None:
            return await storage.answer(request, repository, oid)
        login = login_of(request, self.login)
        if login is None:
            return PlainTextResponse("Bad credentials", 401)
        below = request.url.path.rpartition("/info/lfs/")[2]
        return await lfs.answer_api(request, below, repository, login, self.lfs_storage or storage)

    def app(self) -> ASGIApp:
        routes = [
            Route(f"{api.prefix}{path}", endpoint(self, api, answer, signed=api is _APPS), methods=[method])
            for api in _APIS
            for method, path, answer in api.routes()
        ]
        routes += [
            Route(f"/{{name:path}}/{below}", self.answer_git, methods=["GET", "POST"])
            for below in ("info/refs", "git-upload-pack", "git-receive-pack", "HEAD")
        ]
        routes += [
            Route(f"/{{name:path}}/info/lfs/{below}", self.answer_lfs, methods=["POST"])
            for below in ("objects/batch", "locks/verify")
        ]
        routes += [
            Route("/lfs-storage/{name:path}/{oid}/verify", self.answer_lfs, methods=["POST"]),
            Route("/lfs-storage/{name:path}/{oid}", self.answer_lfs, methods=["GET", "PUT"]),
        ]
        return self._watched(Starlette(routes=routes))

    def _watched(self, app: ASGIApp) -> ASGIApp:
        async def watch(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                self.requests.append(f"{scope['method']} {scope['path']}")
                self.credentials += [value.decode() for name, value in scope["headers"] if name == b"authorization"]
                if self.hold is not None:
                    await self.hold(self.requests[-1])
            await app(scope, receive, send)

        return watch


@contextmanager
def forge(root: Path | None = None, *, place: tuple[str, int] = ("127.0.0.1", 0)) -> Iterator[Forge]:
    """Serve a forge at a host and port of this machine, by default at a free port."""
    with tempfile.TemporaryDirectory(prefix="forge-") as folder, socket.create_server(place) as listening:
        host, port = listening.getsockname()[:2]
        site = Forge(root or Path(folder), f"http://{host}:{port}")
        running = uvicorn.Server(
            uvicorn.Config(site.app(), log_level="error", lifespan="off", timeout_graceful_shutdown=1)
        )
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        _wait_until_started(running)
        try:
            yield site
        finally:
            running.should_exit = True
            thread.join(timeout=10)


def _wait_until_started(server: uvicorn.Server) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not server.started:
        if time.monotonic() > deadline:
            raise TimeoutError(f"The forge does not serve after {START_SECONDS:g} s.")
        time.sleep(0.02)
