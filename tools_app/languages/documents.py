"""The documents that a language server has open, and their versions."""

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from sandbox.ports import FileContent
from tools_app.arguments import ResolvedPath

MAX_OPEN: Final = 20  # documents of one server


@dataclass(frozen=True, slots=True)
class Document:
    """The current text of a file. `path` is its real path, `shown` its displayed form."""

    path: str
    shown: str
    text: str
    sha256: str

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")


def to_document(target: ResolvedPath, found: FileContent) -> Document:
    return Document(target.real, target.shown, found.content.decode("utf-8", "replace"), found.sha256)


@dataclass(frozen=True, slots=True)
class OpenDocument:
    document: Document
    version: int


class OpenDocuments:
    """The open documents of a server, in the order of their last use."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, OpenDocument] = OrderedDict()

    def find(self, path: str) -> OpenDocument | None:
        return self._open.get(path)

    def put(self, document: Document) -> OpenDocument:
        """Open a document or update its text, and mark it as the last used. The version increases with the text."""
        known = self._open.pop(document.path, None)
        if known and known.document.sha256 == document.sha256:
            opened = known
        else:
            opened = OpenDocument(document, known.version + 1 if known else 1)
        self._open[document.path] = opened
        return opened

    def pop_surplus(self) -> str | None:
        """Remove the least recently used document if there are more than `MAX_OPEN`. Returns its path, or None."""
        return self._open.popitem(last=False)[0] if len(self._open) > MAX_OPEN else None

    def remove(self, path: str) -> None:
        self._open.pop(path, None)

    def others(self, paths: Collection[str], most: int) -> list[Document]:
        """Return at most `most` documents with other paths, the most recently used first."""
        found = [each.document for path, each in reversed(self._open.items()) if path not in paths]
        return found[:most]
