"""Build the sandbox image in an engine, once: its tag is the hash of what it is made of."""

import fcntl
import io
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import docker
from docker.errors import APIError, BuildError, DockerException, ImageNotFound
from requests.exceptions import RequestException

from sandbox.errors import SandboxUnavailable
from sandbox.image import base as local_base
from sandbox.image import languages as language_tools
from sandbox.image import recipe

PUBLIC_BASE: Final = "debian:bookworm-slim"
REGISTRY_PATIENCE: Final = 30
BUILD_PATIENCE: Final = 900

Say = Callable[[str], object]


def ensure_image(
    cache: Path, *, base: str | None = None, languages: bool = False, docker_host: str | None = None, say: Say = print
) -> str:
    """The tag of an image that the engine has, after it was built where needed. SandboxUnavailable with a next step.

    With `languages`, servers and formatters of programming languages are in it.
    """
    tag = recipe.image_tag(language_tools.digest() if languages else "")
    try:
        client = _client(docker_host, BUILD_PATIENCE)
        if not _has(client, tag):
            with _one_builder(cache):
                if not _has(client, tag):
                    chosen = base or _choose_base(client, docker_host, cache, say)
                    network = "none" if chosen == recipe.base_tag() else None
                    below = _with_languages(client, chosen, cache, say) if languages else chosen
                    say(f"Building {tag} on {below} ...")
                    _build(client, tag, io.BytesIO(recipe.context_tar()), base=below, network=network)
    except (DockerException, RequestException) as error:
        raise SandboxUnavailable(f"The sandbox image could not be made: {error}") from error
    return tag


def _client(docker_host: str | None, timeout: int) -> docker.DockerClient:
    environment = {**os.environ, **({"DOCKER_HOST": docker_host} if docker_host else {})}
    return docker.DockerClient.from_env(timeout=timeout, environment=environment)


def _has(client: docker.DockerClient, tag: str) -> bool:
    try:
        client.images.get(tag)
    except ImageNotFound:
        return False
    return True


def _choose_base(client: docker.DockerClient, docker_host: str | None, cache: Path, say: Say) -> str:
    """Our own base if the engine has it, else a registry's where one answers, else our own after all."""
    tag = recipe.base_tag()
    if _has(client, tag):
        return tag
    if not _is_cached(cache) and _pull(client, docker_host, say):
        return PUBLIC_BASE
    say("Making the sandbox's base from Debian packages (about half a minute, kept for later) ...")
    repository, _, version = tag.partition(":")
    client.api.import_image_from_file(str(local_base.base_tar(cache)), repository=repository, tag=version)
    return tag


def _is_cached(cache: Path) -> bool:
    return any(cache.glob(f"{recipe.base_tag().replace(':', '-')}.tar"))


def _pull(client: docker.DockerClient, docker_host: str | None, say: Say) -> bool:
    """Only where building on it could work: its packages come over the engine's network."""
    if not client.networks.list(names=["^bridge$"]):
        return False
    try:
        say(f"Asking the registry for {PUBLIC_BASE} ...")
        _client(docker_host, REGISTRY_PATIENCE).images.pull(PUBLIC_BASE)
    except (APIError, RequestException):
        return False
    return True


def _with_languages(client: docker.DockerClient, base: str, cache: Path, say: Say) -> str:
    """A base of its own below the image, so that another runner on top of it costs nothing anew."""
    tag = f"{recipe.LANGUAGES_REPOSITORY}:{recipe.digest_of([base.encode(), language_tools.digest().encode()])}"
    if not _has(client, tag):
        say("Adding language servers and formatters to the sandbox's image (half a minute, kept for later) ...")
        with tempfile.TemporaryFile(dir=cache) as context:
            with tarfile.open(fileobj=context, mode="w") as archive:
                archive.add(language_tools.FOLDER / "Dockerfile", arcname="Dockerfile")
                archive.add(language_tools.languages_tar(cache), arcname="languages.tar")
            context.seek(0)
            _build(client, tag, context, base=base, network="none")
    return tag


def _build(client: docker.DockerClient, tag: str, context: IO[bytes], *, base: str, network: str | None) -> None:
    try:
        client.images.build(
            fileobj=context,
            custom_context=True,
            tag=tag,
            buildargs={"BASE": base},
            network_mode=network,
            rm=True,
            forcerm=True,
        )
    except BuildError as error:
        last = "".join(str(entry.get("stream", "")) for entry in list(error.build_log)[-20:])
        raise SandboxUnavailable(f"The sandbox image could not be built: {error.msg}\n{last[-1500:]}") from error


@contextmanager
def _one_builder(cache: Path) -> Iterator[None]:
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "sandbox-image.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
