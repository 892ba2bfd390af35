"""The client of one running language server: keep its documents up to date and send it requests."""

import asyncio
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lsprotocol import types

from sandbox.ports import ProcessRequest, Runtime
from tools_app.languages import protocol
from tools_app.languages.documents import Document, OpenDocuments
from tools_app.languages.jsonrpc import Connection, RequestRefused, ServerFailed, UnknownMethod
from tools_app.languages.protocol import to_uri
from tools_app.languages.published_diagnostics import PublishedDiagnostics
from tools_app.languages.servers import ServerSpec, extension_of

START_TIMEOUT_SECONDS: Final = 45.0
ANSWER_TIMEOUT_SECONDS: Final = 30.0
ANSWERED_WITH_NULL: Final = frozenset(
    {
        types.CLIENT_REGISTER_CAPABILITY,
        types.CLIENT_UNREGISTER_CAPABILITY,
        types.WINDOW_WORK_DONE_PROGRESS_CREATE,
        types.WINDOW_SHOW_MESSAGE_REQUEST,
        types.WORKSPACE_DIAGNOSTIC_REFRESH,
        types.WORKSPACE_CODE_LENS_REFRESH,
        types.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
        types.WORKSPACE_INLAY_HINT_REFRESH,
        types.WORKSPACE_INLINE_VALUE_REFRESH,
    }
)
"""Requests from servers to which null is the right answer."""


@dataclass(frozen=True, slots=True)
class Launch:
    """The parameters for starting a server: the command, its environment, the project's `folder`, and its settings."""

    spec: ServerSpec
    argv: tuple[str, ...]
    env: Mapping[str, str]
    folder: str
    settings: Mapping[str, Any]


class LanguageClient:
    """The client of one language server, used on one event loop."""

    def __init__(self, launch: Launch, connection: Connection) -> None:
        self.spec = launch.spec
        self.capabilities = types.ServerCapabilities()
        self.published = PublishedDiagnostics()
        self.known_errors: dict[str, frozenset[str]] = {}
        """The error messages found in each file when it was last checked, by path."""
        self._seen_until = time.time_ns()  # changes of files up to this time are known to the server
        self._settings = launch.settings
        self._folders = [launch.folder]
        self._documents = OpenDocuments()
        self._connection = connection

    @classmethod
    async def start(cls, launch: Launch, runtime: Runtime) -> "LanguageClient":
        """Start a server and return its client once it is initialised. Raises ServerFailed or SandboxError."""
        request = ProcessRequest(f"lsp-{launch.spec.id}", launch.argv, env=launch.env)
        client = cls(launch, Connection(await runtime.open_process(request)))
        client._connection.begin(client._answer, client.published.receive)
        try:
            await client._initialize(launch)
        except TimeoutError as error:
            client.close()
            raise ServerFailed(f"did not start within {START_TIMEOUT_SECONDS:.0f} s") from error
        except BaseException:
            client.close()
            raise
        return client

    @property
    def is_alive(self) -> bool:
        return self._connection.failure is None

    def close(self) -> None:
        self._connection.close()

    async def request(self, method: str, params: Any, *, timeout_seconds: float = ANSWER_TIMEOUT_SECONDS) -> Any:
        """Send a request and return its result as an lsprotocol type.

        Raises RequestRefused if the server returns an error or does not answer in time, ServerFailed if the server has
        failed.
        """
        try:
            result = await self._connection.request(method, params, timeout_seconds=timeout_seconds)
        except TimeoutError as error:
            raise RequestRefused(f"did not answer within {timeout_seconds:.0f} s") from error
        return await asyncio.to_thread(protocol.structured, method, result)

    def sync_document(self, document: Document, folder: str | None = None) -> None:
        """Send the server the current text of a file, and the folder of its project if it is new to the server."""
        if folder and folder not in self._folders:
            self._add_folder(folder)
        self._send_text(document)

    def forget(self, path: str) -> None:
        """Close a file that no longer exists and notify the server of its deletion."""
        self.known_errors.pop(path, None)
        if self._documents.find(path):
            self._documents.remove(path)
            self._close_document(path)
        self._note_on_disk(path, types.FileChangeType.Deleted)

    def note_changed(self, files: Collection[tuple[str, int]]) -> None:
        """Notify the server of changed files: paths with modification times in nanoseconds.

        Changes that the server already knows are skipped.
        """
        changed = [path for path, moment in files if moment > self._seen_until]
        self._seen_until = max([self._seen_until, *(moment for _, moment in files)])
        for path in changed:
            self._note_on_disk(path, types.FileChangeType.Changed)

    def others(self, paths: Collection[str], most: int) -> list[Document]:
        """Return at most `most` open documents that are not in `paths`, the most recently used first."""
        return self._documents.others(paths, most)

    async def _initialize(self, launch: Launch) -> None:
        params = protocol.initialize_params(launch.spec, launch.folder)
        result = await self._connection.request(types.INITIALIZE, params, timeout_seconds=START_TIMEOUT_SECONDS)
        self.capabilities = protocol.read_capabilities(result)
        self._connection.notify(types.INITIALIZED, {})
        self._connection.notify(types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"settings": self._settings})

    def _add_folder(self, folder: str) -> None:
        self._folders.append(folder)
        workspace = self.capabilities.workspace
        if workspace and workspace.workspace_folders and workspace.workspace_folders.supported:
            event = {"added": [protocol.folder_fields(folder)], "removed": []}
            self._connection.notify(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, {"event": event})

    def _send_text(self, document: Document) -> None:
        known = self._documents.find(document.path)
        opened = self._documents.put(document)
        if opened is known:
            return
        self.published.expect(document.path, opened.version)
        change = types.FileChangeType.Changed if known else types.FileChangeType.Created
        self._note_on_disk(document.path, change)
        item: dict[str, Any] = {"uri": to_uri(document.path), "version": opened.version}
        if known:
            changes = {"textDocument": item, "contentChanges": [{"text": document.text}]}
            self._connection.notify(types.TEXT_DOCUMENT_DID_CHANGE, changes)
            self._connection.notify(types.TEXT_DOCUMENT_DID_SAVE, {"textDocument": {"uri": item["uri"]}})
        else:
            item |= {"languageId": self.spec.languages[extension_of(document.path)], "text": document.text}
            self._connection.notify(types.TEXT_DOCUMENT_DID_OPEN, {"textDocument": item})
        while path := self._documents.pop_surplus():
            self._close_document(path)

    def _close_document(self, path: str) -> None:
        params = {"textDocument": {"uri": to_uri(path)}}
        self._connection.notify(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _note_on_disk(self, path: str, change: types.FileChangeType) -> None:
        params = {"changes": [{"uri": to_uri(path), "type": int(change)}]}
        self._connection.notify(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, params)

    def _answer(self, method: str, params: Any) -> Any:
        if method == types.WORKSPACE_CONFIGURATION:
            items = params.get("items", []) if isinstance(params, Mapping) else []
            return [self._setting(item) for item in items] if isinstance(items, list) else []
        if method == types.WORKSPACE_WORKSPACE_FOLDERS:
            return [protocol.folder_fields(folder) for folder in self._folders]
        if method == types.WORKSPACE_APPLY_EDIT:
            return {"applied": False}
        if method in ANSWERED_WITH_NULL:
            return None
        raise UnknownMethod

    def _setting(self, item: Any) -> Any:
        """Return the settings of a section such as "python.analysis"; None if there are none."""
        found: Any = self._settings
        section = item.get("section") if isinstance(item, Mapping) else None
        for name in section.split(".") if isinstance(section, str) and section else ():
            found = found.get(name) if isinstance(found, Mapping) else None
        return found
