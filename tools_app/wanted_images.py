"""Find the image that a repository asks for in its devcontainer.json: `image`, or a Dockerfile to build."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sandbox.ports import Runtime
from tools_app.setup_scripts import Unusable, fields_of, text_of
from tools_app.text import is_clean

FILES: Final = (".devcontainer/devcontainer.json", ".devcontainer.json")
MAX_NAME: Final = 300  # characters


@dataclass(frozen=True, slots=True)
class WantedImage:
    """The image that a repository asks for. `source` is the file that names it. `image` is a tag or digest; if it is
    "", `dockerfile` is the path of a Dockerfile and `text` its content ("" if it could not be read)."""

    source: str
    image: str = ""
    dockerfile: str = ""
    text: str = ""


async def find_wanted_image(runtime: Runtime) -> WantedImage | None:
    """Return the image that the repository's first devcontainer.json names; None if there is no such file, or it names
    no usable image."""
    for source, stat in zip(FILES, await runtime.stats(FILES), strict=True):
        if stat.exists:
            try:
                fields = fields_of(await text_of(runtime, source, stat))
            except Unusable:
                return None  # set-up, which reads it too, says so
            return await _wanted(runtime, source, fields)
    return None


async def _wanted(runtime: Runtime, source: str, fields: Mapping[str, Any]) -> WantedImage | None:
    image, build = fields.get("image"), fields.get("build")
    if _is_name(image):
        return WantedImage(source, image=str(image))
    file = build.get("dockerfile") if isinstance(build, dict) else fields.get("dockerFile")
    if not _is_name(file):
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), str(file)))
    if path.startswith(("/", "..")):
        return WantedImage(source, dockerfile=str(file))
    try:
        stat = await runtime.stat(path)
        text = await text_of(runtime, path, stat) if stat.exists else ""
    except Unusable:
        text = ""
    return WantedImage(source, dockerfile=path, text=text)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_NAME and is_clean(value) and value.isprintable()
