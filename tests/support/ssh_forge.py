"""An SSH server for the repositories of a forge, which runs git's programs for registered keys only."""

import asyncio
import os
import shlex
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import asyncssh

from deploy.demo_forge.model import ForgeRepository

PUSH: Final = "git-receive-pack"
PROGRAMS: Final = ("git-upload-pack", PUSH)


@dataclass(eq=False)
class SshForge:
    """A forge's SSH server. `keys` has the public keys that may log in; the value is True if the key may push.
    `repositories` are the served repositories by path."""

    speaks_v2: bool = True
    keys: dict[str, bool] = field(default_factory=dict)
    repositories: dict[str, ForgeRepository] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    port: int = 0
    host_key: asyncssh.SSHKey = field(default_factory=lambda: asyncssh.generate_private_key("ssh-ed25519"))

    @property
    def place(self) -> str:
        """Return the host and port of the SSH server, in the form of the setting NETWORK_ALLOW."""
        return f"127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"ssh://git@{self.place}"

    def allow(self, public_key: str, *, push: bool = True) -> None:
        """Register a public key, with or without the right to push."""
        self.keys[" ".join(public_key.split()[:2])] = push

    async def run(self, process: "asyncssh.SSHServerProcess[bytes]") -> None:
        """Run a command as git-shell does."""
        command = process.command or ""
        self.commands.append(command)
        program, *arguments = shlex.split(command) or [""]
        repository = self.repositories.get("".join(arguments))
        if program not in PROGRAMS or repository is None:
            process.stderr.write(b"fatal: this does not appear to be a git repository\n")
            process.exit(128)
        elif program == PUSH and not process.get_extra_info("may_push"):
            process.stderr.write(b"ERROR: The key is read-only.\n")
            process.exit(1)
        else:
            version = process.env.get("GIT_PROTOCOL", "") if self.speaks_v2 else ""
            child = await asyncio.create_subprocess_exec(
                program, str(repository.path), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE, env={"PATH": os.environ["PATH"], "GIT_PROTOCOL": version},
            )  # fmt: skip
            try:
                await process.redirect(stdin=child.stdin, stdout=child.stdout, stderr=child.stderr)
                process.exit(await child.wait())
            finally:
                process.close()
                await process.wait_closed()


class _Login(asyncssh.SSHServer):
    def __init__(self, forge: SshForge) -> None:
        self._forge = forge

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        line = " ".join(key.export_public_key().decode().split()[:2])
        self._connection.set_extra_info(may_push=self._forge.keys.get(line, False))
        return username == "git" and line in self._forge.keys


@contextmanager
def ssh_forge(*, speaks_v2: bool = True) -> Iterator[SshForge]:
    """Serve repositories over SSH on a free port of this machine, in a thread of the test process."""
    forge, started, ended = SshForge(speaks_v2), threading.Event(), threading.Event()

    async def serve() -> None:
        server = await asyncssh.create_server(
            lambda: _Login(forge), "127.0.0.1", 0, process_factory=forge.run, encoding=None,
            server_host_keys=[forge.host_key],
        )  # fmt: skip
        async with server:
            forge.port = server.sockets[0].getsockname()[1]
            started.set()
            await asyncio.to_thread(ended.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    assert started.wait(20)
    try:
        yield forge
    finally:
        ended.set()
        thread.join(timeout=10)
