"""SshServer: one request of git over ssh, with the interface of `server.Server`.

Over HTTP, each request of git is complete in itself. Over ssh, a program on the server first announces its refs, and
then reads one request. The announcement is used as the answer to `info/refs`, and skipped for all other requests.
"""

import asyncio
import shlex
import zlib
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Any, Final, Self

import asyncssh
import h11
import structlog

from tools_app.network.destination import Unreachable
from tools_app.network.git.ssh_address import SshPlace
from tools_app.network.git.ssh_keys import SshLogin, fingerprint
from tools_app.network.git.target import GitTarget
from tools_app.network.git.wire import FLUSH, BadPush, NeedMore, packet, read_packet
from tools_app.network.relay import CHUNK
from tools_app.network.upstream import Upstream
from tools_app.web.guarded.connect import MAX_ATTEMPTS

LOGIN_TIMEOUT: Final = 20.0  # seconds
ANSWER_TIMEOUT: Final = 300.0  # seconds; a server may count objects for long before it answers
MAX_ANNOUNCED: Final = 64 << 20  # bytes
MAX_SAID: Final = 2_000  # bytes of the server's words
HOST_KEYS: Final = ("ssh-ed25519", "ecdsa-sha2-nistp256", "rsa-sha2-512", "rsa-sha2-256")
CHANGED: Final = (
    "The host key of {host} is not the one of the first test: {found} instead of {known}. Ask an admin of the team to "
    "find out why, and to replace the credential of the connection if the server has a new key."
)
NO_KEY: Final = "The host key of {host} is not known yet. Ask an admin of the team to test the connection."
MISSING: Final = ("not found", "does not appear", "does not exist", "no such", "not exist")
DENIED: Final = ("denied", "permission", "write access", "read-only", "read only", "not allowed", "unauthorized")

logger = structlog.get_logger(__name__)


class NotAccepted(Exception):
    """The server does not accept the key."""


class HostKeyChanged(Unreachable):
    """The server has another host key than at the first test."""


@dataclass
class _Verifier(asyncssh.SSHClient):
    """An SSH client that compares the server's key with the known key before it authenticates."""

    login: SshLogin
    found: str = ""

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        self.found = key.export_public_key().decode().strip()
        known, found = self.login.host_key.split()[:2], self.found.split()[:2]
        return (self.login.is_test and not known) or known == found


async def log_in(upstream: Upstream, place: SshPlace, login: SshLogin) -> tuple[asyncssh.SSHClientConnection, str]:
    """Return a connection and the server's public key. Raises NotAccepted, HostKeyChanged, ConnectionRefused and
    Unreachable."""
    if not login.host_key and not login.is_test:
        raise Unreachable(NO_KEY.format(host=place.host.authority))
    verifier = _Verifier(login)
    options: dict[str, Any] = {
        "username": place.user, "client_keys": [asyncssh.import_private_key(login.private_key)],
        "client_factory": lambda: verifier, "known_hosts": b"", "config": None, "agent_path": None,
        "preferred_auth": "publickey", "server_host_key_algs": _algorithms(login.host_key),
        "host_key_alias": place.host.host, "login_timeout": LOGIN_TIMEOUT, "compression_algs": None,
    }  # fmt: skip
    for ip in (await upstream.checked(place.host))[:MAX_ATTEMPTS]:
        try:
            async with asyncio.timeout(LOGIN_TIMEOUT):
                return await asyncssh.connect(str(ip), place.host.port, **options), verifier.found
        except asyncssh.PermissionDenied:
            raise NotAccepted from None
        except (asyncssh.HostKeyNotVerifiable, asyncssh.KeyExchangeFailed):
            known = fingerprint(login.host_key)
            found = fingerprint(verifier.found) or "a key of another kind"
            text = CHANGED.format(host=place.host.authority, found=found, known=known)
            raise HostKeyChanged(text) from None
        except (OSError, asyncssh.Error) as error:
            logger.info("ssh_not_connected", host=place.host.authority, error=type(error).__name__)
    raise Unreachable(f"{place.host.origin} does not answer.")


def _algorithms(host_key: str) -> tuple[str, ...]:
    kind = host_key.partition(" ")[0]
    if kind == "ssh-rsa":
        return ("rsa-sha2-512", "rsa-sha2-256")
    return (kind,) if kind else HOST_KEYS


class SshServer:
    """A git server that is reached over SSH: sends it one request of git, and reads its response."""

    def __init__(self, upstream: Upstream, place: SshPlace, login: SshLogin, target: GitTarget) -> None:
        self._upstream = upstream
        self._place = place
        self._login = login
        self._target = target
        self._connection: asyncssh.SSHClientConnection | None = None
        self._process: asyncssh.SSHClientProcess[bytes] | None = None
        self._unzip: Any = None
        self.announced = b""
        """The announcement of the server, without the packet that ends it."""
        self._status = 200
        self._held = b""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.close()
        if self._connection is not None:
            self._connection.close()

    @property
    def older_announcement(self) -> bytes:
        """The ref announcement of a server that does not support version 2 of git's protocol; empty if the server
        supports it."""
        return b"" if self.announced[4:].startswith(b"version 2") else self.announced

    async def begin(self, method: bytes, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Start git's program on the server and read its announcement. Raises Unreachable and ConnectionRefused."""
        given = dict(headers)
        if given.get(b"content-encoding", b"") == b"gzip":
            self._unzip = zlib.decompressobj(31)
        version = given.get(b"Git-Protocol") or given.get(b"git-protocol", b"")
        try:
            self._connection, _ = await log_in(self._upstream, self._place, self._login)
            self._process = await self._connection.create_process(
                f"{self._target.service} {shlex.quote(self._place.path)}",
                encoding=None,
                env={"GIT_PROTOCOL": version.decode("latin-1")} if version else {},
            )
            async with asyncio.timeout(ANSWER_TIMEOUT):
                await self._read_announced()
        except NotAccepted:
            self._status = 401
        except asyncssh.Error as error:
            raise Unreachable(f"{self._place.host.origin} ended the connection ({error.reason}).") from None

    async def _read_announced(self) -> None:
        held, at = b"", 0
        while True:
            try:
                line, end = read_packet(held, at)
            except BadPush:
                self._status = 502
                return
            except NeedMore:
                piece = await self._running.stdout.read(CHUNK)
                if not piece or len(held) > MAX_ANNOUNCED:
                    self._status = await self._failure(held)
                    return
                held += piece
                continue
            if line is None:
                self.announced, self._held = held[:at], held[end:]
                return
            at = end

    @property
    def _running(self) -> "asyncssh.SSHClientProcess[bytes]":
        if self._process is None:
            raise ConnectionResetError("The server ended the connection.")
        return self._process

    async def _failure(self, said: bytes) -> int:
        """Return the HTTP status for the error that the server sent instead of announcing its refs."""
        said += (await self._running.stderr.read(MAX_SAID)) or b""
        text = said[:MAX_SAID].decode("utf-8", "replace").lower()
        logger.info("ssh_refused", host=self._place.host.authority, said=text.strip()[:300])
        if any(word in text for word in MISSING):
            return 404
        return 403 if any(word in text for word in DENIED) else 502

    async def send(self, data: bytes) -> None:
        if self._unzip is not None:
            data = self._unzip.decompress(data)
        if self._status == 200 and data:
            try:
                self._running.stdin.write(data)
                await self._running.stdin.drain()
            except (asyncssh.Error, BrokenPipeError):
                raise ConnectionResetError("The server ended the connection.") from None

    async def respond(self) -> h11.Response:
        """End the request and return the head of a response."""
        if self._status == 200:
            if self._target.announces:
                await self.send(FLUSH)
            self._running.stdin.write_eof()
        kind = "advertisement" if self._target.announces else "result"
        content = f"application/x-{self._target.service}-{kind}".encode()
        return h11.Response(status_code=self._status, headers=[(b"content-type", content)])

    async def body(self) -> AsyncIterator[bytes]:
        """Yield the response's body. Raises OSError if it breaks off."""
        if self._target.announces:
            yield packet(f"# service={self._target.service}\n") + FLUSH + self.announced + FLUSH
            return
        if self._held:
            yield self._held
        while True:
            try:
                async with asyncio.timeout(ANSWER_TIMEOUT):
                    piece = await self._running.stdout.read(CHUNK)
            except asyncssh.Error:
                raise ConnectionResetError("The server ended the connection.") from None
            if not piece:
                return
            yield piece
