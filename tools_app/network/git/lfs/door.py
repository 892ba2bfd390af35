"""LfsDoor: the server for Git LFS requests of one workspace, for the repositories that git reaches through the door.

The door asks the server where an object is stored, and transfers it between the program and the storage. Addresses and
credentials of the storage never reach the program. Uploads are judged like the push that they belong to.
"""

from typing import Final

import h11

from tools_app.network.client import Client
from tools_app.network.destination import ConnectionRefused, Guard, Unreachable
from tools_app.network.git.body import request_body
from tools_app.network.git.lfs import messages
from tools_app.network.git.lfs.messages import MEDIA_TYPE, Action, Answer, AnsweredObject, BadMessage, Batch
from tools_app.network.git.lfs.server import MISSING, LfsRefused, LfsServer
from tools_app.network.git.lfs.storage import Storage
from tools_app.network.git.lfs.target import LOCKS_PATH, LfsTarget, port_of, read_lfs_target
from tools_app.network.git.lfs.transfers import Transfers
from tools_app.network.git.server import Destination, Servers, header_of
from tools_app.network.git.side import RepositoryRefused, Side
from tools_app.network.git.target import PUSH, NoGitRequest
from tools_app.network.relay import Meter
from tools_app.web.address import BadAddress

OVER_SSH: Final = (
    "{title} is reached by SSH, where files in Git LFS are not available: they stay pointers. An admin of the team can "
    "connect it with a token instead."
)


class LfsDoor:
    """Server for Git LFS requests of one workspace, part of the door (network proxy)."""

    def __init__(self, side: Side, servers: Servers, meter: Meter, guard: Guard) -> None:
        self._side = side
        self._meter = meter
        self._storage = Storage(servers.upstream, servers.tls, guard)
        self._server = LfsServer(side, servers, self._storage)
        self._transfers = Transfers(self._server, self._storage, meter)

    async def answer(self, client: Client, request: h11.Request) -> None:
        """Answer one Git LFS request of a program in the workspace."""
        try:
            target = read_lfs_target(bytes(request.method), bytes(request.target))
            await self._serve(client, request, target)
        except (NoGitRequest, LfsRefused) as error:
            await _refuse(client, error.status, str(error))
        except BadMessage as error:
            await _refuse(client, 422, str(error))
        except (RepositoryRefused, ConnectionRefused) as error:
            await _refuse(client, 403, str(error))
        except (Unreachable, BadAddress) as error:
            await _refuse(client, 502, str(error))

    async def _serve(self, client: Client, request: h11.Request, target: LfsTarget) -> None:
        destination = await self._side.destination(target.name)
        if destination.ssh is not None:
            raise LfsRefused(403, OVER_SSH.format(title=destination.title))
        match target.kind:
            case "batch":
                await self._batch(client, destination, port_of(header_of(request, b"host")))
            case "locks":
                await self._locks(client, destination)
            case "download":
                await self._transfers.download(client, request, target, destination)
            case "upload":
                await self._transfers.upload(client, request, target, destination)
            case "verify":
                await self._transfers.verify(client, target, destination)

    async def _batch(self, client: Client, destination: Destination, port: int) -> None:
        batch = Batch.read(await self._message(client))
        if batch.operation == "upload":
            await self._server.check_upload(batch.ref_name, destination)
        large = messages.too_large(batch.objects)
        wanted = [each for each in batch.objects if each.oid not in large]
        asked = batch.model_copy(update={"objects": wanted})
        answer = await self._server.ask(asked, destination) if wanted else Answer(objects=[])
        problems = {**large, **await self._refused_places(answer, destination)}
        left_out = [AnsweredObject(oid=each.oid, size=each.size) for each in batch.objects if each.oid in large]
        told = messages.Told(batch, destination.name, Answer(objects=[*answer.objects, *left_out]), problems, port)
        await client.answer(200, MEDIA_TYPE, told.body())

    async def _refused_places(self, answer: Answer, destination: Destination) -> dict[str, str]:
        """Return the reasons why storage servers are refused, by the ids of the objects stored there. Each server is
        judged once."""
        verdicts: dict[str, str] = {}
        problems = {}
        for each in answer.objects:
            for action in each.actions.values():
                origin = "/".join(action.href.split("/")[:3])
                if origin not in verdicts:
                    verdicts[origin] = await self._refusal(action, destination)
                if verdicts[origin]:
                    problems[each.oid] = verdicts[origin]
        return problems

    async def _refusal(self, action: Action, destination: Destination) -> str:
        try:
            await self._storage.judge(action.href, destination)
        except (ConnectionRefused, Unreachable, BadAddress) as error:
            return str(error)
        return ""

    async def _locks(self, client: Client, destination: Destination) -> None:
        """Answer a query for locked files. git-lfs refuses to push files that somebody else has locked."""
        asked = messages.read_locks(await self._message(client))
        reply = await self._server.request(LOCKS_PATH, asked, destination, PUSH)
        found = messages.no_locks() if reply.status in MISSING else messages.shown_locks(reply.body)
        await client.answer(200, MEDIA_TYPE, found)

    async def _message(self, client: Client) -> bytes:
        received = bytearray()
        async for data in request_body(client, self._meter):
            received += data
            if len(received) > messages.MAX_MESSAGE:
                raise LfsRefused(413, "The message is too long.")
        return bytes(received)


async def _refuse(client: Client, status: int, sentence: str) -> None:
    """Answer a Git LFS request with an error whose message git-lfs prints."""
    reason = sentence.encode("ascii", "replace")[:200]
    await client.answer(status, MEDIA_TYPE, messages.problem(sentence), reason=reason)
