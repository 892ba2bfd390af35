"""forge_of(): return the forge client for the kind of a connection."""

from typing import Final

import httpx

from sessions_app.repositories.forges.access import Access
from sessions_app.repositories.forges.bitbucket import CLOUD, Bitbucket
from sessions_app.repositories.forges.gitea import Gitea
from sessions_app.repositories.forges.github import GitHub
from sessions_app.repositories.forges.gitlab import GitLab
from sessions_app.repositories.forges.port import Forge

ADDRESSES: Final = {"github": "https://github.com", "gitlab": "https://gitlab.com", "bitbucket": CLOUD}
"""The address of the public site of each kind of forge that has one."""


def forge_of(access: Access, transport: httpx.AsyncBaseTransport, *, is_app: bool = False) -> Forge | None:
    """Return the client of a forge; None for a git server without a supported API."""
    match access.kind:
        case "github":
            return GitHub(access, transport, is_app=is_app)
        case "gitlab":
            return GitLab(access, transport)
        case "gitea":
            return Gitea(access, transport)
        case "bitbucket":
            return Bitbucket(access, transport)
    return None
