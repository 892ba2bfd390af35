"""Minimal client of the Docker API: plain HTTP over its socket, for use where the Docker SDK may not be installed
yet."""

import http.client
import json
import os
import socket
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

DEFAULT_SOCKET: Final = Path("/var/run/docker.sock")
TIMEOUT: Final = 5.0  # seconds


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=TIMEOUT)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def answers(docker_host: str) -> bool:
    """Return whether an engine answers at this address."""
    try:
        return _request(docker_host, "GET", "/_ping") is not None
    except (OSError, http.client.HTTPException):
        return False


def running_engine() -> str | None:
    """Return the address of the engine in DOCKER_HOST or else of this machine's engine; None if neither answers."""
    return next((host for host in _candidates() if answers(host)), None)


def running_containers(docker_host: str, label: str = "") -> list[str]:
    """Return the ids of running containers; with a label, such as "name=value", only of containers that have it.

    Raises OSError if no engine listens at `docker_host`.
    """
    filters = urllib.parse.quote(json.dumps({"label": [label]} if label else {}))
    found = json.loads(get(docker_host, f"/containers/json?filters={filters}") or b"[]")
    return [str(container["Id"]) for container in found]


def get(docker_host: str, path: str) -> bytes:
    """Send a GET request, and return the response's body, or b"" for an error status. Raises OSError if no engine
    listens at `docker_host`."""
    return _request(docker_host, "GET", path) or b""


def kill_containers(docker_host: str, label: str) -> None:
    """Kill every running container with this label."""
    for container in running_containers(docker_host, label):
        kill_container(docker_host, container)


def kill_container(docker_host: str, container: str) -> bool:
    """Kill a container by id or name. False if it does not run."""
    return _request(docker_host, "POST", f"/containers/{container}/kill") is not None


def _candidates() -> Iterator[str]:
    if named := os.environ.get("DOCKER_HOST"):
        yield named
    yield f"unix://{DEFAULT_SOCKET}"


def _request(docker_host: str, method: str, path: str) -> bytes | None:
    """Send a request, and return the response's body, or None for an error status. Raises OSError if no engine is
    there."""
    connection = _connection(docker_host)
    try:
        connection.request(method, path)
        response: Any = connection.getresponse()
        body: bytes = response.read()
        return body if response.status < 400 else None
    finally:
        connection.close()


def _connection(docker_host: str) -> http.client.HTTPConnection:
    scheme, _, address = docker_host.partition("://")
    if scheme == "unix":
        return _UnixConnection(address)
    return http.client.HTTPConnection(address, timeout=TIMEOUT)
