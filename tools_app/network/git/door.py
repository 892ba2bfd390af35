"""GitDoor: serves the git requests of one workspace, for the repositories of its project.

The database decides where a request is sent, never the request or the repository's configuration. A push is read and
judged before any part of it is forwarded.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import h11
import structlog

from tools_app.network.client import Client
from tools_app.network.destination import ConnectionRefused, Guard, Unreachable
from tools_app.network.git import wire
from tools_app.network.git.body import request_body
from tools_app.network.git.history import History, tip_of
from tools_app.network.git.inspection import Inspection
from tools_app.network.git.judging import PushVerdict, judge_contents, judge_names
from tools_app.network.git.lfs.door import LfsDoor
from tools_app.network.git.lfs.target import is_lfs
from tools_app.network.git.server import Destination, Server, Servers, header_of
from tools_app.network.git.side import READ_ONLY, RepositoryRefused, Side
from tools_app.network.git.signing import PATH as SIGNATURE
from tools_app.network.git.signing import Allowance, NotSigned, read_object
from tools_app.network.git.spool import push_folder
from tools_app.network.git.target import PUSH, GitTarget, NoGitRequest, read_target
from tools_app.network.relay import CHUNK, Meter
from tools_app.web.address import BadAddress

if TYPE_CHECKING:
    from tools_app.network.git.ssh_server import SshServer

MAX_PUSH: Final = 2 << 30  # bytes of one push
PASSED_ON: Final = (b"accept", b"accept-encoding", b"content-type", b"content-encoding", b"git-protocol")
"""Headers of the program that the server gets."""
PASSED_BACK: Final = (b"content-type", b"content-encoding", b"content-length", b"cache-control")
"""Headers of the server that the program gets."""
TOO_LARGE: Final = f"A push may have at most {MAX_PUSH >> 30} GiB."

logger = structlog.get_logger(__name__)


class GitDoor:
    """Server for git requests of one workspace, part of the door (network proxy)."""

    def __init__(self, side: Side, servers: Servers, meter: Meter, guard: Guard) -> None:
        self._side = side
        self._servers = servers
        self._meter = meter
        self._lfs = LfsDoor(side, servers, meter, guard)
        self._signatures = Allowance()

    async def answer(self, client: Client, request: h11.Request) -> None:
        """Answer one request of a program: a git request, a Git LFS request, or a request for a signature."""
        if request.target == SIGNATURE and request.method == b"POST":
            await self._sign(client)
            return
        if is_lfs(request.target):
            await self._lfs.answer(client, request)
            return
        try:
            target = read_target(bytes(request.method), bytes(request.target))
        except NoGitRequest as error:
            await client.refuse(error.status, str(error))
            return
        try:
            destination = await self._side.destination(target.name)
            _check_right(destination, target)
            if target.announces or target.service != PUSH:
                await self._exchange(client, request, target, destination)
            else:
                await self._push(client, request, target, destination)
        except (RepositoryRefused, ConnectionRefused, Unreachable, BadAddress) as error:
            await _end(client, target, str(error))

    async def _sign(self, client: Client) -> None:
        try:
            payload = await read_object(request_body(client, self._meter))
            self._signatures.take()
            signer = await self._side.signer()
            signature = signer.sign(payload)
        except NotSigned as error:
            logger.info("not_signed", reason=str(error))
            await client.refuse(error.status, str(error))
        except (RepositoryRefused, Unreachable) as error:
            await client.refuse(403, str(error))
        else:
            logger.info("signed", committer=signer.email, sha256=hashlib.sha256(payload).hexdigest())
            await client.answer(200, "text/plain", signature)

    async def _exchange(
        self, client: Client, request: h11.Request, target: GitTarget, destination: Destination
    ) -> None:
        """Forward a request unchanged, and return its response to the program."""
        async with await self._servers.open(destination, target) as server:
            response = await self._ask(server, client, request, destination)
            if response.status_code == 401 and target.announces:
                await self._exchange_again(client, request, target, destination)
                return
            await self._answer_with(client, server, response, target, destination)

    async def _exchange_again(
        self, client: Client, request: h11.Request, target: GitTarget, destination: Destination
    ) -> None:
        """Answer a request whose credential was refused: repeat it with a new credential if there is one."""
        renewed = await self._side.renewed(destination)
        if renewed is None:
            await _end(client, target, await self._side.rejected(destination, target.service, 401))
            return
        async with await self._servers.open(renewed, target) as server:
            response = await self._ask(server, client, request, renewed)
            await self._answer_with(client, server, response, target, renewed)

    async def _ask(
        self, server: "Server | SshServer", client: Client, request: h11.Request, destination: Destination
    ) -> h11.Response:
        chunked = [(b"Transfer-Encoding", b"chunked")] if request.method == b"POST" else []
        length = header_of(request, b"content-length")
        framing = [(b"Content-Length", length)] if length else chunked
        await server.begin(bytes(request.method), [*_kept(request), *framing, *destination.headers])
        if request.method == b"POST":
            async for data in request_body(client, self._meter):
                await server.send(data)
        return await server.respond()

    async def _answer_with(
        self,
        client: Client,
        server: "Server | SshServer",
        response: h11.Response,
        target: GitTarget,
        destination: Destination,
    ) -> None:
        if problem := await self._problem(response, destination, target):
            await _end(client, target, problem)
        else:
            await self._pass_back(client, server, response, target)

    async def _push(self, client: Client, request: h11.Request, target: GitTarget, destination: Destination) -> None:
        if header_of(request, b"content-encoding"):
            await client.refuse(415, "A push must not be compressed as a whole.")
            return
        with push_folder() as folder:
            spool = Path(folder) / "request"
            try:
                push = await self._receive(client, spool)
            except wire.BadPush as error:
                await client.refuse(400, str(error))
                return
            verdict = await self._judge(push, Path(folder), destination)
            if verdict.action != "allow":
                await self._refuse(client, target, push, verdict)
                return
            if await self._send_push(client, request, target, destination, spool):
                logger.info("pushed", repository=destination.title, refs=[each.ref for each in push.updates])

    async def _receive(self, client: Client, spool: Path) -> wire.PushRequest:
        """Write the body of a push to a file and return the requested updates. Raises BadPush."""
        size = 0
        with spool.open("wb") as file:
            async for data in request_body(client, self._meter):
                size += len(data)
                if size > MAX_PUSH:
                    raise wire.BadPush(TOO_LARGE)
                await asyncio.to_thread(file.write, data)
        with spool.open("rb") as file:
            try:
                return wire.read_push(file.read(wire.MAX_COMMANDS + wire.MAX_PACKET))
            except wire.NeedMore:
                raise wire.BadPush("The push ends before its list of updates does.") from None

    async def _judge(self, push: wire.PushRequest, folder: Path, destination: Destination) -> PushVerdict:
        rules = await self._side.push_rules()
        verdict = judge_names(push.updates, rules)
        if verdict.action == "deny" or not push.updates:
            return verdict
        history = History(self._servers, destination)
        branch, tip = await tip_of(history, rules.default_branch)
        rules = replace(rules, default_branch=branch)
        verdict = judge_names(push.updates, rules)
        if verdict.action == "deny":
            return verdict
        found = await Inspection(folder, push, history, tip, rules.requirements).look()
        contents = [judge_contents(update, found[update.ref], rules) for update in push.updates if update.ref in found]
        return PushVerdict((*verdict.judged, *(each for part in contents for each in part.judged)))

    async def _refuse(self, client: Client, target: GitTarget, push: wire.PushRequest, verdict: PushVerdict) -> None:
        word = "denied" if verdict.action == "deny" else "needs permission"
        for each in verdict.refused:
            await self._side.report(each)
        sentences = [each.sentence for each in verdict.refused]
        reasons = {each.ref: word for each in verdict.refused}
        await client.answer(200, f"application/x-{target.service}-result", wire.refused_push(push, reasons, sentences))

    async def _send_push(
        self, client: Client, request: h11.Request, target: GitTarget, destination: Destination, spool: Path
    ) -> bool:
        """Forward a push to the server. Returns whether the server accepted the request; git reads the outcome for each
        ref in the response."""
        async with await self._servers.open(destination, target) as server:
            length = (b"Content-Length", str((await asyncio.to_thread(spool.stat)).st_size).encode())
            await server.begin(b"POST", [*_kept(request), length, *destination.headers])
            with spool.open("rb") as file:
                while data := await asyncio.to_thread(file.read, CHUNK):
                    await server.send(data)
            response = await server.respond()
            if problem := await self._problem(response, destination, target):
                await client.refuse(502, problem)
                return False
            await self._pass_back(client, server, response, target)
        return True

    async def _pass_back(
        self, client: Client, server: "Server | SshServer", response: h11.Response, target: GitTarget
    ) -> None:
        body = server.body()
        if target.announces and target.service == PUSH:
            body = _announced_for_pushes(body)
        kept = [(name, value) for name, value in response.headers if name in PASSED_BACK]
        if target.announces and target.service == PUSH:
            kept = [(name, value) for name, value in kept if name not in (b"content-length", b"content-encoding")]
        await client.send(h11.Response(status_code=200, headers=[*kept, (b"Connection", b"close")]))
        async for data in body:
            await self._meter.receive(len(data))
            await client.send(h11.Data(data=data))
        await client.send(h11.EndOfMessage())

    async def _problem(self, response: h11.Response, destination: Destination, target: GitTarget) -> str:
        """Return an explanation of an unsuccessful response; an empty text for a success."""
        status = response.status_code
        if status == 200:
            return ""
        if status in (401, 403):
            return await self._side.rejected(destination, target.service, status)
        if status == 404:
            return (
                f"The repository {destination.title} does not exist (any more), or the connection may not use it. "
                "Ask an admin of the team to look at the project's repository."
            )
        if status // 100 == 3:
            return (
                f"The repository {destination.title} was moved. Ask an admin of the team to enter its new address in "
                "the project's settings."
            )
        return f"The server of {destination.title} answered with status {status}. Try again in a moment."


def _check_right(destination: Destination, target: GitTarget) -> None:
    """Raise RepositoryRefused for a push to a repository that workspaces may only read."""
    if destination.read_only and target.service == PUSH:
        raise RepositoryRefused(READ_ONLY.format(destination.title))


def _kept(request: h11.Request) -> Sequence[tuple[bytes, bytes]]:
    """Return the program's headers that are forwarded.

    `Accept-Encoding` is left out, because the door would have to decompress ref announcements.
    """
    return [(name, value) for name, value in request.headers if name in PASSED_ON and name != b"accept-encoding"]


async def _end(client: Client, target: GitTarget, sentence: str) -> None:
    """End a request with a sentence that git prints."""
    if target.announces:
        body = wire.advertised_error(target.service, sentence)
        await client.answer(200, f"application/x-{target.service}-advertisement", body)
    elif target.service == PUSH:
        await client.refuse(403, sentence)
    else:
        await client.answer(200, f"application/x-{target.service}-result", wire.error(sentence))


async def _announced_for_pushes(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield a server's ref announcement without the capabilities that pushes through the door (network proxy) cannot
    use."""
    held = b""
    async for data in body:
        held += data
        changed = _first_line_changed(held)
        if changed is not None:
            yield changed
            break
        if len(held) > wire.MAX_PACKET * 4:
            break
    else:
        yield held
    async for data in body:
        yield data


def _first_line_changed(data: bytes) -> bytes | None:
    """Return the bytes of a ref announcement with its capabilities replaced, or unchanged if they are not valid
    packets; None until the line with the capabilities has arrived completely."""
    at = 0
    while True:
        try:
            line, end = wire.read_packet(data, at)
        except wire.NeedMore:
            return None
        except wire.BadPush:
            return data
        if line is not None and b"\0" in line:
            return data[:at] + wire.packet(wire.without_capabilities(line)) + data[end:]
        at = end
