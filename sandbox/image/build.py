"""Build the sandbox image in an engine, once: its tag is a hash of everything that it is built from."""

import fcntl
import io
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import docker
from docker.errors import APIError, BuildError, DockerException, ImageNotFound
from requests.exceptions import RequestException

from sandbox.errors import SandboxUnavailable
from sandbox.image import base as local_base
from sandbox.image import recipe
from sandbox.image.developer import DEVELOPER
from sandbox.image.languages import LANGUAGES
from sandbox.image.toolsets import Toolset

PUBLIC_BASE: Final = "debian:bookworm-slim"
REGISTRY_TIMEOUT: Final = 30  # seconds
BUILD_TIMEOUT: Final = 900  # seconds

Report = Callable[[str], object]


def ensure_image(
    cache: Path,
    *,
    base: str | None = None,
    languages: bool = False,
    certificates: bytes = b"",
    further: Sequence[str] = (),
    docker_host: str | None = None,
    report: Report = print,
) -> str:
    """Build the sandbox image unless the engine has it, and return its tag.

    With `languages`, the image includes language servers and formatters. It trusts the PEM `certificates` in addition
    to those of Debian, and has the additional Debian packages `further`. `report` receives lines about the progress.
    Raises SandboxUnavailable with a next step.
    """
    tag = current_tag(languages=languages, certificates=certificates, further=further)
    try:
        client = connect(docker_host, BUILD_TIMEOUT)
        if not has_image(client, tag):
            with _build_lock(cache):
                if not has_image(client, tag):
                    below = chosen = base or _choose_base(client, docker_host, cache, further, report)
                    network = "none" if chosen == recipe.base_tag(further) else None
                    for toolset in _toolsets(languages):
                        below = _with_tools(client, below, toolset, cache, report)
                    report(f"Building {tag} on {below} ...")
                    context = io.BytesIO(recipe.context_tar(certificates, further))
                    build_image(client, tag, context, arguments={"BASE": below}, network=network)
    except (DockerException, RequestException) as error:
        raise SandboxUnavailable(f"The sandbox image could not be built: {error}") from error
    return tag


def current_tag(*, languages: bool = False, certificates: bytes = b"", further: Sequence[str] = ()) -> str:
    """Return the tag of the image that `ensure_image` builds."""
    return recipe.image_tag([toolset.digest() for toolset in _toolsets(languages)], certificates, further)


def _toolsets(languages: bool) -> Sequence[Toolset]:
    return (DEVELOPER, LANGUAGES) if languages else (DEVELOPER,)


def connect(docker_host: str | None, timeout: int) -> docker.DockerClient:
    """Return a client of the engine at `docker_host`, or else of the engine that the environment names.

    `timeout` is in seconds.
    """
    environment = {**os.environ, **({"DOCKER_HOST": docker_host} if docker_host else {})}
    return docker.DockerClient.from_env(timeout=timeout, environment=environment)


def has_image(client: docker.DockerClient, tag: str) -> bool:
    """Return whether the engine has an image with this tag or id."""
    try:
        client.images.get(tag)
    except ImageNotFound:
        return False
    return True


def _choose_base(
    client: docker.DockerClient, docker_host: str | None, cache: Path, further: Sequence[str], report: Report
) -> str:
    """Return the base image to build on.

    Our own base is used if the engine has it or it is cached. Otherwise, the public image is pulled; if no registry
    answers, our own base is built.
    """
    tag = recipe.base_tag(further)
    if has_image(client, tag):
        return tag
    if not (cache / f"{tag.replace(':', '-')}.tar").exists() and _pull(client, docker_host, report):
        return PUBLIC_BASE
    report("Building the base of the sandbox image from Debian packages (about half a minute, cached for later) ...")
    repository, _, version = tag.partition(":")
    client.api.import_image_from_file(str(local_base.base_tar(cache, further)), repository=repository, tag=version)
    return tag


def _pull(client: docker.DockerClient, docker_host: str | None, report: Report) -> bool:
    """Pull the public base image. Returns False if the pull fails.

    Without a bridge network, nothing is pulled, because packages could not be installed on that base.
    """
    if not client.networks.list(names=["^bridge$"]):
        return False
    try:
        report(f"Pulling {PUBLIC_BASE} from the registry ...")
        connect(docker_host, REGISTRY_TIMEOUT).images.pull(PUBLIC_BASE)
    except (APIError, RequestException):
        return False
    return True


def _with_tools(client: docker.DockerClient, base: str, toolset: Toolset, cache: Path, report: Report) -> str:
    """Build an image with the tools, to be used as base, so that they are not built again when the runner changes."""
    digest = recipe.digest_of([base.encode(), toolset.digest().encode()])
    tag = f"{recipe.REPOSITORY}-{toolset.name}:{digest}"
    if not has_image(client, tag):
        report(f"Adding {toolset.described} to the sandbox image (half a minute, cached for later) ...")
        with tempfile.TemporaryFile(dir=cache) as context:
            with tarfile.open(fileobj=context, mode="w") as archive:
                archive.add(toolset.folder / "Dockerfile", arcname="Dockerfile")
                archive.add(toolset.tar(cache), arcname=f"{toolset.name}.tar")
            context.seek(0)
            build_image(client, tag, context, arguments={"BASE": base}, network="none")
    return tag


def build_image(
    client: docker.DockerClient, tag: str, context: IO[bytes], *, arguments: Mapping[str, str], network: str | None
) -> None:
    """Build an image from a context (a tar) and build arguments.

    Raises SandboxUnavailable with the last lines of the build's output.
    """
    try:
        client.images.build(
            fileobj=context,
            custom_context=True,
            tag=tag,
            buildargs=dict(arguments),
            network_mode=network,
            rm=True,
            forcerm=True,
        )
    except BuildError as error:
        last = "".join(str(entry.get("stream", "")) for entry in list(error.build_log)[-20:])
        raise SandboxUnavailable(f"The sandbox image could not be built: {error.msg}\n{last[-1500:]}") from error


@contextmanager
def _build_lock(cache: Path) -> Iterator[None]:
    """Serialise builds that share this cache."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "sandbox-image.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
