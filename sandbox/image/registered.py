"""Prepare images that operators register for use as sandboxes: examine them, and add the runner of the site's image.

A registered image is a tag or digest that the engine has, or a Dockerfile that is built here. The result has a tag that
changes with the image, the runner and this module, so each engine prepares an image once.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Final, Literal

import docker
from docker.errors import APIError, ContainerError, DockerException, ImageNotFound
from requests.exceptions import RequestException

from sandbox.errors import SandboxUnavailable
from sandbox.image.build import build_image, connect, has_image
from sandbox.image.recipe import FOLDER, REPOSITORY, digest_of, tar_of

PARTS: Final = FOLDER / "registered_image"
TIMEOUT: Final = 1800  # seconds
REMEDY: Final = "RUN find / -xdev -type f -perm /6000 -exec chmod a-s {} +"


@dataclass(frozen=True, slots=True)
class ImageSource:
    """The source of an image. `text` is either a tag or digest (`tag`), or the content of a Dockerfile without a
    context (`dockerfile`). The Dockerfile may begin with `ARG SANDBOX` and `FROM ${SANDBOX}` to build on the site's
    image."""

    kind: Literal["tag", "dockerfile"]
    text: str


class ImageRefused(SandboxUnavailable):
    """The image cannot be a sandbox. The message says why, and what would help."""

    code = "image_refused"


def prepare_image(source: ImageSource, *, site_image: str, docker_host: str | None = None) -> str:
    """Return the tag of the image with the runner, after building the parts that the engine lacks.

    Raises ImageRefused if the image cannot be a sandbox, and SandboxUnavailable if the engine does not answer.
    """
    try:
        client = connect(docker_host, TIMEOUT)
        base = _base_of(client, source, site_image)
        parts = [path.read_bytes() for path in sorted(PARTS.iterdir()) if path.is_file()]
        tag = f"{REPOSITORY}-registered:{digest_of([base.encode(), _id_of(client, site_image).encode(), *parts])}"
        if not has_image(client, tag):
            _require_usable(client, base)
            files = {name: (PARTS / name).read_bytes() for name in ("Dockerfile", "prepare.py")}
            _build(client, files, tag=tag, arguments={"SITE": site_image, "BASE": base}, network="none")
    except (DockerException, RequestException) as error:
        raise SandboxUnavailable(f"The image could not be prepared: {error}") from error
    return tag


def digest_of_image(source: ImageSource, *, site_image: str, docker_host: str | None = None) -> str:
    """Return the engine's digest of the registered image, before the runner is added to it."""
    try:
        client = connect(docker_host, TIMEOUT)
        image = client.images.get(_base_of(client, source, site_image))
        return str(next(iter(image.attrs.get("RepoDigests") or ()), image.id))
    except (DockerException, RequestException) as error:
        raise SandboxUnavailable(f"The image could not be examined: {error}") from error


def _base_of(client: docker.DockerClient, source: ImageSource, site_image: str) -> str:
    """Return the id of the registered image before the runner is added. A Dockerfile is built only if its tag is
    missing."""
    if source.kind == "tag":
        return _id_of(client, source.text)
    tag = f"{REPOSITORY}-dockerfile:{digest_of([source.text.encode(), site_image.encode()])}"
    if not has_image(client, tag):
        network = None if client.networks.list(names=["^bridge$"]) else "none"
        arguments = {"SANDBOX": site_image}
        _build(client, {"Dockerfile": source.text.encode()}, tag=tag, arguments=arguments, network=network)
    return _id_of(client, tag)


def _id_of(client: docker.DockerClient, name: str) -> str:
    try:
        return str(client.images.get(name).id)
    except ImageNotFound as error:
        raise ImageRefused(f"The engine has no image {name}. Pull or load it on this node first.") from error


def _require_usable(client: docker.DockerClient, image: str) -> None:
    script = Path(PARTS / "examine.py").read_text()
    try:
        output = client.containers.run(
            image,
            ["-I", "-c", script],
            entrypoint="python3",
            user="0:0",
            network_mode="none",
            read_only=True,
            cap_drop=["ALL"],
            cap_add=["DAC_READ_SEARCH"],
            security_opt=["no-new-privileges"],
            remove=True,
        )
    except ContainerError as error:
        raise ImageRefused(f"Its python3 does not work: {str(error.stderr or error)[-500:]}") from error
    except APIError as error:
        if "executable file not found" in str(error):
            raise ImageRefused("The image is refused: it has no python3.") from error
        raise
    if reasons := output.decode(errors="replace").split("\n")[:-1]:
        help_ = f" Remove these rights in a Dockerfile: {REMEDY}" if "setuid" in reasons[-1] else ""
        raise ImageRefused(f"The image is refused: {'; '.join(reasons)}.{help_}")


def _build(
    client: docker.DockerClient,
    files: Mapping[str, bytes],
    *,
    tag: str,
    arguments: Mapping[str, str],
    network: str | None,
) -> None:
    try:
        build_image(client, tag, io.BytesIO(tar_of(files)), arguments=arguments, network=network)
    except SandboxUnavailable as error:
        raise ImageRefused(error.message) from error
    except APIError as error:
        if error.status_code == HTTPStatus.BAD_REQUEST:
            raise ImageRefused(f"The Dockerfile cannot be read: {error.explanation}") from error
        raise
