"""Find programs in the sandbox's image, and run them in an environment that the workspace cannot influence."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final
from weakref import WeakKeyDictionary

from sandbox.ports import RealPath, Runtime
from tools_app.languages.servers import OUR_FOLDER, ServerSpec, servers_for

IMAGE_FOLDERS: Final = (f"{OUR_FOLDER}/bin", "/usr/local/bin", "/usr/bin", "/usr/local/go/bin", "/usr/local/cargo/bin")
"""Folders to which no command can write, so their programs are those of the image."""

IMAGE_ENVIRONMENT: Final = {
    "PATH": ":".join((*IMAGE_FOLDERS, "/bin")),
    "PYTHONNOUSERSITE": "1",
    "PYTHONSAFEPATH": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""The PATH does not include `bin` of the home directory, where a command may have put its own `node` or `python`."""

Consent = Callable[[str], Awaitable[bool]]
"""Returns whether the agent may run this command without asking a person."""

_known: WeakKeyDictionary[Runtime, dict[str, RealPath | None]] = WeakKeyDictionary()


async def find_in_image(name: str, runtime: Runtime) -> RealPath | None:
    """Return the path of a program in the image, or None. Cached, since an image does not change."""
    known = _known.setdefault(runtime.unrecorded, {})
    if name not in known:
        known[name] = await find_program([f"{folder}/{name}" for folder in IMAGE_FOLDERS], runtime)
    return known[name]


async def find_program(paths: Sequence[str], runtime: Runtime) -> RealPath | None:
    """Return the first of these paths that is an executable file, or None."""
    stats = await runtime.stats(paths)
    found = (stat for stat in stats if stat.exists and stat.kind == "file" and stat.mode & 0o111)
    return next((stat.real_path for stat in found), None)


async def find_server(path: str, runtime: Runtime, consent: Consent) -> tuple[ServerSpec, str] | None:
    """Return the first language server for the file whose program is in the image and needs no further consent, and the
    path of this program. None if there is no such server."""
    for spec in servers_for(path):
        program = await find_in_image(spec.argv[0], runtime)
        if program is None:
            continue
        wanted = spec.consent_for(program)
        if not wanted or await consent(wanted):
            return spec, program
    return None
