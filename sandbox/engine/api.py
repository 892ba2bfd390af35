"""The few questions that are asked of an engine before the Docker SDK may be there: plain HTTP over its socket."""

import http.client
import json
import os
import socket
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

DEFAULT_SOCKET: Final = Path("/var/run/docker.sock")
PATIENCE: Final = 5.0


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=PATIENCE)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def answers(docker_host: str) -> bool:
    try:
        return _request(docker_host, "GET", "/_ping") is not None
    except (OSError, http.client.HTTPException):
        return False


def running_engine() -> str | None:
    """The address of the engine that the environment names, else of the machine's own; None when neither answers."""
    return next((host for host in _candidates() if answers(host)), None)


def running_containers(docker_host: str, label: str = "") -> list[str]:
    """Their ids; with a label, as in "name=value", of those that carry it. Raises OSError when no engine is there."""
    filters = urllib.parse.quote(json.dumps({"label": [label]} if label else {}))
    found = json.loads(get(docker_host, f"/containers/json?filters={filters}") or b"[]")
    return [str(container["Id"]) for container in found]


def get(docker_host: str, path: str) -> bytes:
    """The body of the answer, empty when it is not a good one. Raises OSError when nobody is there."""
    return _request(docker_host, "GET", path) or b""


def kill_containers(docker_host: str, label: str) -> None:
    for container in running_containers(docker_host, label):
        kill_container(docker_host, container)


def kill_container(docker_host: str, container: str) -> bool:
    """By id or name; False when it does not run."""
    return _request(docker_host, "POST", f"/containers/{container}/kill") is not None


def _candidates() -> Iterator[str]:
    if named := os.environ.get("DOCKER_HOST"):
        yield named
    yield f"unix://{DEFAULT_SOCKET}"


def _request(docker_host: str, method: str, path: str) -> bytes | None:
    """The body of a good answer, else None. Raises OSError when nobody is there."""
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
    return http.client.HTTPConnection(address, timeout=PATIENCE)
