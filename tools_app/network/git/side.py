"""`Side`: the interface through which the door (the network proxy) gets a workspace's repositories and rules for git
requests."""

from typing import Final, Protocol

from tools_app.network.git.judging import JudgedPush, PushRules
from tools_app.network.git.server import Destination
from tools_app.network.git.signing import Signer
from tools_app.network.git.target import Service

READ_ONLY: Final = "{} is a submodule: workspaces of this project read it, and do not push to it."


class RepositoryRefused(Exception):
    """The workspace has no repository with the requested name, or may not use it now. The message says why and what to
    do."""


class Side(Protocol):
    """The door's access to the site's database, which is read for each request, so that a revoked connection ends at
    once."""

    async def destination(self, name: str) -> Destination:
        """Return the repository with this name. Raises RepositoryRefused, or Unreachable if it cannot be read."""
        ...

    async def renewed(self, destination: Destination) -> Destination | None:
        """Return the repository with a new credential, after the server refused the old one.

        Returns None if the credential cannot be renewed.
        """
        ...

    async def signer(self) -> Signer:
        """Return the signer of the workspace's commits. Raises RepositoryRefused if commits are not signed, or
        Unreachable."""
        ...

    async def push_rules(self) -> PushRules:
        """Return the rules for the pushes of the workspace.

        They include permission rules, protected branches, people's decisions and requirements for commits. Raises
        RepositoryRefused or Unreachable.
        """
        ...

    async def rejected(self, destination: Destination, service: Service, status: int) -> str:
        """Store that the server did not accept the connection's credential. Returns a sentence about this for the
        running command."""
        ...

    async def report(self, refused: JudgedPush) -> None:
        """Tell the running command that the update of a ref was refused."""
        ...
