"""The Docker engine as the deployment sees it: containers of one site. Blocking; call it in threads."""

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

from sandbox.client import Ground
from sandbox.docker.container import SITE_LABEL
from sandbox.errors import SandboxUnavailable
from sandbox.reports import NodeFacts

PATIENCE: Final = 60
VERSION_AGE: Final = 60.0
REMAPPED: Final = re.compile(r"/(\d+)\.(\d+)$")
DEFAULT_RUNTIME: Final = "runc"


class Engine:
    def __init__(self, docker_host: str | None, site: str) -> None:
        self._docker_host = docker_host
        self._site = site
        self._lock = threading.Lock()
        self._connected: docker.DockerClient | None = None
        self._offset: int | None = None
        self._version: tuple[float, Mapping[str, Any]] | None = None

    def find(self, name: str) -> Container | None:
        with self._explained():
            try:
                return self._client.containers.get(name)
            except NotFound:
                return None

    def of_site(self) -> Sequence[Container]:
        with self._explained():
            found = self._client.containers.list(
                all=True, filters={"label": f"{SITE_LABEL}={self._site}"}, ignore_removed=True
            )
            return list(found)

    def create(self, options: Mapping[str, Any]) -> Container | None:
        """None when one of that name was made meanwhile."""
        with self._explained():
            try:
                return self._client.containers.create(**options)
            except ImageNotFound as error:
                raise SandboxUnavailable(
                    f"The engine has no image {options['image']}. Make it with: python -m sandbox.image"
                ) from error
            except APIError as error:
                if error.status_code == 409:
                    return None
                raise

    def start(self, container: Container) -> None:
        with self._explained():
            container.start()

    def first_process(self, container: Container) -> int:
        """Its id on the engine's machine; 0 when the container does not run."""
        with self._explained(), _absence_is_fine():
            container.reload()
        return int(container.attrs.get("State", {}).get("Pid") or 0)

    def stop(self, container: Container) -> None:
        with self._explained(), _absence_is_fine():
            container.stop(timeout=2)

    def remove(self, container: Container) -> None:
        with self._explained(), _absence_is_fine():
            container.remove(force=True, v=True)

    def last_words(self, container: Container) -> str:
        with self._explained():
            try:
                return container.logs(tail=5).decode("utf-8", "replace").strip()[-500:]
            except APIError:
                return ""

    def make_volumes(self, names: Sequence[str], labels: Mapping[str, str]) -> None:
        """Those that are there already stay as they are. The labels say whose they are when nobody else knows."""
        for name in names:
            with self._explained():
                self._client.volumes.create(name, labels=dict(labels))

    def remove_volumes(self, names: Sequence[str]) -> None:
        for name in names:
            with self._explained(), _absence_is_fine():
                self._client.volumes.get(name).remove(force=True)

    def open_stream(self, container_name: str, command: Sequence[str]) -> Any:
        """The raw socket of a new process in a running container."""
        with self._explained():
            api = self._client.api
            created = api.exec_create(container_name, list(command), stdin=True, stdout=True, stderr=True, user="0:0")
            stream = api.exec_start(created["Id"], socket=True)
            return getattr(stream, "_sock", stream)

    def facts(self) -> NodeFacts:
        with self._explained():
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
        """What the engine adds to the ids of a container: its data directory is named after it."""
        if self._offset is None:
            with self._explained():
                info = self._client.info()
            match = REMAPPED.search(str(info.get("DockerRootDir", "")))
            self._offset = int(match.group(1)) if _is_remapped(info) and match else 0
        return self._offset

    def require_runtime(self, name: str) -> None:
        """Only that the engine offers it: whether it is any good is for the self-check to say."""
        if name != DEFAULT_RUNTIME and name not in (runtimes := self._runtimes()):
            raise SandboxUnavailable(f"The engine has no runtime {name!r}; it has: {', '.join(sorted(runtimes))}.")

    def ground(self, runtime: str) -> Ground:
        return Ground(runtime, str(self._about().get("KernelVersion", "")), remapped=self.user_offset() > 0)

    def stamp(self, container: Container, runtime: str) -> str:
        """Changes with the container, the engine, its kernel and the runtime, a minute late at most."""
        about = self._about()
        parts = [f"{part.get('Name')} {part.get('Version')}" for part in about.get("Components") or []]
        return " ".join([str(container.id), str(about.get("KernelVersion")), *parts, self._program(runtime)])

    def _about(self) -> Mapping[str, Any]:
        """Remembered for a while: to answer, the engine asks its programs for their versions, which takes 10 ms."""
        if self._version is None or time.monotonic() > self._version[0]:
            with self._explained():
                self._version = (time.monotonic() + VERSION_AGE, self._client.version())
        return self._version[1]

    def _program(self, runtime: str) -> str:
        """Which file on this machine a runtime is, as it is now; runc tells its version itself."""
        if runtime == DEFAULT_RUNTIME:
            return runtime
        path = shutil.which(str(self._runtimes().get(runtime, {}).get("path") or runtime))
        return f"{path} {Path(path).stat().st_mtime_ns}" if path else runtime

    def _runtimes(self) -> Mapping[str, Any]:
        with self._explained():
            return dict(self._client.info().get("Runtimes") or {})

    @contextmanager
    def asked(self) -> Iterator[docker.DockerClient]:
        """The client itself, for questions that only one module has."""
        with self._explained():
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
                    self._connected = docker.DockerClient(base_url=self._docker_host, version="auto", timeout=PATIENCE)
                else:
                    self._connected = docker.DockerClient.from_env(version="auto", timeout=PATIENCE)
            return self._connected

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except APIError as error:
            raise SandboxUnavailable(f"The container engine refused: {error.explanation or error}") from error
        except (DockerException, RequestException, OSError) as error:
            raise SandboxUnavailable(
                "The container engine does not answer. Start it with deploy/bin/engine start, or set DOCKER_HOST."
            ) from error


def _is_remapped(info: Mapping[str, Any]) -> bool:
    return any("userns" in option for option in info.get("SecurityOptions") or [])


@contextmanager
def _absence_is_fine() -> Iterator[None]:
    """Somebody else removed it, or is doing so."""
    try:
        yield
    except APIError as error:
        if error.status_code not in (404, 409):
            raise
