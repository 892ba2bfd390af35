"""Adapter for the Docker SDK: containers, volumes and facts of one engine. All calls block, so run them in threads."""

import re
import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import docker
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from docker.models.containers import Container
from requests.exceptions import RequestException

from sandbox.client import CheckContext
from sandbox.docker.container import SITE_LABEL
from sandbox.errors import SandboxUnavailable
from sandbox.reports import NodeFacts

REQUEST_TIMEOUT: Final = 60  # seconds
VERSION_TTL: Final = 60.0  # seconds
REMAPPED: Final = re.compile(r"/(\d+)\.(\d+)$")  # uid and gid at the end of the data directory
DEFAULT_RUNTIME: Final = "runc"
BIND_SOURCE_MISSING: Final = "bind source path does not exist"  # in the engine's message


class BindSourceMissing(SandboxUnavailable):
    """A directory that a container mounts does not exist, or its disk is no longer mounted."""


class Engine:
    """The container engine at `docker_host`, or else at the address in the environment.

    Errors of the SDK become SandboxUnavailable.
    """

    def __init__(self, docker_host: str | None, site: str) -> None:
        self._docker_host = docker_host
        self._site = site
        self._lock = threading.Lock()
        self._connected: docker.DockerClient | None = None
        self._offset: int | None = None
        self._version: tuple[float, Mapping[str, Any]] | None = None

    def find(self, name: str) -> Container | None:
        """Return the container with this name, or None."""
        with self._translate_errors():
            try:
                return self._client.containers.get(name)
            except NotFound:
                return None

    def list_containers(self) -> Sequence[Container]:
        """Return all containers of this site, running or not."""
        with self._translate_errors():
            found = self._client.containers.list(
                all=True, filters={"label": f"{SITE_LABEL}={self._site}"}, ignore_removed=True
            )
            return list(found)

    def create(self, options: Mapping[str, Any]) -> Container | None:
        """Create a container. Returns None if a container with this name has been created meanwhile."""
        with self._translate_errors():
            try:
                return self._client.containers.create(**options)
            except ImageNotFound as error:
                raise SandboxUnavailable(
                    f"The engine has no image {options['image']}. Build it with: python -m sandbox.image"
                ) from error
            except APIError as error:
                if error.status_code == 409:
                    return None
                raise

    def start(self, container: Container) -> None:
        with self._translate_errors():
            container.start()

    def main_pid(self, container: Container) -> int:
        """Return the host's pid of the container's first process; 0 if the container does not run."""
        with self._translate_errors(), _ignore_missing():
            container.reload()
        return int(container.attrs.get("State", {}).get("Pid") or 0)

    def stop(self, container: Container) -> None:
        with self._translate_errors(), _ignore_missing():
            container.stop(timeout=2)

    def remove(self, container: Container) -> None:
        with self._translate_errors(), _ignore_missing():
            container.remove(force=True, v=True)

    def log_tail(self, container: Container) -> str:
        """Return the end of the container's log; "" if it cannot be read."""
        with self._translate_errors():
            try:
                return container.logs(tail=5).decode("utf-8", "replace").strip()[-500:]
            except APIError:
                return ""

    def create_volumes(self, names: Sequence[str], labels: Mapping[str, str]) -> None:
        """Create the volumes that do not exist yet. The labels identify the owner of a volume without a database."""
        for name in names:
            with self._translate_errors():
                self._client.volumes.create(name, labels=dict(labels))

    def remove_volumes(self, names: Sequence[str]) -> None:
        for name in names:
            with self._translate_errors(), _ignore_missing():
                self._client.volumes.get(name).remove(force=True)

    def open_stream(self, container_name: str, command: Sequence[str]) -> Any:
        """Start a process in a running container and return the raw socket of its stdin and stdout."""
        with self._translate_errors():
            api = self._client.api
            created = api.exec_create(container_name, list(command), stdin=True, stdout=True, stderr=True, user="0:0")
            stream = api.exec_start(created["Id"], socket=True)
            return getattr(stream, "_sock", stream)

    def facts(self) -> NodeFacts:
        with self._translate_errors():
            info = self._client.info()
        return NodeFacts(
            engine="docker",
            version=str(info.get("ServerVersion", "")),
            kernel=str(info.get("KernelVersion", "")),
            runtimes=tuple(sorted(info.get("Runtimes") or {})),
            remapped=_is_remapped(info),
            cpus=int(info.get("NCPU", 0)),
            memory_bytes=int(info.get("MemTotal", 0)),
        )

    def user_offset(self) -> int:
        """Return the offset that the engine adds to user ids of a container; 0 without user namespaces.

        The engine's data directory is named after the offset.
        """
        if self._offset is None:
            with self._translate_errors():
                info = self._client.info()
            match = REMAPPED.search(str(info.get("DockerRootDir", "")))
            self._offset = int(match.group(1)) if _is_remapped(info) and match else 0
        return self._offset

    def require_runtime(self, name: str) -> None:
        """Raise SandboxUnavailable if the engine does not offer this runtime.

        The self-check decides whether it is safe.
        """
        if name != DEFAULT_RUNTIME and name not in (runtimes := self._runtimes()):
            raise SandboxUnavailable(f"The engine has no runtime {name!r}; it has: {', '.join(sorted(runtimes))}.")

    def check_context(self, runtime: str) -> CheckContext:
        """Return the facts against which self-checks under this runtime are evaluated."""
        return CheckContext(
            runtime, str(self._version_info().get("KernelVersion", "")), remapped=self.user_offset() > 0
        )

    def stamp(self, container: Container, runtime: str) -> str:
        """Return a text that identifies the container, the engine, its kernel and the runtime.

        It changes with any of them, with a delay of at most a minute.
        """
        about = self._version_info()
        parts = [f"{part.get('Name')} {part.get('Version')}" for part in about.get("Components") or []]
        return " ".join([str(container.id), str(about.get("KernelVersion")), *parts, self._runtime_identity(runtime)])

    def _version_info(self) -> Mapping[str, Any]:
        """Return the engine's version information, cached because the engine runs several programs for it (10 ms)."""
        if self._version is None or time.monotonic() > self._version[0]:
            with self._translate_errors():
                self._version = (time.monotonic() + VERSION_TTL, self._client.version())
        return self._version[1]

    def _runtime_identity(self, runtime: str) -> str:
        """Return the path of the runtime's program and the time of its last change.

        For runc, return only the name: its version is part of the engine's version information.
        """
        if runtime == DEFAULT_RUNTIME:
            return runtime
        path = shutil.which(str(self._runtimes().get(runtime, {}).get("path") or runtime))
        return f"{path} {Path(path).stat().st_mtime_ns}" if path else runtime

    def _runtimes(self) -> Mapping[str, Any]:
        with self._translate_errors():
            return dict(self._client.info().get("Runtimes") or {})

    @contextmanager
    def docker_client(self) -> Iterator[docker.DockerClient]:
        """Provide the Docker SDK's client, for requests that only one module makes. Errors of the SDK are
        translated."""
        with self._translate_errors():
            yield self._client

    def close(self) -> None:
        with self._lock:
            if self._connected:
                self._connected.close()
            self._connected = None

    @property
    def _client(self) -> docker.DockerClient:
        with self._lock:
            if self._connected is None:
                if self._docker_host:
                    self._connected = docker.DockerClient(
                        base_url=self._docker_host, version="auto", timeout=REQUEST_TIMEOUT
                    )
                else:
                    self._connected = docker.DockerClient.from_env(version="auto", timeout=REQUEST_TIMEOUT)
            return self._connected

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except APIError as error:
            reason = str(error.explanation or error)
            kind = BindSourceMissing if BIND_SOURCE_MISSING in reason else SandboxUnavailable
            raise kind(f"The container engine refused: {reason}") from error
        except (DockerException, RequestException, OSError) as error:
            raise SandboxUnavailable(
                "The container engine does not answer. Start it with deploy/bin/engine start, or set DOCKER_HOST."
            ) from error


def _is_remapped(info: Mapping[str, Any]) -> bool:
    return any("userns" in option for option in info.get("SecurityOptions") or [])


@contextmanager
def _ignore_missing() -> Iterator[None]:
    """Ignore the errors that the engine raises if an object is missing or is already being removed."""
    try:
        yield
    except APIError as error:
        if error.status_code not in (404, 409):
            raise
