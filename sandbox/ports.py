"""The two interfaces of a sandbox and the values that cross them.

`Deployment` is *where* a sandbox lives: create, start, stop, remove, adopt, reap.
`Runtime` is *what one does inside*: files, search, commands, snapshots. One contract test suite runs against
every implementation of either. Everything is asynchronous, typed, and raises only `sandbox.errors`.

Paths are strings as the tool user would write them inside: absolute ("/workspace/src/a.py", "/home/agent/x") or
relative to the workspace root; links in them are followed inside the workspace. Names that are not valid UTF-8
travel with surrogateescape.
Sizes are bytes, times are seconds unless a name says otherwise.
"""

from collections.abc import AsyncIterable, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal, Protocol

from sandbox.files import (
    ArchiveSummary,
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
)
from sandbox.limits import LimitHit, Limits, Usage
from sandbox.reports import CheckReport, NodeFacts, Reaped

__all__ = [
    "HOME",
    "WORKSPACE_ROOT",
    "ArchiveSummary",
    "BackgroundCall",
    "BackgroundOutput",
    "Deployment",
    "DiffStatus",
    "Expect",
    "FileChange",
    "FileContent",
    "FileDiff",
    "FileKind",
    "FileStat",
    "Found",
    "GrepMatch",
    "GrepResult",
    "Process",
    "ProcessEnd",
    "ProcessRequest",
    "RealPath",
    "RunRequest",
    "RunResult",
    "RunnerInfo",
    "Runtime",
    "SandboxSpec",
    "SandboxState",
    "SandboxStatus",
]

WORKSPACE_ROOT: Final = "/workspace"
HOME: Final = "/home/agent"


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """All that is needed to make a sandbox. `labels` carry team, project and workspace for reaping and operators."""

    workspace_id: str
    image: str
    runtime: str = "runc"
    limits: Limits = field(default_factory=Limits)
    labels: Mapping[str, str] = field(default_factory=dict)


class SandboxState(StrEnum):
    ABSENT = "absent"
    STOPPED = "stopped"
    RUNNING = "running"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class SandboxStatus:
    workspace_id: str
    state: SandboxState
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One command, run by `bash -c` in its own session as the tool user, stdin closed, stdout and stderr merged.

    `call_id` names the call for ever: a repeated request with the same id attaches to the running command or returns
    its remembered result; the same id with other content is refused (`NotPermitted`).
    `output_limit`: bytes kept (tail); a command that writes more than `flood_limit` bytes is ended. Both and `timeout`
    are capped by the sandbox's own limits. `owner` (a session's id) is kept with a background call.
    """

    call_id: str
    command: str
    workdir: str = WORKSPACE_ROOT
    timeout: float = 120.0
    env: Mapping[str, str] = field(default_factory=dict)
    output_limit: int = 1_048_576
    flood_limit: int = 67_108_864
    owner: str = ""


RunEnd = Literal["exited", "timeout", "aborted", "flooded", "lost"]


@dataclass(frozen=True, slots=True)
class RunResult:
    """`output` is the kept tail, `dropped` how many bytes before it were not kept.

    `exit_code` is 128+n for signal n, and -1 for a command that was lost. `limits` are those met while it ran.
    """

    call_id: str
    end: RunEnd
    exit_code: int
    output: bytes
    dropped: int
    started_at: float
    duration: float
    limits: tuple[LimitHit, ...] = ()


@dataclass(frozen=True, slots=True)
class BackgroundCall:
    """A command that outlives the request which started it; its `call_id` is its handle.

    `end` is empty while it runs; `exit_code` and `duration` mean something only after that. `seconds_left` until its
    time limit ends it; `output_bytes` is all it wrote, of which a tail is kept.
    """

    call_id: str
    command: str
    owner: str
    started_at: float
    seconds_left: float
    output_bytes: int
    end: RunEnd | Literal[""] = ""
    exit_code: int = -1
    duration: float = 0.0
    limits: tuple[LimitHit, ...] = ()

    @property
    def is_running(self) -> bool:
        return not self.end


@dataclass(frozen=True, slots=True)
class BackgroundOutput:
    """`output` begins at position `start` of all the command wrote: later than asked for where that is not kept."""

    call: BackgroundCall
    start: int
    output: bytes

    @property
    def next(self) -> int:
        """The position to ask for next."""
        return self.start + len(self.output)


@dataclass(frozen=True, slots=True)
class ProcessRequest:
    """A program to talk to over its stdin and stdout, as a language server is. It runs as the tool user.

    `name` names it in its workspace, where at most one of each name runs. `argv` is taken as it stands, by no shell.
    """

    name: str
    argv: tuple[str, ...]
    workdir: str = WORKSPACE_ROOT
    env: Mapping[str, str] = field(default_factory=dict)


ProcessEndReason = Literal["exited", "replaced", "closed", "timeout"]


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """`words` are the last that it wrote to its stderr; `exit_code` is 128+n for signal n."""

    reason: ProcessEndReason
    exit_code: int
    words: bytes


class Process(Protocol):
    """Bytes in both directions, in order, each at the pace of who reads them. Whoever opened it closes it."""

    async def send(self, data: bytes) -> None:
        """To its stdin; waits while it does not read. SandboxLost when it has ended."""
        ...

    async def receive(self) -> bytes:
        """The next of its stdout; b"" when it has ended. SandboxLost when its sandbox has."""
        ...

    @property
    def end(self) -> ProcessEnd | None:
        """How it ended, once `receive` has said so."""
        ...

    def close(self) -> None:
        """End it: TERM to its tree, 3 s, KILL. It may be closed twice."""
        ...


@dataclass(frozen=True, slots=True)
class RunnerInfo:
    protocol: int
    boot_id: str
    live_calls: tuple[str, ...]


class Runtime(Protocol):
    """What one does inside a running sandbox. Cancelling a coroutine drops the connection and nothing else:
    a running command goes on until it ends, its timeout passes, or `abort` is called."""

    async def ping(self) -> RunnerInfo: ...

    async def stat(self, path: str) -> FileStat:
        """Never raises NotFound: `exists` says it."""
        ...

    async def stats(self, paths: Sequence[str]) -> Sequence[FileStat]:
        """As `stat` of each, in their order, at the cost of one; at most 1,000."""
        ...

    async def list(self, path: str, *, limit: int = 1000) -> Sequence[FileStat]:
        """Direct children, sorted by name; NotFound, WrongKind."""
        ...

    async def read(self, path: str, *, offset: int = 0, limit: int | None = None) -> FileContent:
        """Regular files only; at most 32 MiB are returned in one answer (LimitReached)."""
        ...

    async def write(
        self, path: str, content: bytes, *, expected: str | Expect = Expect.ANYTHING, mode: int | None = None
    ) -> FileStat:
        """Atomic (temporary file, then rename), makes parents, keeps the mode of the file it replaces.

        `expected` is the sha256 the caller last saw, or an `Expect`; anything else there raises Conflict.
        A symlink at the end of the path is followed when it leads to an allowed place.
        """
        ...

    async def remove(self, path: str) -> None:
        """One file or empty directory."""
        ...

    async def change(self, changes: Sequence[FileChange]) -> Sequence[FileStat]:
        """All of them or none, at most 500 files and 32 MiB; each as `write` or `remove` would do it. A runner that is
        killed meanwhile undoes, when it starts again, what it had not finished. Any error of one file is the error of
        all. The answers are in the order of the changes."""
        ...

    async def glob(self, pattern: str, *, path: str = WORKSPACE_ROOT, limit: int = 100) -> Found:
        """Files matching a glob, newest first, ignore files honoured, through ripgrep."""
        ...

    async def grep(
        self, pattern: str, *, path: str = WORKSPACE_ROOT, include: str | None = None, limit: int = 100
    ) -> GrepResult:
        """Lines matching a regular expression (ripgrep's dialect; a bad one raises SandboxRefused)."""
        ...

    async def run(
        self,
        request: RunRequest,
        *,
        on_output: Callable[[bytes], None] | None = None,
        on_limit: Callable[[LimitHit], None] | None = None,
    ) -> RunResult:
        """Start or attach. `on_output` gets every chunk from the beginning of what is still kept, in order;
        `on_limit` each limit that is met, once, while the command runs.

        Raises SandboxLost when the runner dies meanwhile; a later `run` with the same id answers end="lost" when the
        command was started but did not survive.
        """
        ...

    async def start(self, request: RunRequest) -> BackgroundCall:
        """Start a background call, or find the one with this id. It ends by itself, with its time limit, by `abort`
        or with the sandbox. LimitReached when as many as the limits allow run already.
        """
        ...

    async def background(self) -> Sequence[BackgroundCall]:
        """The background calls that run or ended lately (the newest 50), oldest first. One whose sandbox ended
        meanwhile has the end "lost"."""
        ...

    async def peek(self, call_id: str, *, after: int = 0) -> BackgroundOutput:
        """What a background call wrote from position `after` on, at most 1 MiB. NotFound for any other call."""
        ...

    async def abort(self, call_id: str) -> bool:
        """End a running command: TERM to its tree, 3 s, KILL. False when no such command runs."""
        ...

    async def open_process(self, request: ProcessRequest) -> Process:
        """Start it; it lives until it ends, is closed, or its sandbox ends, and no longer than whoever opened it.

        One of the same name that runs already is ended first, whoever opened it. LimitReached when 8 run.
        """
        ...

    async def check(self) -> CheckReport:
        """Look now, as a command would, whether the walls and basic commands are as they must be.

        In a container that was just made nobody else is there; later, code of the workspace can disturb the check and
        forge what it finds. `Deployment.report` has the first.
        """
        ...

    async def usage(self) -> Usage:
        """What the sandbox uses now. The disk's use may be some seconds old where it has to be counted."""
        ...

    async def snapshot(self) -> str:
        """Remember the state of the workspace's files (ignore files honoured) and return its id."""
        ...

    async def diff(self, base: str, target: str | None = None) -> Sequence[FileDiff]:
        """Changes from one snapshot to another, or to the files as they are now. NotFound for an unknown id."""
        ...

    async def archive(self, sink: Callable[[bytes], Awaitable[object]], *, limit: int) -> ArchiveSummary:
        """/workspace and the home as a gzipped tar, piece by piece into `sink`, at its pace. Caches of the home
        (.cache, .npm) stay out; so does what exceeds `limit` bytes of content. What changes meanwhile is taken as
        it is met."""
        ...

    async def archive_state(self) -> str:
        """The `state` that an archive made now would have."""
        ...

    async def restore(self, source: AsyncIterable[bytes], *, limit: int) -> ArchiveSummary:
        """Unpack such an archive over what is there. It may be hostile: nothing leaves the two places, and what is no
        file, folder or link is left out. SandboxRefused for what is no archive, LimitReached for too large a one."""
        ...

    async def close(self) -> None: ...


class Deployment(Protocol):
    """Where sandboxes live. Every verb may be repeated and may race with itself: the outcome is the same."""

    async def ensure(self, spec: SandboxSpec) -> Runtime:
        """A runtime that answers, whatever was there: adopts, starts or creates. SandboxUnavailable otherwise.

        A container that was just made is checked before anything else runs in it: CheckFailed, and it is gone again.
        """
        ...

    async def report(self, workspace_id: str) -> CheckReport | None:
        """What the self-check found when the sandbox's container was made; None when there is none."""
        ...

    async def facts(self) -> NodeFacts:
        """SandboxUnavailable when the engine does not answer."""
        ...

    async def stop(self, workspace_id: str) -> None: ...

    async def remove(self, workspace_id: str, *, files: bool) -> None:
        """Remove the container, and with `files` everything the workspace kept."""
        ...

    async def poll(self, workspace_id: str) -> SandboxStatus: ...

    async def list(self) -> Sequence[SandboxStatus]:
        """Every sandbox of this site on this node, running or not."""
        ...

    async def reap(self, known: Collection[str], *, elsewhere: Collection[str] = (), grace: float = 0.0) -> Reaped:
        """Remove what was left behind by whatever was killed, and containers whose workspace is not in `known`.

        Directories of workspaces are never touched. Volumes are removed of workspaces that are neither in `known` nor
        in `elsewhere`: those that live on another node but whose old files may still be wanted. What is younger than
        `grace` seconds stays: it may have been made after `known` was put together.
        """
        ...

    async def close(self) -> None: ...
