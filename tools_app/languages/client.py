"""One language server that runs: what it was told about files, and what it answers."""

import asyncio
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lsprotocol import types

from sandbox.ports import ProcessRequest, Runtime
from tools_app.languages import protocol
from tools_app.languages.documents import Document, OpenDocuments
from tools_app.languages.jsonrpc import Conversation, Refused, ServerFailed, Unknown
from tools_app.languages.protocol import to_uri
from tools_app.languages.published_diagnostics import Published
from tools_app.languages.servers import ServerSpec, extension_of

START_PATIENCE: Final = 45.0
ANSWER_PATIENCE: Final = 30.0
SILENTLY: Final = frozenset(
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
"""Requests of servers that are answered with nothing."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How a server is started: the program with its arguments, in the project's `folder`."""

    spec: ServerSpec
    argv: tuple[str, ...]
    env: Mapping[str, str]
    folder: str
    settings: Mapping[str, Any]


class LanguageClient:
    """Used on one loop. `capabilities` are the server's, `published` is what it said by itself, `known_errors` are the
    messages that were found in each file when it was looked at last."""

    def __init__(self, launch: Launch, conversation: Conversation) -> None:
        self.spec = launch.spec
        self.capabilities = types.ServerCapabilities()
        self.published = Published()
        self.known_errors: dict[str, frozenset[str]] = {}
        self._seen_until = time.time_ns()
        self._settings = launch.settings
        self._folders = [launch.folder]
        self._documents = OpenDocuments()
        self._conversation = conversation

    @classmethod
    async def start(cls, launch: Launch, runtime: Runtime) -> "LanguageClient":
        """One that is ready to be asked. ServerFailed, or an error of the sandbox."""
        request = ProcessRequest(f"lsp-{launch.spec.id}", launch.argv, env=launch.env)
        client = cls(launch, Conversation(await runtime.open_process(request)))
        client._conversation.begin(client._answer, client.published.hear)
        try:
            await client._initialize(launch)
        except TimeoutError as error:
            client.close()
            raise ServerFailed(f"did not start within {START_PATIENCE:.0f} s") from error
        except BaseException:
            client.close()
            raise
        return client

    @property
    def is_living(self) -> bool:
        return self._conversation.failure is None

    def close(self) -> None:
        self._conversation.close()

    async def ask(self, method: str, params: Any, *, patience: float = ANSWER_PATIENCE) -> Any:
        """The result as its type. ServerFailed; Refused when it only says no to this."""
        try:
            result = await self._conversation.request(method, params, patience=patience)
        except TimeoutError as error:
            raise Refused(f"did not answer within {patience:.0f} s") from error
        return await asyncio.to_thread(protocol.structured, method, result)

    def show(self, document: Document, folder: str | None = None) -> None:
        """Tell it the text as it is now, and the folder of the file's project where that may be a new one."""
        if folder and folder not in self._folders:
            self._add_folder(folder)
        self._tell(document)

    def forget(self, path: str) -> None:
        """A file that is gone."""
        self.known_errors.pop(path, None)
        if self._documents.find(path):
            self._documents.remove(path)
            self._close_document(path)
        self._note_on_disk(path, types.FileChangeType.Deleted)

    def note_changed(self, files: Collection[tuple[str, int]]) -> None:
        """Paths on disk with the time of their last change, in nanoseconds. What it knows already is left out."""
        changed = [path for path, moment in files if moment > self._seen_until]
        self._seen_until = max([self._seen_until, *(moment for _, moment in files)])
        for path in changed:
            self._note_on_disk(path, types.FileChangeType.Changed)

    def others(self, paths: Collection[str], most: int) -> list[Document]:
        """Further files that it was shown lately, the last one first."""
        return self._documents.others(paths, most)

    async def _initialize(self, launch: Launch) -> None:
        params = protocol.initialize_params(launch.spec, launch.folder)
        result = await self._conversation.request(types.INITIALIZE, params, patience=START_PATIENCE)
        self.capabilities = protocol.read_capabilities(result)
        self._conversation.notify(types.INITIALIZED, {})
        self._conversation.notify(types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"settings": self._settings})

    def _add_folder(self, folder: str) -> None:
        self._folders.append(folder)
        workspace = self.capabilities.workspace
        if workspace and workspace.workspace_folders and workspace.workspace_folders.supported:
            event = {"added": [protocol.folder_fields(folder)], "removed": []}
            self._conversation.notify(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, {"event": event})

    def _tell(self, document: Document) -> None:
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
            self._conversation.notify(types.TEXT_DOCUMENT_DID_CHANGE, changes)
            self._conversation.notify(types.TEXT_DOCUMENT_DID_SAVE, {"textDocument": {"uri": item["uri"]}})
        else:
            item |= {"languageId": self.spec.languages[extension_of(document.path)], "text": document.text}
            self._conversation.notify(types.TEXT_DOCUMENT_DID_OPEN, {"textDocument": item})
        while path := self._documents.take_surplus():
            self._close_document(path)

    def _close_document(self, path: str) -> None:
        params = {"textDocument": {"uri": to_uri(path)}}
        self._conversation.notify(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _note_on_disk(self, path: str, change: types.FileChangeType) -> None:
        params = {"changes": [{"uri": to_uri(path), "type": int(change)}]}
        self._conversation.notify(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, params)

    def _answer(self, method: str, params: Any) -> Any:
        if method == types.WORKSPACE_CONFIGURATION:
            items = params.get("items", []) if isinstance(params, Mapping) else []
            return [self._setting(item) for item in items] if isinstance(items, list) else []
        if method == types.WORKSPACE_WORKSPACE_FOLDERS:
            return [protocol.folder_fields(folder) for folder in self._folders]
        if method == types.WORKSPACE_APPLY_EDIT:
            return {"applied": False}
        if method in SILENTLY:
            return None
        raise Unknown

    def _setting(self, item: Any) -> Any:
        """Of a section such as "python.analysis"; None where there is none."""
        found: Any = self._settings
        section = item.get("section") if isinstance(item, Mapping) else None
        for name in section.split(".") if isinstance(section, str) and section else ():
            found = found.get(name) if isinstance(found, Mapping) else None
        return found
