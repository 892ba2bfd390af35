"""LfsServer: ask the server of a repository about files in LFS."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tools_app.network.client import HOP_BY_HOP
from tools_app.network.git.history import History, tip_of
from tools_app.network.git.judging import judge_upload
from tools_app.network.git.lfs import messages
from tools_app.network.git.lfs.messages import MEDIA_TYPE, Action, Answer, BadMessage, Batch, LfsObject
from tools_app.network.git.lfs.storage import Storage
from tools_app.network.git.lfs.target import BATCH_PATH, LfsTarget
from tools_app.network.git.server import Destination, Headers, Server, Servers
from tools_app.network.git.side import READ_ONLY, RepositoryRefused, Side
from tools_app.network.git.target import FETCH, PUSH, Service
from tools_app.network.git.wire import is_ref
from tools_app.web.address import parse_address

MAX_KEPT: Final = 5_000  # actions of a workspace
JSON_HEADERS: Final = ((b"Accept", MEDIA_TYPE.encode()), (b"Content-Type", MEDIA_TYPE.encode()))
OWN_HEADERS: Final = HOP_BY_HOP | {b"content-length", b"user-agent"}
"""Headers that the door sets itself, whatever the server wants."""
MISSING: Final = frozenset({404, 405, 501})
NO_LFS: Final = "The server of {title} has no Git LFS for this repository (status {status})."
REFUSED: Final = "The server of {title} refused the request for files in LFS (status {status}). {said}"
NOT_THERE: Final = "The server of {title} does not have this file in LFS: somebody committed it and did not push it."


class LfsRefused(Exception):
    """The request is refused with an HTTP status. The message is a sentence that git-lfs prints."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Reply:
    """A server's answer to a Git LFS message."""

    status: int
    body: bytes

    @property
    def said(self) -> str:
        try:
            return messages.said_in(self.body)
        except BadMessage:
            return ""


class LfsServer:
    """The LFS servers of repositories, as the door sees them: requests the transfers of objects, and caches the
    answers."""

    def __init__(self, side: Side, servers: Servers, storage: Storage) -> None:
        self._side = side
        self._servers = servers
        self._storage = storage
        self._kept: dict[tuple[str, str, str], dict[str, Action]] = {}
        """The kept transfers (actions), by repository, operation and object."""

    async def ask(self, batch: Batch, destination: Destination) -> Answer:
        """Send a batch request to the git LFS server, store the transfer instructions in its response for `action`, and
        return the response. Raises LfsRefused, ConnectionRefused and other errors."""
        service = PUSH if batch.operation == "upload" else FETCH
        reply = await self.request(BATCH_PATH, batch.asked(), destination, service)
        if reply.status in MISSING:
            raise LfsRefused(404, NO_LFS.format(title=destination.title, status=reply.status))
        answer = Answer.read(reply.body)
        for each in answer.objects:
            self._keep((destination.name, batch.operation, each.oid), each.actions)
        return answer

    def _keep(self, key: tuple[str, str, str], actions: dict[str, Action]) -> None:
        self._kept.pop(key, None)
        self._kept[key] = actions
        while len(self._kept) > MAX_KEPT:
            del self._kept[next(iter(self._kept))]

    async def action(self, target: LfsTarget, destination: Destination, *, anew: bool = False) -> Action | None:
        """Return the server's instructions for the transfer of an object; None if the server already has an object that
        is to be uploaded.

        Sends a request to the server if its earlier answer is not stored or has expired, or if `anew` is set.
        """
        kept = self._kept.get((target.name, target.operation, target.oid), {}).get(target.kind)
        if kept is not None and kept.is_fresh and not anew:
            return kept
        batch = Batch.of(target.operation, LfsObject(oid=target.oid, size=target.size), target.ref)
        answer = await self.ask(batch, destination)
        found = next((each for each in answer.objects if each.oid == target.oid), None)
        if found is None or found.error is not None:
            raise LfsRefused(404, NOT_THERE.format(title=destination.title))
        return found.actions.get(target.kind)

    async def check_upload(self, ref: str, destination: Destination) -> None:
        """Check an upload of Git LFS files by the rules for the push to `ref`, and report each refused update. Raises
        LfsRefused, RepositoryRefused or BadMessage."""
        if destination.read_only:
            raise RepositoryRefused(READ_ONLY.format(destination.title))
        if not is_ref(ref):
            raise BadMessage(messages.NO_BRANCH)
        rules = await self._side.push_rules()
        if not rules.default_branch:
            branch, _ = await tip_of(History(self._servers, destination), "")
            rules = replace(rules, default_branch=branch)
        verdict = judge_upload(ref, rules)
        for each in verdict.refused:
            await self._side.report(each)
        if verdict.action != "allow":
            raise LfsRefused(403, " ".join(each.sentence for each in verdict.refused))

    async def request(self, path: str, body: bytes, destination: Destination, service: Service) -> Reply:
        """Post a JSON body to the repository's server; if its credential can be renewed, try again with the new one.
        Return a reply with status 200, or with a status that means that the server lacks this path. Raises LfsRefused
        otherwise."""
        reply = await self._post(path, body, destination)
        if reply.status == 401:
            renewed = await self._side.renewed(destination)
            reply = await self._post(path, body, renewed) if renewed else reply
        if reply.status == 401:
            raise LfsRefused(403, await self._side.rejected(destination, service, reply.status))
        if reply.status != 200 and reply.status not in MISSING:
            text = REFUSED.format(title=destination.title, status=reply.status, said=reply.said)
            raise LfsRefused(403, text.strip())
        return reply

    async def _post(self, path: str, body: bytes, destination: Destination) -> Reply:
        address = parse_address(f"{destination.address}{path}")
        async with await self._storage.open(address) as server:
            return await exchange(server, [*JSON_HEADERS, *destination.headers], body)

    def forget(self, target: LfsTarget) -> None:
        """Forget the kept answer about an object, so that the server is asked again."""
        self._kept.pop((target.name, target.operation, target.oid), None)


async def exchange(server: Server, headers: Headers, body: bytes) -> Reply:
    """Send a POST request to a Git LFS server and return its response. Raises BadMessage if the response is too
    long."""
    await server.begin(b"POST", [*headers, (b"Content-Length", str(len(body)).encode())])
    await server.send(body)
    response = await server.respond()
    received = bytearray()
    async for data in server.body():
        received += data
        if len(received) > messages.MAX_MESSAGE:
            raise BadMessage("The server's answer is too long.")
    return Reply(response.status_code, bytes(received))


def headers_of(action: Action, destination: Destination) -> Sequence[tuple[bytes, bytes]]:
    """Return the headers of a transfer, as named in the server's answer.

    The connection's credential is added if the transfer goes to the server itself and its answer names no credential.
    """
    given = [(_encoded(name), _encoded(value)) for name, value in action.header.items()]
    sent = [(name, value) for name, value in given if name.lower() not in OWN_HEADERS]
    has_credential = any(name.lower() == b"authorization" for name, _ in sent)
    is_server = parse_address(action.href).origin == parse_address(destination.address).origin
    return [*sent, *destination.headers] if is_server and not has_credential else sent


def _encoded(text: str) -> bytes:
    return text.encode("latin-1", "replace")
