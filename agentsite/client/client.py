"""The site, as a program with a token sees it."""

from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

import httpx

from agentsite.client import types
from agentsite.client.connection import Connection
from agentsite.client.paging import pages
from agentsite.client.session import Session


class Client:
    """`address` is the site's, with its prefix if it has one; `token` an API token (`ags_...`)."""

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
        return self._connection.get(types.MeView, "/me")

    def projects(self) -> list[types.ProjectView]:
        return list(pages(lambda cursor: self._connection.get(types.ProjectPage, "/projects", cursor=cursor)))

    def sessions(self, *, status: str | None = None) -> Iterator[types.SessionView]:
        """Of all projects, newest first."""
        return pages(lambda cursor: self._connection.get(types.SessionPage, "/sessions", cursor=cursor, status=status))

    def start_session(self, project_id: str, **options: Any) -> Session:
        """`options` are the fields of a new session: title, agent, workspace_id, new_workspace."""
        view = self._connection.send(types.SessionView, "POST", f"/projects/{project_id}/sessions", options)
        return Session(self._connection, view.id)

    def session(self, session_id: str) -> Session:
        """One that is there already."""
        return Session(self._connection, session_id)

    def waiting_requests(self) -> list[types.WaitingRequest]:
        """The open permission requests of everything you may see, oldest first."""
        path = "/permission-requests"
        return list(pages(lambda cursor: self._connection.get(types.WaitingRequests, path, cursor=cursor)))
