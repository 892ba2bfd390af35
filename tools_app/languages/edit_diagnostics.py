"""Find the errors in files that were just changed, and new errors that the change caused in other files.

The time limits are short. A server that is still starting or analysing continues, so its results are available after a
later edit.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sandbox.errors import SandboxError
from sandbox.ports import FileContent, Runtime
from tools_app.arguments import ResolvedPath, resolve
from tools_app.languages.client import LanguageClient
from tools_app.languages.diagnostic_format import Problem, errors_in
from tools_app.languages.diagnostics import find_problems
from tools_app.languages.documents import Document, to_document
from tools_app.languages.file_events import send_file_changes
from tools_app.languages.jsonrpc import ServerFailed
from tools_app.languages.programs import Consent
from tools_app.languages.server_pool import running_in

TIMEOUT_SECONDS: Final = 6.0
"""For all changed files. A server for Python or TypeScript needs two to three seconds to start and check one file."""
OTHERS_TIMEOUT_SECONDS: Final = 2.0  # for the other files
MAX_OTHERS: Final = 5  # files that are checked besides the changed ones


@dataclass(frozen=True, slots=True)
class Checked:
    """The errors that were found, and the ids of the servers that answered in time."""

    errors: Sequence[Problem] = ()
    servers: Sequence[str] = ()


async def find_errors(
    changed: Sequence[tuple[ResolvedPath, FileContent]],
    runtime: Runtime,
    consent: Consent,
    *,
    deleted: Sequence[str] = (),
) -> Checked:
    """Return the errors in the changed files, followed by new errors in other files.

    Files that no language server handles, and files that were not checked in time, are skipped. `deleted` are paths of
    files that the same change deleted.
    """
    documents = [(target, to_document(target, found)) for target, found in changed]
    deadline = asyncio.get_running_loop().time() + TIMEOUT_SECONDS
    clients: dict[LanguageClient, None] = {}
    errors: list[Problem] = []
    shown = await _shown(documents, runtime, consent, deadline)
    for client in dict.fromkeys(client for client, _ in shown):
        await send_file_changes(client, runtime)
        for path in deleted:
            client.forget(path)
    for client, document in shown:
        found_here = await _errors_of(client, document, deadline)
        if found_here is not None:
            clients[client] = None
            errors += found_here
    seen = {document.path for _, document in documents}
    for client in clients:
        errors += await _errors_elsewhere(client, seen, runtime)
    return Checked(errors, [client.spec.id for client in clients])


async def _shown(
    documents: Sequence[tuple[ResolvedPath, Document]], runtime: Runtime, consent: Consent, deadline: float
) -> list[tuple[LanguageClient, Document]]:
    """Open each document in its language server. Return the opened documents, each with the client of its server.

    All are opened before any is checked, because they may depend on each other.
    """
    shown = []
    for target, document in documents:
        try:
            async with asyncio.timeout_at(deadline):
                found = await running_in(runtime).client_for(target, runtime, consent)
            if found:
                found[0].sync_document(document, found[1])
                shown.append((found[0], document))
        except (TimeoutError, ServerFailed):
            continue
    return shown


async def _errors_of(client: LanguageClient, document: Document, deadline: float) -> list[Problem] | None:
    """Return the errors in a document; None if the server did not answer in time."""
    left = deadline - asyncio.get_running_loop().time()
    try:
        errors = errors_in(await find_problems(client, document, timeout_seconds=max(left, 0.0)))
    except (TimeoutError, ServerFailed):
        return None
    client.known_errors[document.path] = frozenset(error.message for error in errors)
    return errors


async def _errors_elsewhere(client: LanguageClient, seen: set[str], runtime: Runtime) -> list[Problem]:
    """Return the new errors in recently opened files, compared with the last check of each file."""
    deadline = asyncio.get_running_loop().time() + OTHERS_TIMEOUT_SECONDS
    found: list[Problem] = []
    for document in client.others(seen, MAX_OTHERS):
        before = client.known_errors.get(document.path)
        current = await _as_it_is_now(client, document, runtime)
        errors = await _errors_of(client, current, deadline) if current else None
        if errors and before is not None:
            found += [error for error in errors if error.message not in before]
    return found


async def _as_it_is_now(client: LanguageClient, document: Document, runtime: Runtime) -> Document | None:
    """Read a document again, because a command may have changed it. Returns None if it no longer exists."""
    target = await resolve(document.path, runtime)
    try:
        found = await runtime.read(target.real)
    except SandboxError:
        client.forget(document.path)
        return None
    current = to_document(target, found)
    client.sync_document(current)
    return current
