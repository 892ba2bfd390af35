"""Access of people to a workspace's files: list, read, find, write, move and remove them.

The session's rules decide about paths as for calls of the tools `read`, `list`, `glob`, `grep` and `edit`. If the rules
ask, the request is allowed if the person may decide it. Secrets in texts are masked, as everywhere on the site.

Each answer is a dictionary: {problem, message} if the file system or a rule refuses. Functions raise SandboxError only
if the sandbox fails.
"""

import base64
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any, Final, Literal

from asgiref.sync import sync_to_async

from sandbox.errors import Conflict, LimitReached, NotFound, PathOutside, SandboxRefused, WrongKind
from sandbox.ports import WORKSPACE_ROOT, Expect, FileContent, FileStat, RealPath, RunRequest, Runtime
from sessions_app.models import Session
from sessions_app.policy import current_layers
from sessions_app.queries.questions import (
    FileBytesQuestion,
    FileQuestion,
    FindFilesQuestion,
    ListFilesQuestion,
    MakeFolderQuestion,
    MoveFileQuestion,
    OpenFileQuestion,
    ReadFileQuestion,
    RemoveFileQuestion,
    WriteFileQuestion,
)
from sessions_app.variables.given import masks_of
from tools_app.arguments import ResolvedPath, needs_of_path, resolve
from tools_app.filekinds import is_binary
from tools_app.gate import SessionPathRules, judge, rule_text
from tools_app.left_out import Sight, inside
from tools_app.masking import Masks
from tools_app.media import recognise
from tools_app.permission.model import Layer
from tools_app.text import clean_value, is_clean

MAX_ENTRIES: Final = 5_000  # of a folder
MAX_SHOWN_BYTES: Final = 2 << 20
MAX_FOUND: Final = 200
MAX_NAMES: Final = 400  # that are looked at for it, because rules may hide some
MAX_ANSWER_CHARACTERS: Final = 1 << 20
MAX_LINE_CHARACTERS: Final = 300
SCRIPT_SECONDS: Final = 30.0
Problem = Literal["not_found", "denied", "changed", "wrong_kind", "refused"]
MOVE: Final = """
mkdir -p -- "$(dirname -- "$TO")" && mv -nT -- "$FROM" "$TO" || exit
[ ! -e "$FROM" ] && [ ! -L "$FROM" ] || { echo "Something is at the new place already."; exit 1; }
"""
REMOVE: Final = 'rm -rf -- "$FROM"'
MAKE_FOLDER: Final = 'mkdir -p -- "$FROM"'


class Refused(Exception):
    """The person's request is refused; the message is for the person."""

    def __init__(self, problem: Problem, message: str) -> None:
        super().__init__(message)
        self.problem = problem
        self.message = message


class PersonFiles:
    """Access to the files of a workspace for a person, under the rules `layers` and with secrets masked. `decides`: the
    person may decide about paths for which the rules ask."""

    def __init__(
        self,
        runtime: Runtime,
        layers: tuple[tuple[Layer, ...], tuple[Layer, ...]],
        masks: Masks,
        *,
        decides: bool,
    ) -> None:
        self._runtime = runtime
        self._layers = layers
        self._masks = masks
        self._decides = decides

    async def list(self, question: ListFilesQuestion) -> dict[str, Any]:
        target = await self._allowed("list", question.path)
        entries = await self._runtime.list(target.real, limit=MAX_ENTRIES + 1)
        sight = self._sight(target, "list")
        shown = [entry for entry in entries[:MAX_ENTRIES] if sight.shows(inside(target.shown, _name(entry)))]
        return {
            "path": target.shown,
            "entries": [self._entry(entry) for entry in shown],
            "more": len(entries) > MAX_ENTRIES,
            "note": sight.names_note(),
        }

    async def open(self, question: OpenFileQuestion) -> dict[str, Any]:
        target = await self._existing_file(question.path)
        if target.size > MAX_SHOWN_BYTES:
            return {"path": target.shown, "size": target.size, "kind": "large"}
        found = await self._runtime.read(target.real)
        facts = {"path": target.shown, "size": found.size, "sha256": found.sha256}
        if media := recognise(found.content):
            return facts | self._picture(media.media_type, found.content)
        text = _decoded(found.content, target.real)
        if text is None:
            return {**facts, "kind": "binary"}
        masked = self._masks.mask(text)
        return {**facts, "kind": "text", "text": masked, "masked": masked != text}

    def _picture(self, media_type: str, content: bytes) -> dict[str, Any]:
        """Return the answer for a picture or PDF. If the file contains a secret, its content is left out."""
        text = content.decode("latin-1")
        if self._masks.mask(text) != text:
            return {"kind": "binary"}
        return {"kind": "media", "media_type": media_type, "base64": base64.b64encode(content).decode("ascii")}

    async def read(self, question: ReadFileQuestion) -> dict[str, Any]:
        target = await self._existing_file(question.path)
        found = await self._runtime.read(target.real)
        text = _decoded(found.content, target.real)
        if text is None:
            raise Refused("wrong_kind", f"{target.shown} is not a text file.")
        lines = text.splitlines(keepends=True)
        start = question.first_line - 1
        shown = _within(lines[start : start + question.lines], MAX_ANSWER_CHARACTERS)
        end = start + len(shown)
        return {
            "path": target.shown,
            "text": self._masks.mask("".join(shown)),
            "first_line": question.first_line,
            "lines": len(shown),
            "next_line": end + 1 if end < len(lines) else None,
            "size": found.size,
        }

    async def bytes(self, question: FileBytesQuestion) -> dict[str, Any]:
        target = await self._existing_file(question.path)
        found = await self._runtime.read(target.real, offset=question.offset, limit=question.limit)
        return {"content": found.content, "size": found.size, "sha256": found.sha256}

    async def folder(self, path: str) -> ResolvedPath:
        """Return the resolved path of a folder. Raises Refused if the folder does not exist, or the rules do not let
        this person list it."""
        target = await self._allowed("list", path)
        if not target.exists:
            raise Refused("not_found", f"There is no folder {target.shown}.")
        if target.kind != "directory":
            raise Refused("wrong_kind", f"{target.shown} is not a folder.")
        return target

    async def below(self, top: ResolvedPath) -> AsyncIterator[tuple[FileStat, ResolvedPath, bool]]:
        """Yield each entry below a folder, its path, and whether this person may list or read it. Links are not
        followed, and folders that may not be listed are not entered."""
        sight = self._sight(top, "list")
        folders = [top]
        while folders:
            folder = folders.pop()
            for entry in await self._runtime.list(folder.real, limit=MAX_ENTRIES + 1):
                name = _name(entry)
                here = RealPath(f"{folder.real.rstrip('/')}/{name}")
                shown = inside(folder.shown, name)
                place = ResolvedPath(here, shown, inside=folder.inside, exists=True, kind=entry.kind, size=entry.size)
                may = sight.shows(shown) and (entry.kind == "directory" or self._may("read", place))
                if may and entry.kind == "directory":
                    folders.append(place)
                yield entry, place, may

    async def content(self, place: ResolvedPath, offset: int, limit: int) -> FileContent:
        """Return at most `limit` bytes, from `offset` on, of a file at a path that `below` has checked."""
        return await self._runtime.read(place.real, offset=offset, limit=limit)

    async def find(self, question: FindFilesQuestion) -> dict[str, Any]:
        target = await self._allowed("grep" if question.text else "glob", question.path or ".")
        if question.text:
            return await self._find_text(question.text, target)
        sight = self._sight(target, "glob", "list")
        found = await self._runtime.names(question.name, path=target.real, limit=MAX_NAMES)
        shown = [path for path in found.paths if sight.shows(path)]
        files = [{"path": path, "line": 0, "text": ""} for path in shown[:MAX_FOUND]]
        return {"files": files, "more": found.capped or len(shown) > MAX_FOUND}

    async def _find_text(self, text: str, target: ResolvedPath) -> dict[str, Any]:
        sight = self._sight(target, "grep", "read")
        found = await self._runtime.grep(_literal(text), path=target.real, limit=MAX_FOUND)
        matches = [match for match in found.matches if sight.shows(match.path)]
        lines = [{"path": each.path, "line": each.line, "text": each.text[:MAX_LINE_CHARACTERS]} for each in matches]
        return {"files": self._masks.mask_value(lines), "more": found.capped}

    async def write(self, question: WriteFileQuestion) -> dict[str, Any]:
        target = await self._allowed("edit", question.path)
        expected = Expect.ABSENT if question.seen is None else question.seen
        content = base64.b64decode(question.content)
        await self._runtime.write(target.real, content, expected=expected)
        found = await self._runtime.read(target.real, limit=0)
        return {"path": target.shown, "size": found.size, "sha256": found.sha256}

    async def move(self, question: MoveFileQuestion) -> dict[str, Any]:
        source = await self._entry_itself(question.path)
        target = await self._allowed("edit", question.target)
        if target.exists:
            raise Refused("changed", f"There is already something at {target.shown}.")
        await self._run(MOVE, source, target)
        return {"path": target.shown}

    async def remove(self, question: RemoveFileQuestion) -> dict[str, Any]:
        source = await self._entry_itself(question.path)
        await self._run(REMOVE, source)
        return {"path": source.shown}

    async def make_folder(self, question: MakeFolderQuestion) -> dict[str, Any]:
        target = await self._allowed("edit", question.path)
        if target.exists:
            raise Refused("changed", f"There is already something at {target.shown}.")
        await self._run(MAKE_FOLDER, target)
        return {"path": target.shown}

    async def _entry_itself(self, path: str) -> ResolvedPath:
        """Return the path of a file, folder or link that this person may move or remove. A symbolic link is not
        followed. Raises Refused."""
        target = await self._allowed("edit", path)
        folder, _, name = path.rstrip("/").rpartition("/")
        if target.shown == "." or name in ("", ".", ".."):
            raise Refused("refused", "The workspace's folder itself can be neither moved nor removed.")
        parent = await resolve(folder or ("/" if path.startswith("/") else "."), self._runtime)
        entry = replace(target, real=RealPath(f"{parent.real.rstrip('/')}/{name}"), shown=inside(parent.shown, name))
        if entry.real != target.real:
            self._require("edit", entry)
        elif not target.exists:
            raise Refused("not_found", f"There is no {target.shown}.")
        guards = [rule for rule in self._sight(entry, "edit").guards if rule.action == "deny" or not self._decides]
        if target.kind == "directory" and guards:
            raise Refused("denied", f"The folder may contain files that the rule {guards[0].named} protects.")
        return entry

    async def _existing_file(self, path: str) -> ResolvedPath:
        target = await self._allowed("read", path)
        if not target.exists:
            raise Refused("not_found", f"There is no file {target.shown}.")
        if target.kind != "file":
            raise Refused("wrong_kind", f"{target.shown} is not a file.")
        return target

    async def _allowed(self, permission: str, path: str) -> ResolvedPath:
        """Resolve a path and check that the rules let this person use it with `permission`. Returns the resolved path.
        Raises Refused."""
        target = await resolve(path or ".", self._runtime)
        self._require(permission, target)
        return target

    def _may(self, permission: str, target: ResolvedPath) -> bool:
        try:
            self._require(permission, target)
        except Refused:
            return False
        return True

    def _require(self, permission: str, target: ResolvedPath) -> None:
        verdict = judge(needs_of_path(permission, target, title=target.shown), *self._layers)
        deciding = verdict.deciding
        if verdict.action == "deny" or (verdict.action == "ask" and not self._decides):
            rule = rule_text(deciding.decision) if deciding else "a rule"
            words = "does not allow it" if verdict.action == "deny" else "asks first, and you may not decide that"
            raise Refused("denied", f"{target.shown}: {rule} {words}.")

    def _sight(self, target: ResolvedPath, *permissions: str) -> Sight:
        return Sight(SessionPathRules(*self._layers), target.shown, permissions)

    async def _run(self, script: str, source: ResolvedPath, target: ResolvedPath | None = None) -> None:
        environment = {
            "LC_ALL": "C",
            "FROM": _seen_from_workspace(source),
            "TO": _seen_from_workspace(target or source),
        }
        request = RunRequest(f"files-{uuid.uuid4().hex}", script, timeout=SCRIPT_SECONDS, env=environment)
        result = await self._runtime.run(request)
        if result.exit_code != 0 or result.end != "exited":
            words = result.output.decode("utf-8", "replace").strip()[-300:]
            raise Refused("refused", words or "The file system refused it.")

    def _entry(self, entry: FileStat) -> dict[str, Any]:
        name = _name(entry)
        return {
            "name": self._masks.mask(name),
            "kind": entry.kind,
            "size": entry.size,
            "modified_at": entry.modified_ns / 1e9,
            "executable": bool(entry.mode & 0o100),
            "readable_name": is_clean(name),
        }


Work = Callable[[PersonFiles], Awaitable[dict[str, Any]]]


async def answer_about_files(runtime: Runtime, question: FileQuestion) -> dict[str, Any]:
    """Carry out a person's request about files. Raises SandboxError."""
    answer = await carry_out(runtime, question, lambda files: _work(files, question)())
    return answer if isinstance(question, FileBytesQuestion) else dict(clean_value(answer))


async def carry_out(runtime: Runtime, question: FileQuestion, work: Work) -> dict[str, Any]:
    """Call `work` with the workspace's files, to which the rules of the request's session apply, and return the answer.
    Refusals and conflicts are returned as {problem, message}. Raises SandboxError."""
    layers, masks = await sync_to_async(_rules, thread_sensitive=False)(question.session)
    files = PersonFiles(runtime, layers, masks, decides=question.decides)
    try:
        return await work(files)
    except Refused as refused:
        return {"problem": refused.problem, "message": masks.mask(refused.message)}
    except Conflict:
        return {"problem": "changed", "message": "The file has changed since you opened it."}
    except NotFound:
        return {"problem": "not_found", "message": "The file or folder does not exist any more."}
    except WrongKind as error:
        return {"problem": "wrong_kind", "message": error.message}
    except (PathOutside, SandboxRefused, LimitReached) as error:
        return {"problem": "refused", "message": error.message}


def _work(files: PersonFiles, question: Any) -> Callable[[], Awaitable[dict[str, Any]]]:
    methods: dict[type, Callable[[Any], Awaitable[dict[str, Any]]]] = {
        ListFilesQuestion: files.list,
        OpenFileQuestion: files.open,
        ReadFileQuestion: files.read,
        FileBytesQuestion: files.bytes,
        FindFilesQuestion: files.find,
        WriteFileQuestion: files.write,
        MoveFileQuestion: files.move,
        RemoveFileQuestion: files.remove,
        MakeFolderQuestion: files.make_folder,
    }
    return lambda: methods[type(question)](question)


def _rules(session_id: uuid.UUID) -> tuple[tuple[tuple[Layer, ...], tuple[Layer, ...]], Masks]:
    session = Session.objects.select_related("project", "workspace").get(pk=session_id)
    return current_layers(session), masks_of(session.project)


def _seen_from_workspace(place: ResolvedPath) -> str:
    """Return a path for commands that run in the workspace's folder: "./..." inside of the workspace, else an absolute
    path."""
    return f"./{place.real.removeprefix(WORKSPACE_ROOT).lstrip('/')}" if place.inside else place.real


def _name(entry: FileStat) -> str:
    return entry.path.rstrip("/").rpartition("/")[2]


def _decoded(content: bytes, path: str) -> str | None:
    """Return the content of a file as text; None for binary content and other encodings than UTF-8."""
    if is_binary(path, content):
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _within(lines: list[str], room: int) -> list[str]:
    """Return the first lines, as many as have at most `room` characters together; if the first line alone is longer,
    return its beginning."""
    shown: list[str] = []
    for line in lines:
        if len(line) > room:
            return shown or [line[:room]]
        room -= len(line)
        shown.append(line)
    return shown


def _literal(text: str) -> str:
    """Return a ripgrep pattern that matches `text` literally. Case is ignored if the text has no capital letter."""
    escaped = "".join(f"\\{c}" if c in r"\.+*?()|[]{}^$#&-~" else c for c in text)
    return escaped if any(c.isupper() for c in text) else f"(?i){escaped}"
