"""Calls: commands that run under a call id.

A call is started once, can be watched by any number of connections, and its result is kept after it ends.
"""

import os
import select
import socket
import threading
import time
from collections.abc import Mapping
from typing import Any, Final

from . import frames
from .command_environment import BASE_ENVIRONMENT, SHELL, environment_of_image
from .door import PROXY_PORT, DoorLink
from .errors import LIMIT_REACHED, NOT_FOUND, NOT_PERMITTED, Refusal, from_os_error
from .journal import Journal, JournalEntry
from .limit_watch import LimitWatch, find_evidence
from .limits import MIB, LimitHit
from .privileges import Identity
from .process_cleanup import CALL_VARIABLE
from .processes import Job, Supervisor
from .run_request import RunRequest
from .tree import Tree

MAX_LIVE_CALLS: Final = 16  # in the foreground
MAX_SERVICES: Final = 8
MAX_WATCHERS: Final = 20  # connections that watch a call
ABORT_TIMEOUT: Final = 8.0  # seconds
START_TIMEOUT: Final = 20.0  # seconds
SHOWN_COMMAND_CHARS: Final = 2_000  # of a background call's command
MAX_LISTED_CALLS: Final = 50  # background calls in one response
MAX_REFUSED: Final = 20  # hosts named in one result
PEEK_LIMIT: Final = 1 << 20  # bytes of output in one response


class Tail:
    """The last `limit` bytes of a command's output, and their position in it.

    The command is ended after `flood_limit` bytes. `watch` is notified when the output contains an error message that
    suggests a reached limit; `evidence` then holds the kind of that limit.
    """

    def __init__(self, limit: int, flood_limit: int, watch: LimitWatch | None = None) -> None:
        self._limit = limit
        self._watch = watch
        self._kept = bytearray()
        self.flood_limit = flood_limit
        self.evidence: frozenset[str] = frozenset()
        self.total = 0

    @property
    def start(self) -> int:
        return self.total - min(len(self._kept), self._limit)

    def feed(self, chunk: bytes) -> str:
        """Append output. Returns "flooded" when the total exceeds `flood_limit`, else ""."""
        self._kept += chunk
        self.total += len(chunk)
        if self._watch and not self.evidence and (evidence := find_evidence(self._kept, len(self._kept) - len(chunk))):
            self.evidence = evidence
            self._watch.check_soon()
        if len(self._kept) > 2 * self._limit:
            del self._kept[: -self._limit or None]
        return "flooded" if self.total > self.flood_limit else ""

    def since(self, position: int) -> tuple[int, bytes]:
        """Return the kept output from `position` on, and the position at which it actually starts."""
        start = max(position, self.start)
        return start, bytes(self._kept[len(self._kept) - (self.total - start) :])


class Call:
    """A running call. `background` holds the fields that are listed for a background call; None for other calls."""

    def __init__(self, call_id: str, job: Job, tail: Tail, background: Mapping[str, Any] | None, kind: str) -> None:
        self.call_id = call_id
        self.kind = kind
        self.job = job
        self.tail = tail
        self.background = background
        self.hits: list[LimitHit] = []
        self.refused: dict[str, Mapping[str, Any]] = {}

    @property
    def evidence(self) -> frozenset[str]:
        return self.tail.evidence

    @property
    def flood_limit(self) -> int:
        return self.tail.flood_limit

    def result(self, dropped: int) -> dict[str, Any]:
        return {
            "end": self.job.reason or "exited",
            "exit_code": self.job.exit_code,
            "total": self.tail.total,
            "dropped": dropped,
            "started_at": self.job.started_at,
            "duration": self.job.duration,
            "limits": [hit.as_fields() for hit in self.hits],
            "refused": list(self.refused.values()),
        }


class Calls:
    """The calls of one container: starts them, sends their output to watchers, and replays results from the journal."""

    def __init__(
        self,
        tree: Tree,
        identity: Identity,
        supervisor: Supervisor,
        journal: Journal,
        limit_watch: LimitWatch,
        *,
        door_path: str,
    ) -> None:
        self._tree = tree
        self._identity = identity
        self._supervisor = supervisor
        self._journal = journal
        self._allowance = limit_watch.allowance
        self._limit_watch = limit_watch
        self._lock = threading.Lock()
        self._live: dict[str, Call] = {}
        self._of_image = environment_of_image(os.environ) if identity.separates_users else {}
        self._watchers = threading.BoundedSemaphore(MAX_WATCHERS)
        # runners of unit tests share one network, so each has a port of its own
        self._door = DoorLink(door_path, self._note_refused, port=PROXY_PORT if identity.separates_users else 0)
        self._door.start()

    def live_ids(self) -> list[str]:
        return list(self._live)

    def is_known(self, call_id: str) -> bool:
        """Return whether a command with this id runs or ran."""
        with self._lock:
            return call_id in self._live or self._journal.find(call_id) is not None

    def background_owners(self) -> list[str]:
        """Return the owner of each background call that runs."""
        with self._lock:
            return [str(call.background["owner"]) for call in self._live.values() if call.kind == "background"]  # type: ignore[index]

    def run(self, header: Mapping[str, Any], connection: socket.socket) -> frames.Header:
        """Start the command or join the running one, send its output as it is written, and return the final response.

        Raises Refusal if too many clients watch commands, or the command could not be started.
        """
        request = RunRequest.parse(header)
        if not self._watchers.acquire(blocking=False):
            raise Refusal(LIMIT_REACHED, "Too many connections are watching commands. Try again when one has ended.")
        try:
            found = self._find_or_start(request)
            return watch(found, connection) if isinstance(found, Call) else self._replay_result(found, connection)
        finally:
            self._watchers.release()

    def start(self, header: Mapping[str, Any]) -> frames.Header:
        """Start or find a background call, and return its fields once its process runs.

        Raises Refusal if it could not start.
        """
        request = RunRequest.parse(header, background=True)
        found = self._find_or_start(request)
        if isinstance(found, Call):
            found.job.started.wait(START_TIMEOUT)
            if found.job.failure:
                raise found.job.failure
        return self._listed(request.call_id)

    def background(self) -> list[frames.Header]:
        """Return the newest `MAX_LISTED_CALLS` background calls, running or ended, sorted oldest first. Services are
        left out."""
        with self._lock:
            known = [entry for entry in self._journal.in_background() if "service" not in (entry.background or {})]
            return [self._list(entry) for entry in known[-MAX_LISTED_CALLS:]]

    def peek(self, call_id: str, after: int) -> tuple[frames.Header, bytes]:
        """Return a background call's fields and its output from position `after` on, at most `PEEK_LIMIT` bytes."""
        listed = self._listed(call_id)
        with self._lock:
            call, entry = self._live.get(call_id), self._journal.find(call_id)
            if call:
                with call.job.condition:
                    start, output = call.tail.since(after)
                    listed["total"] = call.tail.total
            elif entry and entry.result:
                dropped, kept = entry.result["dropped"], self._journal.output(entry)
                start = max(after, dropped)
                output = kept[start - dropped :]
            else:
                start, output = after, b""
        return {"call": listed, "start": start}, output[:PEEK_LIMIT]

    def _listed(self, call_id: str) -> frames.Header:
        with self._lock:
            entry = self._journal.find(call_id)
            if entry is None or entry.background is None:
                raise Refusal(NOT_FOUND, f"There is no background call {call_id}.")
            return self._list(entry)

    def _list(self, entry: JournalEntry) -> frames.Header:
        known = {"call_id": entry.call_id, "seconds_left": 0.0, **(entry.background or {})}
        if call := self._live.get(entry.call_id):
            left = call.job.deadline - time.monotonic()
            return {**known, **call.result(0), "end": "", "exit_code": -1, "seconds_left": max(0.0, left)}
        return {**known, **(entry.result or LOST_RESULT), "started_at": known["started_at"]}

    def abort(self, call_id: str) -> bool:
        """Stop a call and wait until it has ended. Returns False if it does not run, or did not end in time."""
        call = self._live.get(call_id)
        if call is None or call.job.is_over:
            return False
        self._supervisor.stop(call.job, "aborted")
        return call.job.wait(ABORT_TIMEOUT)

    def _find_or_start(self, request: RunRequest) -> Call | JournalEntry:
        """Return the running call, the journal's entry of an ended one, or a call started now.

        The job is started after the lock is released, to avoid a deadlock: the supervisor's thread acquires this lock
        in `_record_end` while it holds its own.
        """
        with self._lock:
            entry = self._journal.find(request.call_id)
            if entry and entry.request != request.digest():
                raise Refusal(NOT_PERMITTED, f"The call id {request.call_id} was already used for a different request.")
            if known := self._live.get(request.call_id) or entry:
                return known
            call = self._begin(request)
        self._supervisor.start(call.job)
        return call

    def _begin(self, request: RunRequest) -> Call:
        self._require_room(request)
        cwd_fd = self._open_workdir(request)
        flood_limit, timeout = request.flood_limit, request.timeout
        if not request.service:
            flood_limit = int(self._allowance.capped("output_mib", flood_limit, MIB))
            timeout = self._allowance.capped("wall_seconds", timeout)
        tail = Tail(request.output_limit, flood_limit, self._limit_watch)
        job = Job(
            [SHELL, "-c", request.command],
            tail,
            cwd_fd=cwd_fd,
            env=self._environment_of(request),
            timeout=timeout,
            tag=request.call_id,
            open_files=self._allowance.open_files,
            is_command=True,
            on_end=lambda _: self._record_end(call),
        )
        call = Call(request.call_id, job, tail, self._background_of(request, job), request.kind)
        try:
            self._journal.start(request.call_id, request.digest(), call.background)
        except BaseException:
            os.close(cwd_fd)
            raise
        self._live[request.call_id] = call
        self._limit_watch.begin(call)
        return call

    def _environment_of(self, request: RunRequest) -> dict[str, str]:
        own = {"HOME": self._tree.home, **request.env, CALL_VARIABLE: request.call_id}
        return {**self.environment(), **own}

    def environment(self) -> dict[str, str]:
        """Return the environment variables that every command gets, declared by the image or needed for the network."""
        return {**BASE_ENVIRONMENT, **self._of_image, **self._door.environment()}

    def _note_refused(self, refused: Mapping[str, Any]) -> None:
        """Add a refused connection to all running calls, because any of them may have tried it."""
        with self._lock:
            for call in self._live.values():
                if len(call.refused) < MAX_REFUSED:
                    call.refused.setdefault(str(refused["name"]), refused)

    def _require_room(self, request: RunRequest) -> None:
        """Raise Refusal if too many calls are running.

        Background calls and services have limits of their own, so that they never prevent other calls.
        """
        count = sum(call.kind == request.kind for call in self._live.values())
        most, where = {
            "command": (MAX_LIVE_CALLS, ""),
            "background": (self._allowance.background_calls, " in the background"),
            "service": (MAX_SERVICES, " as services"),
        }[request.kind]
        if count >= most:
            raise Refusal(
                LIMIT_REACHED,
                f"{count} commands are running{where} in this workspace. Wait for one to end, or stop one.",
            )

    @staticmethod
    def _background_of(request: RunRequest, job: Job) -> Mapping[str, Any] | None:
        """Return the fields that are listed for a background call; None for other calls."""
        if not request.background:
            return None
        mark = {"service": True} if request.service else {}
        command = request.command[:SHOWN_COMMAND_CHARS]
        return {"command": command, "owner": request.owner, "started_at": job.started_at, **mark}

    def _open_workdir(self, request: RunRequest) -> int:
        path, flags = request.workdir, os.O_PATH | os.O_DIRECTORY
        with self._identity.as_tool_user():
            try:
                with self._tree.opened(path, flags, exact=request.exact) as (fd, _):
                    return os.dup(fd)
            except FileNotFoundError as error:
                raise Refusal(NOT_FOUND, f"The working directory does not exist: {path}") from error
            except OSError as error:
                raise from_os_error(error, path) from error

    def _record_end(self, call: Call) -> None:
        """Write a call's result to the journal before watchers are notified. Runs on the supervisor's thread."""
        start, output = call.tail.since(0)
        try:
            self._limit_watch.end(call)
        finally:
            with self._lock:
                try:
                    if call.job.failure:
                        self._journal.withdraw(call.call_id)
                    else:
                        self._journal.finish(call.call_id, call.result(start), output)
                finally:
                    self._live.pop(call.call_id, None)

    def _replay_result(self, entry: JournalEntry, connection: socket.socket) -> frames.Header:
        """Send the events of an ended call again: each limit that it reached, and its output. Return its result."""
        if entry.result is None:
            return dict(LOST_RESULT)
        with self._lock:
            output, result = self._journal.output(entry), {"refused": [], **entry.result}
        for hit in result.get("limits", []):
            frames.send(connection, {"event": "limit", **hit})
        if output:
            frames.send(connection, {"event": "output", "at": result["dropped"]}, output)
        return result


LOST_RESULT: Final[Mapping[str, Any]] = {
    "end": "lost",
    "exit_code": -1,
    "total": 0,
    "dropped": 0,
    "started_at": 0.0,
    "duration": 0.0,
    "limits": [],
    "refused": [],
}
"""The result of a call whose end the journal does not know."""


def watch(call: Call, connection: socket.socket) -> frames.Header:
    """Send a call's output as it is written, and return its result when it has ended.

    A slow watcher misses output that is no longer kept; it never delays the command. Raises OSError if the watcher has
    disconnected (the command continues) and Refusal if the command could not be started.
    """
    job, tail, position, sent = call.job, call.tail, 0, 0
    while True:
        with job.condition:
            news = tail.total > position or len(call.hits) > sent or job.is_over
            ready = news or job.condition.wait(timeout=1.0)
            over, hits = job.is_over, call.hits[sent:]
            start, chunk = tail.since(position)
        for hit in hits:
            frames.send(connection, {"event": "limit", **hit.as_fields()})
        sent += len(hits)
        if chunk:
            frames.send(connection, {"event": "output", "at": start}, chunk)
            position = start + len(chunk)
        elif over:
            break
        elif not ready:
            require_watcher(connection)
    if job.failure:
        raise job.failure
    return call.result(tail.start)


def require_watcher(connection: socket.socket) -> None:
    """Raise ConnectionAbortedError if the other side has closed the connection."""
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP)
    if poll.poll(0):
        raise ConnectionAbortedError("The watcher has disconnected.")
