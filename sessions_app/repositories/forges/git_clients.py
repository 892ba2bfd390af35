"""git_client(): the client that speaks git's own protocol to a repository, over HTTP or ssh. Only the door uses it."""

import httpx

from sessions_app.repositories.forges.access import Access
from sessions_app.repositories.forges.client import ForgeClient, GitClient


def git_client(access: Access, clone_url: str, transport: httpx.AsyncBaseTransport) -> GitClient:
    """Return a client of the git repository at `clone_url`. The caller has checked that the URL belongs to this
    access."""
    if access.kind == "ssh":
        from sessions_app.repositories.forges.ssh import SshClient

        return SshClient(access, clone_url)
    given = access.git_authorization
    return ForgeClient(clone_url, {"Authorization": given} if given else {}, transport)
