"""The errors in files that were just changed, and those that the change brought to others.

Nobody waits long: a server that starts or thinks goes on doing so, and is in time for a later edit.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sandbox.errors import SandboxError
from sandbox.ports import FileContent, Runtime
from tools_app.arguments import Place, resolve
from tools_app.languages.client import LanguageClient
from tools_app.languages.diagnostic_format import Problem, errors_in
from tools_app.languages.diagnostics import find_problems
from tools_app.languages.documents import Document, to_document
from tools_app.languages.file_events import note_changes
from tools_app.languages.jsonrpc import ServerFailed
from tools_app.languages.programs import Consent
from tools_app.languages.server_pool import running_in

PATIENCE: Final = 6.0
"""Seconds in all; a server of Python or TypeScript takes two to three to start and look at its first file."""
PATIENCE_FOR_OTHERS: Final = 2.0
MOST_OTHERS: Final = 5


@dataclass(frozen=True, slots=True)
class Checked:
    """`servers` are those that looked in time."""

    errors: Sequence[Problem] = ()
    servers: Sequence[str] = ()


async def find_errors(
    changed: Sequence[tuple[Place, FileContent]], runtime: Runtime, consent: Consent, *, gone: Sequence[str] = ()
) -> Checked:
    """Of the files first. Files that no server knows, or that none could look at in time, are left out. `gone` are the
    paths that the same change has removed."""
    documents = [(place, to_document(place, found)) for place, found in changed]
    give_up = asyncio.get_running_loop().time() + PATIENCE
    clients: dict[LanguageClient, None] = {}
    errors: list[Problem] = []
    shown = await _shown(documents, runtime, consent, give_up)
    for client in dict.fromkeys(client for client, _ in shown):
        await note_changes(client, runtime)
        for path in gone:
            client.forget(path)
    for client, document in shown:
        found_here = await _errors_of(client, document, give_up)
        if found_here is not None:
            clients[client] = None
            errors += found_here
    seen = {document.path for _, document in documents}
    for client in clients:
        errors += await _errors_elsewhere(client, seen, runtime)
    return Checked(errors, [client.spec.id for client in clients])


async def _shown(
    documents: Sequence[tuple[Place, Document]], runtime: Runtime, consent: Consent, give_up: float
) -> list[tuple[LanguageClient, Document]]:
    """All of them before any is looked at, since they may need each other."""
    shown = []
    for place, document in documents:
        try:
            async with asyncio.timeout_at(give_up):
                found = await running_in(runtime).client_for(place, runtime, consent)
            if found:
                found[0].show(document, found[1])
                shown.append((found[0], document))
        except (TimeoutError, ServerFailed):
            continue
    return shown


async def _errors_of(client: LanguageClient, document: Document, give_up: float) -> list[Problem] | None:
    """None when it did not say in time."""
    left = give_up - asyncio.get_running_loop().time()
    try:
        errors = errors_in(await find_problems(client, document, patience=max(left, 0.0)))
    except (TimeoutError, ServerFailed):
        return None
    client.known_errors[document.path] = frozenset(error.message for error in errors)
    return errors


async def _errors_elsewhere(client: LanguageClient, seen: set[str], runtime: Runtime) -> list[Problem]:
    """In files it was shown lately: those that were not there when it looked last."""
    give_up = asyncio.get_running_loop().time() + PATIENCE_FOR_OTHERS
    found: list[Problem] = []
    for document in client.others(seen, MOST_OTHERS):
        before = client.known_errors.get(document.path)
        current = await _as_it_is_now(client, document, runtime)
        errors = await _errors_of(client, current, give_up) if current else None
        if errors and before is not None:
            found += [error for error in errors if error.message not in before]
    return found


async def _as_it_is_now(client: LanguageClient, document: Document, runtime: Runtime) -> Document | None:
    """None for a file that is gone; a command may have removed or changed it."""
    place = await resolve(document.path, runtime)
    try:
        found = await runtime.read(place.real)
    except SandboxError:
        client.forget(document.path)
        return None
    current = to_document(place, found)
    client.show(current)
    return current
