"""The two interfaces of a sandbox and the value types that they use.

`Deployment` manages where a sandbox lives: create, start, adopt, stop, remove. `Runtime` works inside a sandbox: files,
search, commands, snapshots. The same contract tests run against every implementation of either. All methods are
asynchronous and raise only exceptions of `sandbox.errors`.

Paths are strings as the tool user would write them inside the sandbox: absolute ("/workspace/src/a.py",
"/home/agent/x") or relative to the workspace root. Symlinks in them are followed inside the workspace. File names that
are not valid UTF-8 are passed with surrogateescape.

Sizes are in bytes and times in seconds, unless a name states another unit.
"""

from collections.abc import AsyncIterable, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from sandbox.files import (
    ArchiveSummary,
    CallChanges,
    DiffStatus,
    Expect,
    FileChange,
    FileContent,
    FileDiff,
    FileKind,
    FileStat,
    Found,
    GrepMatch,
    GrepResult,
    RealPath,
    RecordedChange,
    RevertResult,
    WantedRevert,
)
from sandbox.limits import LimitHit, SandboxUsage
from sandbox.listeners import PortRuntime
from sandbox.reports import CheckReport, NodeFacts, Reaped
from sandbox.reviews import Commit, CutReason, FoldedFolder, FolderKind, ReviewedFile, ReviewList, ReviewStatus
from sandbox.terminals import TerminalRuntime
from sandbox.values import (
    BackgroundCall,
    BackgroundOutput,
    RunEnd,
    RunResult,
    SandboxSpec,
    SandboxState,
    SandboxStatus,
)

__all__ = [
    "HOME",
    "WORKSPACE_ROOT",
    "ArchiveSummary",
    "BackgroundCall",
    "BackgroundOutput",
    "Commit",
    "CutReason",
    "Deployment",
    "DiffStatus",
    "Expect",
    "FileChange",
    "FileContent",
    "FileDiff",
    "FileKind",
    "FileReader",
    "FileStat",
    "FoldedFolder",
    "FolderKind",
    "Found",
    "GrepMatch",
    "GrepResult",
    "Process",
    "ProcessEnd",
    "ProcessRequest",
    "RealPath",
    "ReviewList",
    "ReviewStatus",
    "ReviewedFile",
    "RunEnd",
    "RunRequest",
    "RunResult",
    "RunnerInfo",
    "Runtime",
    "SandboxSpec",
    "SandboxState",
    "SandboxStatus",
]  # fmt: skip

WORKSPACE_ROOT: Final = "/workspace"
HOME: Final = "/home/agent"
Sink = Callable[[bytes], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A command to run: `bash -c` in a new session as the tool user, with stdin closed and stdout and stderr merged.

    `call_id` identifies the call permanently. A repeated request with the same id attaches to the running command, or
    returns its stored result. The same id with different content raises NotPermitted.

    `output_limit` is the number of bytes of output that are kept (the tail). A command that writes more than
    `flood_limit` bytes is ended. The sandbox's own limits cap both of these and `timeout`. `owner` (a session id) is
    stored with a background call. A `service` is a background call that is not listed, and has no limits on time and
    output.
    """

    call_id: str
    command: str
    workdir: str = WORKSPACE_ROOT
    timeout: float = 120.0
    env: Mapping[str, str] = field(default_factory=dict)
    output_limit: int = 1_048_576
    flood_limit: int = 67_108_864
    owner: str = ""
    service: bool = False


@dataclass(frozen=True, slots=True)
class ProcessRequest:
    """A program to communicate with over its stdin and stdout, such as a language server. It runs as the tool user.
    `name` is unique in a workspace: at most one program of each name runs. `argv` is executed directly, without a
    shell. `as_command`: the program gets the environment variables that commands get, from the image and for the
    network."""

    name: str
    argv: tuple[str, ...]
    workdir: str = WORKSPACE_ROOT
    env: Mapping[str, str] = field(default_factory=dict)
    as_command: bool = False


ProcessEndReason = Literal["exited", "replaced", "closed", "timeout"]


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """The end of a program. `words` is the tail of its stderr; `exit_code` is 128+n for signal n."""

    reason: ProcessEndReason
    exit_code: int
    words: bytes


class Process(Protocol):
    """A running program with an ordered stream of bytes in each direction. Both directions apply back-pressure: the
    sender waits until the receiver reads. The code that opened a process must close it."""

    async def send(self, data: bytes) -> None:
        """Write to stdin; wait while the program does not read. Raises SandboxLost if the program has ended."""
        ...

    async def receive(self) -> bytes:
        """Return the next bytes of stdout, or b"" if the program has ended. Raises SandboxLost if its sandbox has
        ended."""
        ...

    @property
    def end(self) -> ProcessEnd | None:
        """The end of the program; None until `receive` has returned b""."""
        ...

    def close(self) -> None:
        """End the program: TERM to its process tree, KILL after 3 s. Closing it twice is harmless."""
        ...


@dataclass(frozen=True, slots=True)
class RunnerInfo:
    protocol: int
    boot_id: str
    live_calls: tuple[str, ...]


class FileReader(Protocol):
    """The operations of a `Runtime` that find and read files."""

    async def stat(self, path: str) -> FileStat: ...
    async def stats(self, paths: Sequence[str]) -> Sequence[FileStat]: ...
    async def list(self, path: str, *, limit: int = 1000) -> Sequence[FileStat]: ...
    async def read(self, path: str, *, offset: int = 0, limit: int | None = None) -> FileContent: ...
    async def glob(self, pattern: str, *, limit: int = 100) -> Found: ...


class Runtime(TerminalRuntime, PortRuntime, Protocol):
    """Operations inside a running sandbox. Cancelling a coroutine only drops the connection: a running command
    continues until it ends, its timeout passes, or `abort` is called."""

    async def ping(self) -> RunnerInfo: ...

    async def stat(self, path: str) -> FileStat:
        """Return the status of a path. Never raises NotFound: a missing path has `exists` set to false."""
        ...

    async def stats(self, paths: Sequence[str]) -> Sequence[FileStat]:
        """Return the status of each path, in the order of `paths`, with one request. At most 1,000 paths."""
        ...

    async def list(self, path: str, *, limit: int = 1000) -> Sequence[FileStat]:
        """Return the direct children of a directory, sorted by name. Raises NotFound or WrongKind."""
        ...

    async def read(self, path: str, *, offset: int = 0, limit: int | None = None) -> FileContent:
        """Read a regular file. One answer holds at most 32 MiB; more raises LimitReached."""
        ...

    async def write(
        self, path: str, content: bytes, *, expected: str | Expect = Expect.ANYTHING, mode: int | None = None
    ) -> FileStat:
        """Write a file atomically: to a temporary file that is then renamed. Missing parent directories are created. A
        file that is replaced keeps its mode, unless `mode` is given. `expected` is the sha256 that the caller last saw,
        or an `Expect`; if the path holds anything else, Conflict is raised. A symlink at the end of the path is
        followed if its target is an allowed path."""
        ...

    async def remove(self, path: str) -> None:
        """Remove one file or one empty directory."""
        ...

    async def change(self, changes: Sequence[FileChange]) -> Sequence[FileStat]:
        """Apply all changes or none; at most 500 files and 32 MiB. Each change behaves like `write` or `remove`. An
        error in one file fails the whole change set. A runner that is killed during a change set undoes that set at its
        next start. The results have the order of the changes."""
        ...

    def recording(self, call_id: str, owner: str) -> "Runtime":
        """Return a runtime that also records changes in the workspace as changes of the call `call_id`. `owner` is the
        session. Of several commands run with this runtime, only the changes of the one with this call id are
        recorded."""
        ...

    @property
    def unrecorded(self) -> "Runtime":
        """The runtime on which `recording` was called, shared by all calls of a workspace. A runtime that does not
        record changes returns itself."""
        ...

    @property
    def may_have_changed(self) -> bool:
        """True if a file was written or a command was run through this runtime object."""
        ...

    async def changes_of(self, call_id: str) -> CallChanges:
        """Return the recorded changes of a call in the workspace. The oldest records are deleted when there are more
        than 4,000, or no room for their contents."""
        ...

    async def revert(self, revert_id: str, files: Sequence[WantedRevert], *, preview: bool) -> RevertResult:
        """Revert changes of files: all of them or, if one file is in conflict, none. At most 5,000 files. A revert that
        was applied before returns its first result. A runner that is killed during a revert undoes that revert at its
        next start."""
        ...

    async def glob(self, pattern: str, *, path: str = WORKSPACE_ROOT, limit: int = 100) -> Found:
        """Find the files that match a glob pattern, newest first, with ripgrep. Files that .gitignore and similar files
        exclude are left out."""
        ...

    async def names(self, text: str, *, path: str = WORKSPACE_ROOT, limit: int = 100) -> Found:
        """Find the files whose path below `path` contains a text, best matches first. Files that .gitignore and similar
        files exclude are left out. New files may be missing for a few seconds."""
        ...

    async def grep(
        self, pattern: str, *, path: str = WORKSPACE_ROOT, include: str | None = None, limit: int = 100
    ) -> GrepResult:
        """Find the lines that match a regular expression in ripgrep's syntax. An invalid expression raises
        SandboxRefused."""
        ...

    async def run(
        self,
        request: RunRequest,
        *,
        on_output: Callable[[bytes], None] | None = None,
        on_limit: Callable[[LimitHit], None] | None = None,
    ) -> RunResult:
        """Start a command, or attach to the command with this call id, and wait for its result.

        `on_output` receives every chunk in order, from the start of the output that is still kept. `on_limit` receives
        each limit once, when it is reached.

        Raises SandboxLost if the runner dies in the meantime. A later `run` with the same id returns end="lost" if the
        command was started but did not survive.
        """
        ...

    async def start(self, request: RunRequest) -> BackgroundCall:
        """Start a background call, or return the call with this id. The command ends when it exits, at its time limit,
        by `abort`, or with the sandbox. Raises LimitReached if the limit `background_calls` is reached."""
        ...

    async def background(self) -> Sequence[BackgroundCall]:
        """Return the background calls that run or ended recently (the newest 50), oldest first. A call whose sandbox
        ended in the meantime has the end "lost"."""
        ...

    async def peek(self, call_id: str, *, after: int = 0) -> BackgroundOutput:
        """Return the output of a background call from position `after`, at most 1 MiB. Raises NotFound if there is no
        such call."""
        ...

    async def abort(self, call_id: str) -> bool:
        """End a running command: TERM to its process tree, KILL after 3 s. False if no such command runs."""
        ...

    async def open_process(self, request: ProcessRequest) -> Process:
        """Start a program and return a `Process` that is connected to it. The program runs until it ends, is closed,
        its sandbox ends, or the connection of its opener is lost. A running program of the same name is ended first, no
        matter who opened it. Raises LimitReached if 8 programs run."""
        ...

    async def check(self) -> CheckReport:
        """Run the self-check now: verify the isolation and the basic commands from inside, as a command would. Only the
        check of a newly created container is reliable, because nothing else runs in it. Later, code in the workspace
        can disturb the check and forge its findings. `Deployment.report` returns the first check."""
        ...

    async def usage(self) -> SandboxUsage:
        """Return the current resource usage. The disk usage may be some seconds old if it is found by adding up all
        files."""
        ...

    async def snapshot(self) -> str:
        """Record the current state of the workspace's files, except ignored ones, and return the snapshot's id."""
        ...

    async def diff(self, base: str, target: str | None = None) -> Sequence[FileDiff]:
        """Return the changes between two snapshots, or from `base` to the current files. Raises NotFound for an unknown
        id."""
        ...

    async def review(
        self,
        base: str,
        target: str | None = None,
        *,
        changes: Sequence[RecordedChange] | None = None,
        commit: str = "",
        path: str = "",
        under: str = "",
        ignore_space: bool = False,
    ) -> ReviewList:
        """Return the changes as `diff` does, but for a reviewer: sources first, and limited in size and time. A folder
        of dependencies is listed as one entry. With `changes`, return the changes that calls recorded; with `commit`,
        the changes of a commit compared with its first parent. With `path`, return only that file, with its whole diff;
        with `under`, the files of a folder that is listed as one entry. `ignore_space` ignores differences in white
        space. Raises NotFound for an unknown snapshot or commit, and for an unchanged file."""
        ...

    async def reviewed_content(
        self, base: str, *, changes: Sequence[RecordedChange] | None = None, commit: str = "", path: str, old: bool
    ) -> bytes:
        """Return the whole content of a changed file of a `review`, before (`old`) or after the change: at most 2 MiB.
        Raises NotFound if the content is no longer kept."""
        ...

    async def commits(self, since: int) -> Sequence[Commit]:
        """Return the commits of the current branch since a time (Unix), the newest first, at most 100. A merge is one
        commit. Empty without a repository."""
        ...

    async def patch(
        self, base: str, sink: Sink, *, changes: Sequence[RecordedChange] | None = None, commit: str = "", limit: int
    ) -> ArchiveSummary:
        """Write a patch for `git apply` to `sink`, with the changes that `review` with the same arguments would list:
        also binary files, modes, links and renames. Changes whose contents are no longer kept are left out, and named
        in the patch. `limit` is the approximate maximum size in bytes. Raises NotFound for an unknown id."""
        ...

    async def archive(self, sink: Sink, *, limit: int, since_ns: int = 0, with_undo: bool = False) -> ArchiveSummary:
        """Write /workspace and the home directory as a gzipped tar to `sink`, as fast as it accepts data. Caches of the
        home directory (.cache, .npm) are left out, and so is content beyond `limit` bytes. With `since_ns` (Unix time),
        only files that changed after that time are included, and only caches of downloads are left out. With
        `with_undo`, the recorded changes of calls follow, the newest first, at most 64 MiB; `restore` reads them."""
        ...

    async def archive_state(self) -> str:
        """Return the `ArchiveSummary.state` of the present files, without creating an archive."""
        ...

    async def restore(self, source: AsyncIterable[bytes], *, limit: int, keep_files: bool = False) -> ArchiveSummary:
        """Unpack an archive over the current files. With `keep_files`, files and links of the workspace stay as they
        are. The archive may be hostile: nothing is written outside /workspace and the home directory, and only
        files, folders and links are unpacked. Raises SandboxRefused if it is not an archive, LimitReached if it is
        too large."""
        ...

    async def close(self) -> None: ...


class Deployment(Protocol):
    """Management of the sandboxes on one node. All methods are idempotent and may be called concurrently."""

    async def ensure(self, spec: SandboxSpec) -> Runtime:
        """Return a runtime that answers: adopt, start or create the container as needed. A newly created container is
        checked before anything else runs in it; if the check fails, the container is removed and CheckFailed is raised.
        Any other failure raises SandboxUnavailable."""
        ...

    async def report(self, workspace_id: str) -> CheckReport | None:
        """Return the self-check report from the creation of the sandbox's container; None if there is no report."""
        ...

    async def facts(self) -> NodeFacts:
        """Return facts about the engine and its machine. Raises SandboxUnavailable if the engine does not answer."""
        ...

    def at_full_speed(self, workspace_id: str) -> AbstractContextManager[None]:
        """Lift the write limits of a workspace during the block: no limit on the rate of its disk, no lower priority
        while its runner computes. For the site's own work in a workspace in which no command runs yet."""
        ...

    async def stop(self, workspace_id: str) -> None: ...

    async def remove(self, workspace_id: str, *, files: bool) -> None:
        """Remove the container and, with `files`, all files that the workspace stored."""
        ...

    async def poll(self, workspace_id: str) -> SandboxStatus: ...

    async def list(self) -> Sequence[SandboxStatus]:
        """Return every sandbox of this site on this node, running or not."""
        ...

    async def reap(self, known: Collection[str], *, elsewhere: Collection[str] = (), grace: float = 0.0) -> Reaped:
        """Remove containers whose workspace is not in `known`, and everything that killed processes left behind.
        Workspace directories are never touched. Volumes are removed if their workspace is neither in `known` nor in
        `elsewhere`, which lists workspaces of other nodes whose old files may still be needed here. Objects younger
        than `grace` seconds are kept, because they may have been created after `known` was collected."""
        ...

    async def close(self) -> None: ...
