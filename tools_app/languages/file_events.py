"""Telling a server which files commands have changed: it has no eyes of its own for all of them."""

from typing import Final

from sandbox.errors import SandboxError
from sandbox.ports import WORKSPACE_ROOT, RealPath, Runtime
from tools_app.languages.client import LanguageClient

MOST: Final = 200


async def note_changes(client: LanguageClient, runtime: Runtime) -> None:
    """The newest 200 files of its languages, as far as they are newer than what it was told of last. Ignored ones are
    left out, and so is what is gone."""
    endings = ",".join(extension.removeprefix(".") for extension in client.spec.languages)
    pattern = f"**/*.{{{endings}}}" if "," in endings else f"**/*.{endings}"
    try:
        found = await runtime.glob(pattern, path=RealPath(WORKSPACE_ROOT), limit=MOST)
        stats = await runtime.stats(found.paths)
    except SandboxError:  # a folder that cannot be searched must not keep it from answering
        return
    client.note_changed([(stat.real_path, stat.modified_ns) for stat in stats if stat.exists and stat.inside])
