"""REST endpoints: the files of a session's workspace, for people: list, read, find, write, move and remove them."""

import base64
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final, Literal

from asgiref.sync import sync_to_async
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from ninja import Field, File, Query, Router, Schema, Status, UploadedFile
from pydantic import StringConstraints

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, NotAllowed, SiteError, Stale, TooLarge
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import can, require
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from agentsite.tenancy.scopes import Scope
from sessions_app.actions.downloads import record_download, record_file_change
from sessions_app.models import Session
from sessions_app.queries.live import query_workspace
from sessions_app.queries.questions import (
    FileBytesQuestion,
    FilesQuestion,
    FindFilesQuestion,
    ListFilesQuestion,
    MakeFolderQuestion,
    MoveFileQuestion,
    OpenFileQuestion,
    PackFolderQuestion,
    ReadFileQuestion,
    RemoveFileQuestion,
    WriteFileQuestion,
)
from sessions_app.queries.sessions import find_session
from sessions_app.repositories.working_copy.actions import may_decide
from sessions_app.transport.rest.attachments import SANDBOXED
from sessions_app.transport.rest.downloads import LEFT_OUT_HEADER, MAKE_TIMEOUT, binary_response, pieces

router = Router(tags=["files"])
MAX_UPLOAD_BYTES: Final = 10 << 20
PIECE_BYTES: Final = 4 << 20
Path = Annotated[str, StringConstraints(min_length=1, max_length=4096)]


class FileEntry(Schema):
    """An entry of a folder. `modified_at` is in seconds since 1970. `readable_name` is false if the name has bytes that
    are not text; such an entry cannot be opened through the API."""

    name: str
    kind: Literal["file", "directory", "symlink", "other"]
    size: int
    modified_at: float
    executable: bool
    readable_name: bool


class FolderView(Schema):
    """A folder. `path` is relative to the workspace if the folder is in it. `more`: the folder has more entries than
    are listed. `note` says which rules hide entries."""

    path: str
    entries: list[FileEntry]
    more: bool
    note: str


class FileLines(Schema):
    """Lines of a text file, with secrets masked. `first_line` counts from 1. `size` is in bytes. `next_line` is the
    line to continue with, null at the end of the file."""

    path: str
    text: str
    first_line: int
    lines: int
    next_line: int | None
    size: int


class FileView(Schema):
    """A file. `text` is only set if `kind` is `text`; `media_type` and `base64` only if it is `media` (pictures, PDF).
    Files of the kinds `large` (over 2 MiB) and `binary` can be downloaded. `masked`: secrets in `text` are replaced, so
    it cannot be saved."""

    path: str
    size: int
    kind: Literal["text", "media", "binary", "large"]
    sha256: str = ""
    text: str = ""
    masked: bool = False
    media_type: str = ""
    base64: str = ""


class FoundFile(Schema):
    """A file whose path matches a search, or one line of a file that contains the searched text."""

    path: str
    line: int
    text: str


class FoundFiles(Schema):
    """The files or lines that were found. `more`: there are more than are listed."""

    files: list[FoundFile]
    more: bool


class WrittenFile(Schema):
    """The file after writing: its path, its size in bytes and its hash."""

    path: str
    size: int
    sha256: str


class ChangedPath(Schema):
    """A changed path of the workspace: the path of the new, written or moved file or folder, or the path that was
    removed."""

    path: str


class FolderOptions(Schema):
    """The path of a folder, relative to the workspace or absolute."""

    path: str = Field(".", max_length=4096)


class FileOptions(Schema):
    """The path of a file, relative to the workspace or absolute."""

    path: Path


class LinesOptions(FileOptions):
    """The file to read, and the lines of it to return."""

    first_line: int = Field(1, ge=1, le=100_000_000)
    lines: int = Field(2_000, ge=1, le=10_000)


class FindOptions(Schema):
    """A search below `path`: for files whose path contains `name`, or for lines that contain `text`. The search for
    `text` is case-sensitive only if it contains capital letters."""

    name: str = Field("", max_length=200)
    text: str = Field("", max_length=500)
    path: str = Field(".", max_length=4096)


class NewText(RequestBody):
    """A text to save. `seen_sha256` is the hash of the content that you last saw; null for a new file."""

    path: Path
    text: str = Field(max_length=1 << 20)
    seen_sha256: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")] | None


class Move(RequestBody):
    """A file or folder to move, and its new path. Missing folders of the new path are created."""

    path: Path
    target: Path


class NewFolder(RequestBody):
    """A folder to create, with missing folders above it."""

    path: Path


class UploadOptions(Schema):
    """The path for an uploaded file. `seen_sha256` is the hash of the content that you last saw, empty for a new
    file."""

    path: Path
    seen_sha256: str = Field("", pattern="^([0-9a-f]{64})?$")


@router.get("/sessions/{session_id}/files", response=FolderView, operation_id="list_files")
async def get_files(request: HttpRequest, session_id: str, options: Query[FolderOptions]) -> FolderView:
    """List a folder of the session's workspace: at most 5,000 entries. Entries that the session's rules hide are left
    out."""
    person = await _person(request, session_id, Act.VIEW)
    return FolderView(**await person.ask(ListFilesQuestion(**person.given, path=options.path)))


@router.get("/sessions/{session_id}/files/content", response=FileView, operation_id="open_file")
async def get_content(request: HttpRequest, session_id: str, options: Query[FileOptions]) -> FileView:
    """Return a whole file of the session's workspace with its hash, for an editor or a viewer. The rules of the session
    about `read` apply; secrets are masked."""
    person = await _person(request, session_id, Act.VIEW)
    return FileView(**await person.ask(OpenFileQuestion(**person.given, path=options.path)))


@router.get("/sessions/{session_id}/files/lines", response=FileLines, operation_id="read_file")
async def get_lines(request: HttpRequest, session_id: str, options: Query[LinesOptions]) -> FileLines:
    """Return lines of a text file of the session's workspace. The session's rules about `read` apply; secrets are
    masked."""
    person = await _person(request, session_id, Act.VIEW)
    lines = {"first_line": options.first_line, "lines": options.lines}
    return FileLines(**await person.ask(ReadFileQuestion(**person.given, path=options.path, **lines)))


@router.get("/sessions/{session_id}/files/find", response=FoundFiles, operation_id="find_files")
async def get_found(request: HttpRequest, session_id: str, options: Query[FindOptions]) -> FoundFiles:
    """Find files by their path, or lines by their text: at most 200. Files that git ignores are left out."""
    if bool(options.name) == bool(options.text):
        raise BadInput("Give either `name` or `text`.", fields={"name": "or text", "text": "or name"})
    person = await _person(request, session_id, Act.VIEW)
    question = FindFilesQuestion(**person.given, path=options.path, name=options.name, text=options.text)
    return FoundFiles(**await person.ask(question))


@router.get(
    "/sessions/{session_id}/files/download",
    operation_id="download_file",
    response={200: None},
    openapi_extra=binary_response("application/octet-stream"),
)
async def get_download(request: HttpRequest, session_id: str, options: Query[FileOptions]) -> StreamingHttpResponse:
    """Download a file unchanged, with its secrets. You need the right to decide permission requests."""
    person = await _person(request, session_id, Act.ANSWER)
    ask = {**person.given, "path": options.path, "limit": PIECE_BYTES}
    first = await person.ask(FileBytesQuestion(**ask, offset=0))
    await sync_to_async(record_download)(actor=person.user, session=person.session, what="file")

    async def content() -> AsyncIterator[bytes]:
        sent, piece = 0, first
        while piece["content"]:
            yield piece["content"]
            sent += len(piece["content"])
            if sent >= first["size"]:
                return
            piece = await person.ask(FileBytesQuestion(**ask, offset=sent))
            if piece["sha256"] != first["sha256"]:
                raise Stale("The file changed while it was downloaded.", code=ErrorCode.FILE_CHANGED)

    response = StreamingHttpResponse(content(), content_type="application/octet-stream")
    name = options.path.rstrip("/").rpartition("/")[2]
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name)
    response["Content-Length"] = str(first["size"])
    for header, value in SANDBOXED.items():
        response[header] = value
    return response


@router.get(
    "/sessions/{session_id}/files/archive",
    operation_id="download_folder",
    response={200: None},
    openapi_extra=binary_response("application/zip"),
)
async def get_archive(request: HttpRequest, session_id: str, options: Query[FolderOptions]) -> StreamingHttpResponse:
    """Download a folder as a zip file, unchanged, with its secrets: at most 10,000 entries and 512 MiB. The header
    `X-Left-Out` counts the entries that are left out: links, and files that the session's rules do not let you read.
    You need the right to decide permission requests."""
    person = await _person(request, session_id, Act.ANSWER)
    question = PackFolderQuestion(**person.given, path=options.path)
    made = await person.ask(question, timeout_seconds=MAKE_TIMEOUT)
    await sync_to_async(record_download)(actor=person.user, session=person.session, what="folder")
    sent = pieces(person.session, person.user, made["token"], made["size"])
    response = StreamingHttpResponse(sent, content_type="application/zip")
    name = options.path.rstrip("/").rpartition("/")[2].strip(".") or session_id
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=f"{name}.zip")
    response["Content-Length"] = str(made["size"])
    response[LEFT_OUT_HEADER] = str(made["left_out"])
    response["Cache-Control"] = "no-store"
    for header, value in SANDBOXED.items():
        response[header] = value
    return response


@router.put("/sessions/{session_id}/files/content", response=WrittenFile, operation_id="write_file")
async def put_content(request: HttpRequest, session_id: str, payload: NewText) -> WrittenFile:
    """Save a text if the file still has the content that you last saw; otherwise nothing is written, and the answer is
    409 `file_changed`. The session's rules about `edit` apply."""
    person = await _person(request, session_id, Act.PROMPT)
    return await person.write("write", payload.path, payload.text.encode(), seen=payload.seen_sha256)


@router.post("/sessions/{session_id}/files/upload", response=WrittenFile, operation_id="upload_file")
async def post_upload(
    request: HttpRequest, session_id: str, options: Query[UploadOptions], file: File[UploadedFile]
) -> WrittenFile:
    """Put an uploaded file (at most 10 MiB) into the workspace. Missing folders are created."""
    if file.size is None or file.size > MAX_UPLOAD_BYTES:
        raise TooLarge(f"A file can have at most {MAX_UPLOAD_BYTES >> 20} MiB.")
    person = await _person(request, session_id, Act.PROMPT)
    content = await sync_to_async(file.read)()
    return await person.write("upload", options.path, content, seen=options.seen_sha256 or None)


@router.post("/sessions/{session_id}/files/move", response=ChangedPath, operation_id="move_file")
async def post_move(request: HttpRequest, session_id: str, payload: Move) -> ChangedPath:
    """Move or rename a file or folder. Existing files are never replaced."""
    person = await _person(request, session_id, Act.PROMPT)
    question = MoveFileQuestion(**person.given, path=payload.path, target=payload.target)
    return ChangedPath(**await person.change("move", payload.path, question))


@router.post("/sessions/{session_id}/files/folder", response={201: ChangedPath}, operation_id="make_folder")
async def post_folder(request: HttpRequest, session_id: str, payload: NewFolder) -> Status[ChangedPath]:
    """Create a folder."""
    person = await _person(request, session_id, Act.PROMPT)
    question = MakeFolderQuestion(**person.given, path=payload.path)
    return Status(201, ChangedPath(**await person.change("folder", payload.path, question)))


@router.delete("/sessions/{session_id}/files", response=ChangedPath, operation_id="remove_file")
async def delete_file(request: HttpRequest, session_id: str, options: Query[FileOptions]) -> ChangedPath:
    """Remove a file, or a folder with everything in it. A folder is not removed if it may contain files that rules
    protect."""
    person = await _person(request, session_id, Act.PROMPT)
    question = RemoveFileQuestion(**person.given, path=options.path)
    return ChangedPath(**await person.change("remove", options.path, question))


class _Person:
    """The access of a person to the files of one session."""

    def __init__(self, user: User, session: Session, *, decides: bool) -> None:
        self.user = user
        self.session = session
        self.given: dict[str, Any] = {"session": session.pk, "decides": decides}

    async def ask(self, question: FilesQuestion, *, timeout_seconds: float | None = None) -> dict[str, Any]:
        """Send a request about files to the workspace, and return its answer. Raises SiteError if the workspace refuses
        the request."""
        workspace = self.session.workspace
        answer: dict[str, Any] = await query_workspace(
            workspace, question, person=self.user, timeout_seconds=timeout_seconds
        )
        if problem := answer.get("problem"):
            raise _error(problem, answer["message"])
        return answer

    async def change(self, what: str, path: str, question: FilesQuestion) -> dict[str, Any]:
        """Record a change of a file in the audit log, then make the change and return the workspace's answer."""
        await sync_to_async(record_file_change)(actor=self.user, session=self.session, what=what, path=path)
        return await self.ask(question)

    async def write(self, what: str, path: str, content: bytes, *, seen: str | None) -> WrittenFile:
        """Write a file if it still has the content `seen`. If `seen` is None, the file must not exist yet."""
        text = base64.b64encode(content).decode("ascii")
        question = WriteFileQuestion(**self.given, path=path, content=text, seen=seen)
        return WrittenFile(**await self.change(what, path, question))


async def _person(request: HttpRequest, session_id: str, act: Act) -> _Person:
    return await sync_to_async(_find_person)(request, session_id, act)


def _find_person(request: HttpRequest, session_id: str, act: Act) -> _Person:
    """Return a person's access to the files of the session. With an API token, the person may decide about files only
    if the token has the scope for decisions."""
    user, session = current_user(request), find_session(request, session_id)
    require(user, act, team_id=session.project.team_id)
    if not session.workspace.seeded:
        raise Stale("This workspace has no files yet, or is being restored.", code=ErrorCode.WORKSPACE_NOT_READY)
    token = getattr(request, "api_token", None)
    by_scope = token is None or Scope.ANSWER in token.scopes
    decides = by_scope and can(user, Act.ANSWER, team_id=session.project.team_id) and may_decide(user, session)
    return _Person(user, session, decides=decides)


def _error(problem: str, message: str) -> SiteError:
    match problem:
        case "not_found":
            return Missing(message, hint="It may have been moved or removed. Look at the folder again.")
        case "denied":
            return NotAllowed(message, code=ErrorCode.FILE_DENIED)
        case "changed":
            return Stale(message, code=ErrorCode.FILE_CHANGED)
        case _:
            return BadInput(message, fields={"path": message})
