"""Which files a server was told the text of, and in which state."""

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from sandbox.ports import FileContent
from tools_app.arguments import Place

MOST_OPEN: Final = 20


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it is now: `path` in the sandbox, `shown` to people."""

    path: str
    shown: str
    text: str
    sha256: str

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")


def to_document(place: Place, found: FileContent) -> Document:
    return Document(place.real, place.shown, found.content.decode("utf-8", "replace"), found.sha256)


@dataclass(frozen=True, slots=True)
class OpenDocument:
    document: Document
    version: int


class OpenDocuments:
    """The last used ones."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, OpenDocument] = OrderedDict()

    def find(self, path: str) -> OpenDocument | None:
        return self._open.get(path)

    def put(self, document: Document) -> OpenDocument:
        """In its state as it is now, as the last used one."""
        known = self._open.pop(document.path, None)
        if known and known.document.sha256 == document.sha256:
            opened = known
        else:
            opened = OpenDocument(document, known.version + 1 if known else 1)
        self._open[document.path] = opened
        return opened

    def take_surplus(self) -> str | None:
        """The path of one that is too many, and is no longer open now."""
        return self._open.popitem(last=False)[0] if len(self._open) > MOST_OPEN else None

    def remove(self, path: str) -> None:
        self._open.pop(path, None)

    def others(self, paths: Collection[str], most: int) -> list[Document]:
        """The last used ones besides these, newest first."""
        found = [each.document for path, each in reversed(self._open.items()) if path not in paths]
        return found[:most]
