"""Notify a language server of files that commands have changed, since servers do not watch all files themselves."""

from typing import Final

from sandbox.errors import SandboxError
from sandbox.ports import WORKSPACE_ROOT, RealPath, Runtime
from tools_app.languages.client import LanguageClient

MAX_FILES: Final = 200


async def send_file_changes(client: LanguageClient, runtime: Runtime) -> None:
    """Notify the server of files of its languages that changed since the last call, considering the 200 newest.

    Files ignored by git and deleted files are skipped.
    """
    endings = ",".join(extension.removeprefix(".") for extension in client.spec.languages)
    pattern = f"**/*.{{{endings}}}" if "," in endings else f"**/*.{endings}"
    try:
        found = await runtime.glob(pattern, path=RealPath(WORKSPACE_ROOT), limit=MAX_FILES)
        stats = await runtime.stats(found.paths)
    except SandboxError:  # the server can answer requests even if the folder cannot be searched
        return
    client.note_changed([(stat.real_path, stat.modified_ns) for stat in stats if stat.exists and stat.inside])
