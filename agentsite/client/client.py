"""The entry point of the client library: `Client`, a connection to one site that is authenticated with an API token."""

import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import httpx

from agentsite.client import types
from agentsite.client.connection import Connection
from agentsite.client.errors import NotConnected, UploadRefused
from agentsite.client.paging import pages
from agentsite.client.session import Session

POLL_SECONDS: Final = 0.5


class Client:
    """A connection to one site.

    `address` is the URL of the site, including its path prefix if it has one. `token` is an API token (`ags_...`).
    `timeout` is in seconds and applies to each request.
    """

    def __init__(
        self, address: str, *, token: str, timeout: float = 30.0, transport: httpx.BaseTransport | None = None
    ) -> None:
        self._connection = Connection(address, token, timeout=timeout, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def me(self) -> types.MeView:
        """Return the person or service account that the API token belongs to."""
        return self._connection.get(types.MeView, "/me")

    def projects(self) -> list[types.ProjectView]:
        """Return all projects that the token can access."""
        return list(pages(lambda cursor: self._connection.get(types.ProjectPage, "/projects", cursor=cursor)))

    def connect(
        self, team_id: str, kind: str, token: str, *, address: str = "", **options: str
    ) -> types.ConnectionView:
        """Connect a team with a forge, and test the connection. If the forge does not accept the connection, delete it
        and raise NotConnected.

        `kind` is github, gitlab, gitea, bitbucket or git. `address` is the address of a self-hosted server. `options`
        are `name` and `username`.
        """
        given = {"kind": kind, "token": token, "base_url": address, **options}
        made = self._connection.send(types.ConnectionView, "POST", f"/teams/{team_id}/connections", given)
        report = self._connection.send(types.ConnectionReport, "POST", f"/connections/{made.id}/test")
        if not report.ok:
            self._connection.delete(f"/connections/{made.id}")
            raise NotConnected(report)
        return self._connection.get(types.ConnectionView, f"/connections/{made.id}")

    def create_project(
        self, team_id: str, name: str, repository: str = "", *, connection: str | None = None, ref: str = ""
    ) -> types.ProjectView:
        """Create a project. Its `repository` is a name at the forge of `connection` (an id) or, without a connection,
        the address of a public repository. `ref` is the branch that workspaces start from."""
        place = {"connection": connection, "name": repository} if connection else {"url": repository}
        given = {"name": name, "repository": {**place, "ref": ref}} if repository else {"name": name}
        return self._connection.send(types.ProjectView, "POST", f"/teams/{team_id}/projects", given)

    def upload_project(self, team_id: str, name: str, path: Path) -> types.ProjectView:
        """Create a project that starts with a zip or tar file or a git bundle, and return it when it is ready. Raises
        UploadRefused with the reason if the site cannot use the file."""
        size = path.stat().st_size
        upload = self._connection.send(
            types.UploadView, "POST", f"/teams/{team_id}/uploads", {"name": path.name, "size": size}
        )
        with path.open("rb") as file:
            while upload.state == "receiving":
                file.seek(upload.received)
                part = file.read(upload.part_bytes)
                address = f"/uploads/{upload.id}/content"
                upload = self._connection.put_bytes(types.UploadView, address, part, offset=upload.received)
        while upload.state == "checking":
            time.sleep(POLL_SECONDS)
            upload = self._connection.get(types.UploadView, f"/uploads/{upload.id}")
        if upload.state != "ready":
            raise UploadRefused(upload)
        return self._connection.send(types.ProjectView, "POST", f"/uploads/{upload.id}/project", {"name": name})

    def sessions(self, *, status: str | None = None) -> Iterator[types.SessionView]:
        """Yield the sessions of all projects, newest first. `status` restricts them to sessions with this status."""
        return pages(lambda cursor: self._connection.get(types.SessionPage, "/sessions", cursor=cursor, status=status))

    def start_session(self, project_id: str, **options: Any) -> Session:
        """Create a session. `options` are fields of the new session: title, agent, workspace_id, new_workspace,
        folder and others."""
        view = self._connection.send(types.SessionView, "POST", f"/projects/{project_id}/sessions", options)
        return Session(self._connection, view.id)

    def session(self, session_id: str) -> Session:
        """Return an existing session. Sends no request."""
        return Session(self._connection, session_id)

    def waiting_requests(self) -> list[types.WaitingRequest]:
        """Return the open permission requests of all sessions that the token can access, oldest first."""
        path = "/permission-requests"
        return list(pages(lambda cursor: self._connection.get(types.WaitingRequests, path, cursor=cursor)))
