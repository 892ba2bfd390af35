"""`RunnerRuntime`: sends each operation to a runner over a channel of its own, with a timeout for each answer."""

import asyncio
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self

from sandbox.client import answers, archiving, reverting
from sandbox.client.answers import Fields, Tail
from sandbox.client.archiving import Sink
from sandbox.client.checks import NOTHING_KNOWN, CheckContext, to_report
from sandbox.client.listeners import PortRequests
from sandbox.client.process import RunnerProcess
from sandbox.client.terminals import TerminalRequests
from sandbox.client.transport import Carrier, Channel
from sandbox.errors import LimitReached, ProtocolError, SandboxLost, SandboxUnavailable
from sandbox.files import CallChanges, RecordedChange, RevertResult, WantedRevert
from sandbox.limits import LimitHit, SandboxUsage
from sandbox.ports import (
    WORKSPACE_ROOT,
    ArchiveSummary,
    BackgroundCall,
    BackgroundOutput,
    Commit,
    Expect,
    FileChange,
    FileContent,
    FileDiff,
    FileStat,
    Found,
    GrepResult,
    Process,
    ProcessRequest,
    RealPath,
    ReviewList,
    RunnerInfo,
    RunRequest,
    RunResult,
)
from sandbox.reports import CheckReport
from sandbox.runner.frames import HEADER_LIMIT, FrameError, to_json
from sandbox.runner.processes import GRACE, TERM_TO_KILL

PROTOCOL: Final = 1
WRITES: Final = ("write", "remove", "change")
EVENTS: Final = ("output", "limit")
ANSWER_TIMEOUT: Final = 30.0  # seconds, as all timeouts here
SNAPSHOT_TIMEOUT: Final = 300.0  # seconds; the first one of 120,000 files takes 15 s of CPU time
ARCHIVE_TIMEOUT: Final = 900.0
RUN_MARGIN: Final = 30.0 + TERM_TO_KILL + GRACE
"""Seconds after a command's own timeout until its result must have arrived."""

FLOOD_MARGIN_BYTES: Final = 16 << 20
"""Bytes that may arrive beyond the flood limit: events, and output that was in the pipe when the command ended."""
MIN_EVENT_COST: Final = 16
LIMIT_EVENT_COST: Final = 1 << 20
"""Bytes that each event counts for at least, so that a runner cannot send empty events forever.

An event about a reached limit counts for more: these events are stored and shown to people, so only a few are accepted.
"""

OnOutput = Callable[[bytes], None]
OnLimit = Callable[[LimitHit], None]


class RunnerRuntime(TerminalRequests, PortRequests):
    """The implementation of `sandbox.ports.Runtime` that sends requests to a runner through a carrier.

    If no runner can be reached, `on_unreachable` is called: it restores the sandbox or raises, and the request is sent
    once more. A request that the runner may have received is never repeated.
    """

    def __init__(
        self,
        carrier: Carrier,
        on_unreachable: Callable[[], Awaitable[object]] | None = None,
        context: CheckContext = NOTHING_KNOWN,
        recorded: Mapping[str, str] | None = None,
        unrecorded: Self | None = None,
    ) -> None:
        self._carrier = carrier
        self._on_unreachable = on_unreachable
        self._context = context
        self._recorded = recorded or {}
        self.unrecorded = unrecorded or self
        self.may_have_changed = False

    def recording(self, call_id: str, owner: str) -> Self:
        recorded = {"record_as": call_id, "owner": owner}
        return type(self)(self._carrier, self._on_unreachable, self._context, recorded, self.unrecorded)

    async def changes_of(self, call_id: str) -> CallChanges:
        _, body = await self._request("changes_of", call_id=call_id)
        return answers.to_changes(body)

    async def revert(self, revert_id: str, files: Sequence[WantedRevert], *, preview: bool) -> RevertResult:
        request = reverting.from_request(revert_id, list(files), preview=preview)
        _, body = await self._request("revert", request, answer_timeout=SNAPSHOT_TIMEOUT)
        return reverting.to_revert_result(body)

    async def ping(self) -> RunnerInfo:
        answer, _ = await self._request("ping")
        info = answers.to_info(answer)
        if info.protocol != PROTOCOL:
            raise SandboxUnavailable("The sandbox was created by another version of agentsite. Restart it.")
        return info

    async def stat(self, path: str) -> FileStat:
        answer, _ = await self._request("stat", path=path)
        return answers.to_stat(answer.fields("stat"))

    async def stats(self, paths: Sequence[str]) -> Sequence[FileStat]:
        _, body = await self._request("stats", paths=list(paths))
        found = [answers.to_stat(item) for item in answers.decode_list(body)]
        if len(found) != len(paths):
            raise ProtocolError("The sandbox's runner returned another number of files than requested.")
        return found

    async def list(self, path: str, *, limit: int = 1000) -> Sequence[FileStat]:
        _, body = await self._request("list", path=path, limit=limit)
        return [answers.to_stat(item) for item in answers.decode_list(body)]

    async def read(self, path: str, *, offset: int = 0, limit: int | None = None) -> FileContent:
        answer, body = await self._request("read", path=path, offset=offset, limit=limit)
        return answers.to_content(answer, body)

    async def write(
        self, path: str, content: bytes, *, expected: str | Expect = Expect.ANYTHING, mode: int | None = None
    ) -> FileStat:
        answer, _ = await self._request("write", content, path=path, expected=str(expected), mode=mode)
        return answers.to_stat(answer.fields("stat"))

    async def remove(self, path: str) -> None:
        await self._request("remove", path=path)

    async def change(self, changes: Sequence[FileChange]) -> Sequence[FileStat]:
        body = b"".join(change.content or b"" for change in changes)
        _, answer = await self._request("change", body, changes=[_change_fields(change) for change in changes])
        return [answers.to_stat(item) for item in answers.decode_list(answer)]

    async def glob(self, pattern: str, *, path: str = WORKSPACE_ROOT, limit: int = 100) -> Found:
        _, body = await self._request("glob", pattern=pattern, path=path, limit=limit)
        return answers.to_found(Fields(answers.decode_body(body)))

    async def names(self, text: str, *, path: str = WORKSPACE_ROOT, limit: int = 100) -> Found:
        _, body = await self._request("names", text=text, path=path, limit=limit)
        return answers.to_found(Fields(answers.decode_body(body)))

    async def grep(
        self, pattern: str, *, path: str = WORKSPACE_ROOT, include: str | None = None, limit: int = 100
    ) -> GrepResult:
        _, body = await self._request("grep", pattern=pattern, path=path, include=include, limit=limit)
        return answers.to_grep(Fields(answers.decode_body(body)))

    async def run(
        self, request: RunRequest, *, on_output: OnOutput | None = None, on_limit: OnLimit | None = None
    ) -> RunResult:
        self.may_have_changed = True
        channel = await self._send({"op": "run", **_run_fields(request), **self._record_of(request)})
        try:
            async with _Timeout(request.timeout + RUN_MARGIN):
                return await _follow(channel, request, on_output, on_limit)
        except SandboxLost:
            raise
        except SandboxUnavailable as error:
            raise SandboxLost("The sandbox ended while the command was running; it may have run partly.") from error
        finally:
            channel.close()

    def _record_of(self, request: RunRequest) -> dict[str, Any]:
        """Return the request fields that make the runner record the command's changes; empty for a call whose changes
        are not recorded."""
        is_own = request.call_id == self._recorded.get("record_as")
        return {"record": True, "owner": self._recorded["owner"]} if is_own else {}

    async def start(self, request: RunRequest) -> BackgroundCall:
        answer, _ = await self._request("start", **_run_fields(request))
        return answers.to_background(answer.fields("call"))

    async def background(self) -> Sequence[BackgroundCall]:
        _, body = await self._request("background")
        return [answers.to_background(item) for item in answers.decode_list(body)]

    async def peek(self, call_id: str, *, after: int = 0) -> BackgroundOutput:
        answer, body = await self._request("peek", call_id=call_id, after=after)
        return answers.to_background_output(answer, body)

    async def abort(self, call_id: str) -> bool:
        answer, _ = await self._request("abort", call_id=call_id)
        return answer.flag("ended")

    async def open_process(self, request: ProcessRequest) -> Process:
        async with _Timeout(ANSWER_TIMEOUT):
            channel = await self._send({"op": "open", **_process_fields(request)})
            try:
                header, _ = await channel.receive()
                answers.raise_error(Fields(header))
            except BaseException:
                channel.close()
                raise
        return RunnerProcess(channel)

    async def check(self) -> CheckReport:
        _, body = await self._request("check", **self._context.as_fields())
        return to_report(Fields(answers.decode_body(body)), self._context)

    async def usage(self) -> SandboxUsage:
        answer, _ = await self._request("usage")
        return answers.to_usage(answer.fields("usage"))

    async def snapshot(self) -> str:
        answer, _ = await self._request("snapshot", answer_timeout=SNAPSHOT_TIMEOUT)
        return answer.text("snapshot")

    async def diff(self, base: str, target: str | None = None) -> Sequence[FileDiff]:
        _, body = await self._request("diff", answer_timeout=SNAPSHOT_TIMEOUT, base=base, target=target)
        return [answers.to_diff(item) for item in answers.decode_list(body)]

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
        given = b"" if changes is None else to_json([reverting.states_of(change) for change in changes])
        states = {"base": base, "target": target, "commit": commit or None}
        wanted: dict[str, Any] = {"path": path or None, "under": under or None, "ignore_space": ignore_space}
        _, body = await self._request("review", given, answer_timeout=SNAPSHOT_TIMEOUT, **states, **wanted)
        return answers.to_review(Fields(answers.decode_body(body)))

    async def reviewed_content(
        self, base: str, *, changes: Sequence[RecordedChange] | None = None, commit: str = "", path: str, old: bool
    ) -> bytes:
        given = b"" if changes is None else to_json([reverting.states_of(change) for change in changes])
        wanted = {"base": base, "commit": commit or None, "path": path, "content": "old" if old else "new"}
        _, content = await self._request("review", given, answer_timeout=SNAPSHOT_TIMEOUT, **wanted)
        return content

    async def archive(self, sink: Sink, *, limit: int, since_ns: int = 0, with_undo: bool = False) -> ArchiveSummary:
        async with _Timeout(ARCHIVE_TIMEOUT):
            channel = await self._send({"op": "archive", "limit": limit, "since_ns": since_ns, "undo": with_undo})
            try:
                return await archiving.receive_archive(channel, sink, limit=limit)
            finally:
                channel.close()

    async def commits(self, since: int) -> Sequence[Commit]:
        _, body = await self._request("commits", answer_timeout=SNAPSHOT_TIMEOUT, since=since)
        return [answers.to_commit(item) for item in answers.decode_list(body)]

    async def patch(
        self, base: str, sink: Sink, *, changes: Sequence[RecordedChange] | None = None, commit: str = "", limit: int
    ) -> ArchiveSummary:
        given = b"" if changes is None else to_json([reverting.states_of(change) for change in changes])
        async with _Timeout(ARCHIVE_TIMEOUT):
            channel = await self._send({"op": "patch", "base": base, "commit": commit or None}, given)
            try:
                return await archiving.receive_archive(channel, sink, limit=limit)
            finally:
                channel.close()

    async def archive_state(self) -> str:
        answer, _ = await self._request("archive_state", answer_timeout=SNAPSHOT_TIMEOUT)
        return answer.text("state")

    async def restore(self, source: AsyncIterable[bytes], *, limit: int, keep_files: bool = False) -> ArchiveSummary:
        async with _Timeout(ARCHIVE_TIMEOUT):
            channel = await self._send({"op": "restore", "limit": limit, "keep": keep_files})
            try:
                return await archiving.send_archive(channel, source)
            finally:
                channel.close()

    async def close(self) -> None:
        await self._carrier.close()

    async def _request(
        self, operation: str, body: bytes = b"", *, answer_timeout: float = ANSWER_TIMEOUT, **arguments: Any
    ) -> tuple[Fields, bytes]:
        exact = isinstance(arguments.get("path"), RealPath)
        if operation in WRITES:
            self.may_have_changed = True
            arguments |= self._recorded
        async with _Timeout(answer_timeout):
            channel = await self._send({"op": operation, "exact": exact, **arguments}, body)
            try:
                header, content = await channel.receive()
            finally:
                channel.close()
        answer = Fields(header)
        answers.raise_error(answer)
        return answer, content

    async def _send(self, header: dict[str, Any], body: bytes = b"") -> Channel:
        channel = await self._open()
        try:
            await channel.send(header, body)
        except FrameError as error:
            channel.close()
            raise LimitReached(
                f"The request has more than {HEADER_LIMIT} bytes of arguments or 32 MiB of content."
            ) from error
        except BaseException:
            channel.close()
            raise
        return channel

    async def _open(self) -> Channel:
        try:
            return await self._carrier.open()
        except SandboxUnavailable:
            if self._on_unreachable is None:
                raise
            await self._on_unreachable()
            return await self._carrier.open()


def _change_fields(change: FileChange) -> dict[str, Any]:
    return {
        "path": change.path,
        "expected": str(change.expected),
        "size": None if change.content is None else len(change.content),
        "mode": change.mode,
        "exact": isinstance(change.path, RealPath),
    }


def _run_fields(request: RunRequest) -> dict[str, Any]:
    return {
        "call_id": request.call_id,
        "command": request.command,
        "workdir": request.workdir,
        "exact": isinstance(request.workdir, RealPath),
        "timeout": request.timeout,
        "env": dict(request.env),
        "output_limit": request.output_limit,
        "flood_limit": request.flood_limit,
        "owner": request.owner,
        "service": request.service,
    }


def _process_fields(request: ProcessRequest) -> dict[str, Any]:
    return {
        "name": request.name,
        "argv": list(request.argv),
        "as_command": request.as_command,
        "workdir": request.workdir,
        "exact": isinstance(request.workdir, RealPath),
        "env": dict(request.env),
    }


async def _follow(
    channel: Channel, request: RunRequest, on_output: OnOutput | None, on_limit: OnLimit | None
) -> RunResult:
    tail, budget = Tail(request.output_limit), request.flood_limit + FLOOD_MARGIN_BYTES
    while True:
        header, body = await channel.receive()
        answer = Fields(header)
        answers.raise_error(answer)
        budget -= LIMIT_EVENT_COST if answer.has("kind") else max(len(body), MIN_EVENT_COST)
        if budget < 0:
            raise ProtocolError("The sandbox's runner sent more output than the limit allows.")
        if not answer.has("event"):
            kept = answer.integer("total") - answer.integer("dropped")
            return answers.to_result(request.call_id, answer, tail.last(min(kept, request.output_limit)))
        if answer.one_of("event", EVENTS) == "limit":
            hit = answers.to_limit(answer)
            if on_limit:
                on_limit(hit)
            continue
        tail.add(answer.integer("at"), body)
        if on_output:
            on_output(body)


class _Timeout:
    """A variant of `asyncio.timeout` that raises SandboxUnavailable."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timeout = asyncio.timeout(seconds)

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError as timeout:
            message = f"The sandbox's runner did not answer within {self._seconds:.0f} s."
            raise SandboxUnavailable(message) from timeout
