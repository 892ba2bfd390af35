"""Ask the programs of an image for their options, in a container without a network."""

import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import docker

from sandbox.errors import SandboxUnavailable
from sandbox.image.options.parse import options, version

FOLDER: Final = Path(__file__).resolve().parent
_PLACE: Final = "/opt/options"
_SECONDS: Final = 120

Program = Mapping[str, str]
"""`version`, `from`, and `options` in the notation of `parse.py`."""


def programs() -> list[str]:
    """Return the names in programs.txt."""
    lines = (FOLDER / "programs.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def ask(image: str, docker_host: str | None = None) -> dict[str, Program]:
    """Return the version and the options of each program in programs.txt that the image has.

    Raises SandboxUnavailable if the programs cannot be asked.
    """
    client = docker.DockerClient(base_url=docker_host) if docker_host else docker.from_env()
    container = client.containers.create(
        image, entrypoint=["python3", "-I", f"{_PLACE}/read.py"], network_mode="none", user="1000:1000"
    )
    try:
        container.put_archive("/", _files())
        container.start()
        status = container.wait(timeout=_SECONDS)["StatusCode"]
        output = container.logs(stdout=True, stderr=bool(status)).decode()
    finally:
        container.remove(force=True)
    if status:
        raise SandboxUnavailable(f"The programs of {image} could not be asked for their options: {output[-1000:]}")
    return {name: described(name, answer) for name, answer in sorted(json.loads(output).items())}


def described(name: str, answer: Mapping[str, str]) -> Program:
    """Return the record of a program, from the output of `read.py` about it.

    `from` is `table` if the options are those that the program passes to the C library; the list is then complete.
    """
    return {
        "version": version(name, answer["version"]),
        "from": "table" if "table" in answer else "help",
        "options": " ".join(map(str, options(name, answer))),
    }


def as_json(found: Mapping[str, Program]) -> str:
    """Return the programs as JSON with one program a line, so that changes can be reviewed."""
    lines = [f"{json.dumps(name)}: {json.dumps(program)}" for name, program in found.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _files() -> bytes:
    contents = {name: (FOLDER / name).read_bytes() for name in ("read.py", "spy.c")}
    contents["names.json"] = json.dumps(programs()).encode()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in contents.items():
            entry = tarfile.TarInfo(f"{_PLACE.lstrip('/')}/{name}")
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()
