"""The connection to the door: a listening socket on the container's loopback, whose connections the door accepts.

The container has no network. The door is a process outside that forwards what the policies allow. The runner connects
to the door's socket and hands it a listening socket of the container (SCM_RIGHTS); the door then accepts the
connections of the container's programs itself, so none of their bytes pass through the runner. The door answers with
the environment variables that programs need, and reports each connection that it refused. If it adds secrets to
requests for some hosts, it also sends the certificate with which it answers for these hosts, so that programs trust it.

While there is no door, nothing listens, so programs fail at once instead of waiting. A door that restarts finds the
connections that were made meanwhile in the socket's queue.
"""

import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

DOOR_NAME: Final = "door"  # of the door's socket, beside the runner's own
LOOPBACK: Final = "127.0.0.1"
PROXY_PORT: Final = 3128
BACKLOG: Final = 256
MAX_MESSAGE: Final = 1 << 16  # bytes
FIRST_PAUSE: Final = 0.05  # seconds between attempts to reach the door
EAGER: Final = 5.0  # seconds after the start and after a lost door, in which no pause is longer
MAX_PAUSE: Final = 2.0  # seconds
GREETING_TIMEOUT: Final = 2.0  # seconds that the first command waits for a door that is there
DOOR_TIMEOUT: Final = 5.0  # seconds without a door after which the listening socket is closed

CERTIFICATES: Final = "/etc/ssl/certs/ca-certificates.crt"  # of the image

FEW_RETRIES: Final = {
    "PIP_RETRIES": "1",
    "UV_HTTP_RETRIES": "1",
    "npm_config_fetch_retries": "1",
    "npm_config_fetch_retry_mintimeout": "100",
    "npm_config_fetch_retry_maxtimeout": "1000",
    "YARN_HTTP_RETRY": "1",
    "CARGO_NET_RETRY": "1",
    "BUNDLE_RETRY": "1",
}
"""Variables of every command. A refused host stays refused, and without a door there is no network: without these
variables, package managers try again for a minute or more."""

Report = Callable[[Mapping[str, Any]], None]


class DoorLink:
    """The runner's connection to the door, kept open on a thread of its own.

    `environment` returns the variables that programs need to use the door; none while nothing listens.
    """

    def __init__(self, path: str, on_refused: Report, *, port: int = PROXY_PORT) -> None:
        self._path = path
        self._port = port
        self._on_refused = on_refused
        self._listener: socket.socket | None = None
        self._linked_at = time.monotonic()
        self._environment: Mapping[str, str] = {}
        self._trusted = _TrustedCertificates()
        self._is_linked = False
        self._greeted = threading.Event()

    def environment(self) -> Mapping[str, str]:
        """Return the environment variables that programs need to use the door (network proxy). If the door is connected
        but has not sent them yet, wait for them for a short time."""
        if not self._environment and self._is_linked:
            self._greeted.wait(GREETING_TIMEOUT)
        return {**self._environment, **self._trusted.environment} if self._environment else {}

    def start(self) -> None:
        threading.Thread(target=self._serve, name="door", daemon=True).start()

    def _serve(self) -> None:
        while True:
            with suppress(OSError, MemoryError, ValueError, TypeError, AttributeError):  # no door, or no resources
                self._follow_door()
            waited = time.monotonic() - self._linked_at
            if self._listener and waited > DOOR_TIMEOUT:
                self._close()
            time.sleep(FIRST_PAUSE if waited < EAGER else MAX_PAUSE)

    def _follow_door(self) -> None:
        """Hand the listening socket to the door and handle its messages until it disconnects."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as link:
            link.connect(self._path)
            try:
                self._is_linked = True
                self._listener = self._listener or _listen(self._port)
                socket.send_fds(link, [b"listen"], [self._listener.fileno()])
                while message := link.recv(MAX_MESSAGE):
                    self._handle(json.loads(message))
                    link.send(b"ok")
            finally:
                self._is_linked = False
                self._linked_at = time.monotonic()

    def _handle(self, message: Mapping[str, Any]) -> None:
        if "certificates" in message:
            self._trusted.replace(str(message["certificates"]["pem"]), list(message["certificates"]["names"]))
        if "environment" in message:
            self._environment = {str(name): str(value) for name, value in message["environment"].items()}
            self._greeted.set()
        if "refused" in message:
            self._on_refused(message["refused"])

    def _close(self) -> None:
        self._environment = {}
        self._greeted.clear()
        with suppress(OSError):
            if self._listener:
                self._listener.close()
        self._listener = None


class _TrustedCertificates:
    """A file with the certificates of the image and an additional one. Commands can read it but not change it."""

    def __init__(self) -> None:
        self._path = ""
        self.environment: Mapping[str, str] = {}
        """Names the file for programs; empty while there is no further certificate."""

    def replace(self, pem: str, names: Sequence[str]) -> None:
        """Trust this certificate from the next command on; "" stands for none. `names` are the environment variables
        that name the file."""
        self.environment = {}
        with suppress(OSError):  # the disk is full: programs do not trust the door for these hosts
            if pem:
                self._write(pem)
                self.environment = {str(name): self._path for name in names}

    def _write(self, pem: str) -> None:
        if not self._path:
            folder = f"/tmp/certificates-{secrets.token_hex(8)}"  # noqa: S108 - of an unforeseen name, and not replaced
            os.mkdir(folder)
            self._path = f"{folder}/ca-certificates.crt"
        of_image = b""
        with suppress(FileNotFoundError), open(CERTIFICATES, "rb") as file:
            of_image = file.read()
        with open(f"{self._path}.new", "wb") as file:
            file.write(of_image + b"\n" + pem.encode())
            os.fchmod(file.fileno(), 0o644)
        os.replace(f"{self._path}.new", self._path)


def _listen(port: int) -> socket.socket:
    """Return a listening socket on loopback; port 0 means any free one.

    Raises OSError if a program of the workspace already uses the port.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener
