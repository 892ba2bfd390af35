"""Links to the runners. Each runner hands over the listening socket to which the programs of its container connect.

The door listens on a socket in the directory of each workspace that only root can enter, inside and outside of the
container. Therefore the socket tells which workspace a connection comes from.
"""

import asyncio
import json
import os
import socket
import ssl
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import structlog

from sandbox.runner.door import DOOR_NAME, LOOPBACK, MAX_MESSAGE
from sessions_app.workers.door.repository import WorkspaceRepository
from sessions_app.workers.door.rules import WorkspaceGuard
from sessions_app.workers.door.secrets import WorkspaceSecrets
from sessions_app.workers.door.traffic import TrafficCount
from tools_app.network.added_secrets import AddedSecret
from tools_app.network.destination import ConnectionRefused, Guard
from tools_app.network.environment import environment
from tools_app.network.git.door import GitDoor
from tools_app.network.git.judging import JudgedPush
from tools_app.network.git.server import Servers
from tools_app.network.judging import pattern_of
from tools_app.network.proxy import Proxy
from tools_app.network.upstream import Upstream
from tools_app.permission.pushes import PERMISSION as GIT_PUSH
from tools_app.web.address import WebAddress

MAX_CONNECTIONS: Final = 128  # of one workspace at the same time; more wait in the socket's queue
ACCEPT_PAUSE: Final = 0.1  # seconds until the next attempt if the process has no descriptor left
HAND_OVER_TIMEOUT: Final = 5.0  # seconds
TELL_TIMEOUT: Final = 0.5  # seconds
READ_AHEAD: Final = 1 << 16  # bytes of a connection

logger = structlog.get_logger(__name__)


class BadHandOver(Exception):
    """A runner handed over something other than a listening socket of its container."""


class WorkspaceLink:
    """The link of the door to one workspace: the door's socket in the workspace's directory, and the runner that is
    connected to that socket."""

    def __init__(
        self, folder: Path, upstream: Upstream, tls: Callable[[], ssl.SSLContext] = ssl.create_default_context
    ) -> None:
        self.workspace_id = folder.name
        self._path = folder / "runner" / DOOR_NAME
        self.traffic = TrafficCount(self.workspace_id)
        self.secrets = WorkspaceSecrets(self.workspace_id, tls)
        self._guard = WorkspaceGuard(self.workspace_id)
        self._runner: socket.socket | None = None
        self._telling = asyncio.Lock()
        self._untold: dict[str, asyncio.Task[None]] = {}
        self._handled = asyncio.Event()
        repository = WorkspaceRepository(self.workspace_id, self._report_push)
        guard = Guard(self._guard.judge, self._report)
        git = GitDoor(repository, Servers(upstream, tls), self.traffic.meter, guard)
        self._proxy = Proxy(guard, upstream, self.traffic.meter, git, self.secrets.find)
        self._open = asyncio.Semaphore(MAX_CONNECTIONS)
        self._connections: set[asyncio.Task[None]] = set()
        self._open_socket()

    async def use_secrets(self, secrets: Sequence[AddedSecret]) -> None:
        """Add these secrets to requests from now on."""
        if self.secrets.replace(secrets):
            logger.info("door_secrets_changed", workspace=self.workspace_id, secrets=len(secrets))
            await self._tell({"certificates": self.secrets.certificates})

    def keep_in_place(self) -> None:
        """Open the socket again if it is no longer in its directory, because a disk was mounted there or unmounted.
        Give the socket the owner of the directory. Does nothing while a runner is connected."""
        if self._runner is not None:
            return
        try:
            if _identity(self._path) != self._placed:
                self._close_socket()
                self._open_socket()
            _share_owner(self._path)
        except OSError as error:  # the workspace is being removed, or its disk is full
            logger.debug("door_not_in_place", workspace=self.workspace_id, error=str(error))

    def close(self) -> None:
        """Stop serving the workspace and remove the socket."""
        self._close_socket()
        with suppress(OSError):
            self._path.unlink()

    def _open_socket(self) -> None:
        self._listener = _listen(self._path)
        self._placed = _identity(self._path)
        self._serving = asyncio.create_task(self._serve(self._listener), name=f"door-{self.workspace_id}")

    def _close_socket(self) -> None:
        self._serving.cancel()
        self._listener.close()

    async def _serve(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            runner, _ = await loop.sock_accept(listener)
            with runner:
                runner.setblocking(False)  # noqa: FBT003 - the socket's own interface
                try:
                    await self._follow_runner(runner)
                except Exception as error:  # noqa: BLE001 - whatever a runner does, the next one is served
                    logger.warning("door_link_failed", workspace=self.workspace_id, error=repr(error))

    async def _follow_runner(self, runner: socket.socket) -> None:
        """Receive the listening socket from a container's runner, and accept the container's connections until the
        runner closes its connection."""
        async with asyncio.timeout(HAND_OVER_TIMEOUT):
            listener = await _handed_over(runner)
        self._runner = runner
        accepting = asyncio.create_task(self._accept(listener), name=f"door-accepts-{self.workspace_id}")
        try:
            logger.info("door_linked", workspace=self.workspace_id)
            variables = environment(listener.getsockname()[1])
            told = json.dumps({"certificates": self.secrets.certificates, "environment": variables}).encode()
            await asyncio.get_running_loop().sock_sendall(runner, told)
            while await asyncio.get_running_loop().sock_recv(runner, MAX_MESSAGE):
                self._handled.set()
        finally:
            self._runner = None
            accepting.cancel()
            listener.close()

    async def _accept(self, listener: socket.socket) -> None:
        """Accept connections while fewer than `MAX_CONNECTIONS` are open. Open connections continue when this coroutine
        ends."""
        loop = asyncio.get_running_loop()
        while True:
            await self._open.acquire()
            try:
                connection, _ = await loop.sock_accept(listener)
            except OSError:
                self._open.release()
                await asyncio.sleep(ACCEPT_PAUSE)
            except asyncio.CancelledError:
                self._open.release()
                raise
            else:
                serving = asyncio.create_task(self._serve_connection(connection))
                self._connections.add(serving)
                serving.add_done_callback(self._connections.discard)

    async def _serve_connection(self, connection: socket.socket) -> None:
        self.traffic.connections += 1
        try:
            with connection, suppress(OSError):
                await self._proxy.serve(*await asyncio.open_connection(sock=connection, limit=READ_AHEAD))
        finally:
            self._open.release()

    async def _report(self, address: WebAddress, refusal: ConnectionRefused) -> None:
        """Ask the runner to record a refused connection, so that the result of the command names it."""
        self.traffic.refused += 1
        name = pattern_of(address.host, address.port)
        logger.info("connection_refused", workspace=self.workspace_id, host=name, may_ask=refusal.may_ask)
        told = {"name": name, "reason": str(refusal), "may_ask": refusal.may_ask, "cause": refusal.cause}
        await self._tell_refusal({"refused": told})

    async def _report_push(self, refused: JudgedPush) -> None:
        """Tell the runner about a refused push, so that the result of the command that pushed names it."""
        self.traffic.refused += 1
        may_ask = refused.action == "ask"
        logger.info("push_refused", workspace=self.workspace_id, pattern=refused.pattern, may_ask=may_ask)
        told = {"name": refused.pattern, "reason": refused.sentence, "may_ask": may_ask, "permission": GIT_PUSH}
        await self._tell({"refused": told})

    async def _tell_refusal(self, message: Mapping[str, Any]) -> None:
        """Tell the runner about a refused connection or push. A refusal equal to one that is still waiting to be sent
        is not sent again, because a program that is refused one host for hundreds of connections would otherwise wait
        for as many replies."""
        name = json.dumps(message)
        if name not in self._untold:
            self._untold[name] = asyncio.create_task(self._tell(message, name))
        await asyncio.shield(self._untold[name])

    async def _tell(self, message: Mapping[str, Any], name: str = "") -> None:
        """Send a message to the runner, and wait until the runner has handled it, but only briefly, because the runner
        may be stopped."""
        async with self._telling:
            self._untold.pop(name, None)  # what is refused from now on needs a message of its own
            if self._runner is None:
                return
            self._handled.clear()
            with suppress(OSError):  # includes a timeout
                async with asyncio.timeout(TELL_TIMEOUT):
                    await asyncio.get_running_loop().sock_sendall(self._runner, json.dumps(message).encode())
                    await self._handled.wait()


def _listen(path: Path) -> socket.socket:
    """Return a listening socket at `path`. Only the owner of the directory that contains the socket may connect to
    it."""
    with suppress(FileNotFoundError):
        path.unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        listener.setblocking(False)  # noqa: FBT003 - the socket's own interface
        mask = os.umask(0o177)
        try:
            listener.bind(str(path))
        finally:
            os.umask(mask)
        _share_owner(path)
        listener.listen(1)
    except OSError:
        listener.close()
        raise
    return listener


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the device and inode numbers of the file at this path, which identify it; None if it does not exist."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _share_owner(path: Path) -> None:
    """Make the directory's owner the owner of the socket. Symbolic links are not followed, because the directory's
    owner could replace the socket with one."""
    owner = path.parent.lstat()
    if path.lstat().st_uid != owner.st_uid:
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


async def _handed_over(runner: socket.socket) -> socket.socket:
    """Receive the listening socket of a container. Raises BadHandOver if the runner sends anything else."""
    await _readable(runner)
    _, received, _, _ = socket.recv_fds(runner, MAX_MESSAGE, 1)
    if len(received) != 1:
        raise BadHandOver("The runner handed over no socket.")
    if not stat.S_ISSOCK(os.fstat(received[0]).st_mode):
        os.close(received[0])
        raise BadHandOver("The runner handed over something that is not a socket.")
    handed = socket.socket(fileno=received[0])
    if not _accepts_on_loopback(handed):
        handed.close()
        raise BadHandOver("The runner handed over a socket that does not listen on the loopback interface.")
    handed.setblocking(False)  # noqa: FBT003 - the socket's own interface
    return handed


def _accepts_on_loopback(handed: socket.socket) -> bool:
    return (
        handed.family == socket.AF_INET
        and handed.type == socket.SOCK_STREAM
        and bool(handed.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
        and handed.getsockname()[0] == LOOPBACK
    )


async def _readable(sock: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(sock, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(sock)
