"""fetch_history(): fetch the newest commits of a repository, without its files, to compare a push with them.

The door sends the requests itself, over a connection that it has checked, instead of starting a program with access to
the network.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Final

import h11

from tools_app.network.destination import ConnectionRefused, Unreachable
from tools_app.network.git.objects import Unreadable
from tools_app.network.git.server import Destination, Servers
from tools_app.network.git.side import RepositoryRefused
from tools_app.network.git.target import FETCH, GitTarget
from tools_app.network.git.wire import DELIMITER, FLUSH, BadPush, NeedMore, packet, read_packet
from tools_app.web.address import BadAddress

DEPTH: Final = 50  # generations of commits
MAX_HISTORY: Final = 256 << 20  # bytes
V2: Final = (b"Git-Protocol", b"version=2")


class History:
    """A reader of a repository's history, which asks the git server in version 2 of git's protocol. All methods raise
    Unreadable."""

    def __init__(self, servers: Servers, destination: Destination) -> None:
        self._servers = servers
        self._destination = destination

    async def tip(self, branch: str) -> tuple[str, str]:
        """Return the name and the commit of a branch. An empty name means the default branch; the commit is empty if
        there is no such branch."""
        ref = f"refs/heads/{branch}" if branch else "HEAD"
        asked = ["symrefs\n", f"ref-prefix {ref}\n"]
        request = packet("command=ls-refs\n") + DELIMITER + b"".join(map(packet, asked)) + FLUSH
        async for line in _lines(self._ask(request)):
            commit, name, *attributes = line.replace(b"\0", b" ").decode("utf-8", "replace").split()
            if name == ref:
                leads_to = [each.partition(":refs/heads/")[2] for each in attributes]
                return branch or "".join(leads_to), commit
        return branch, ""

    async def fetch(self, commits: Sequence[str], pack: Path, *, whole: bool = False) -> None:
        """Write a pack with commits, their ancestors, and the upper two levels of their folders. With `whole`, write
        the commits without ancestors but with all their files."""
        asked = [f"want {commit}\n" for commit in commits]
        bounds = ["deepen 1\n"] if whole else [f"deepen {DEPTH}\n", "filter tree:2\n"]
        lines = ["no-progress\n", "ofs-delta\n", *asked, *bounds, "done\n"]
        request = packet("command=fetch\n") + DELIMITER + b"".join(map(packet, lines)) + FLUSH

        def older(announced: bytes) -> bytes:
            return _older_fetch(commits, announced, whole=whole)

        size = 0
        with pack.open("wb") as file:
            async for line in _lines(self._ask(request, older)):
                if line.startswith(b"ERR ") or line[:1] == b"\x03":
                    raise Unreadable("the server does not show the commits that it is compared with")
                if line[:1] == b"\x01":
                    size += len(line) - 1
                    if size > MAX_HISTORY:
                        raise Unreadable("the history that it is compared with is too large")
                    file.write(line[1:])
        if not size:
            raise Unreadable("the server does not show the commits that it is compared with")

    async def _ask(self, request: bytes, older: Callable[[bytes], bytes] | None = None) -> AsyncIterator[bytes]:
        """Send a request and yield the response.

        For an ssh server without version 2 of git's protocol, `older` builds the request from the server's ref
        announcement. Without `older`, this announcement is yielded as the response.
        """
        try:
            target = GitTarget(self._destination.name, FETCH, announces=False)
            async with await self._servers.open(self._destination, target) as server:
                kind = f"application/x-{FETCH}-request".encode()
                length = (b"Content-Length", str(len(request)).encode())
                await server.begin(b"POST", [(b"Content-Type", kind), V2, length, *self._destination.headers])
                if server.older_announcement:
                    if older is None:
                        yield server.older_announcement
                        return
                    request = older(server.older_announcement)
                await server.send(request)
                response = await server.respond()
                if response.status_code != 200:
                    raise Unreadable("the server does not show the commits that it is compared with")
                async for data in server.body():
                    yield data
        except (OSError, h11.RemoteProtocolError, ConnectionRefused, Unreachable, BadAddress):
            raise Unreadable("the server of the repository does not answer") from None


def _older_fetch(commits: Sequence[str], announced: bytes, *, whole: bool) -> bytes:
    """Return a fetch request in version 1 of the protocol, with the capabilities that the server announced."""
    able = announced.partition(b"\0")[2].partition(b"\n")[0].split()
    filters = b"filter" in able and not whole
    wanted = [b"side-band-64k", b"ofs-delta", b"no-progress", b"shallow", *([b"filter"] if filters else [])]
    capabilities = b" ".join(each for each in wanted if each in able).decode()
    first, *others = commits
    wants = [f"want {first} {capabilities}\n", *(f"want {commit}\n" for commit in others)]
    bounds = [f"deepen {1 if whole else DEPTH}\n", *(["filter tree:2\n"] if filters else [])]
    return b"".join(map(packet, [*wants, *bounds])) + FLUSH + packet("done\n")


async def _lines(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the packets of a response, without delimiters."""
    held = b""
    async for data in body:
        held += data
        at = 0
        while True:
            try:
                line, at = read_packet(held, at)
            except NeedMore:
                break
            except BadPush:
                raise Unreadable("the server's answer is not git's protocol") from None
            if line is not None:
                yield line
        held = held[at:]


async def tip_of(history: History, branch: str) -> tuple[str, str]:
    """Return the name of a branch and its newest commit; an empty name means the default branch. Raises
    RepositoryRefused."""
    try:
        return await history.tip(branch)
    except Unreadable as error:
        raise RepositoryRefused(f"The push was not judged: {error}. Try again in a moment.") from None
