"""The runner's server: one request per connection, served by a fixed set of threads.

All threads are started at the beginning, because under a full process limit none could be started later.
"""

import os
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NamedTuple

from . import frames
from .archive import Archives
from .archive_restore import Restorer
from .budgets import MemoryPool
from .calls import Calls
from .change_sets import ChangeSets
from .changes import Changes
from .commits import Commits
from .door import DOOR_NAME
from .errors import LIMIT_REACHED, REFUSED, UNAVAILABLE, Refusal, from_os_error
from .files import Files
from .journal import Journal
from .kept_contents import KeptContents
from .limit_watch import LimitWatch
from .limits import MIB, Allowance
from .merging import Merger
from .meters import Meters
from .patches import Patches
from .port_links import PortLinks
from .privileges import TOOL_UID, Identity
from .processes import Supervisor
from .records import Records
from .requested_changes import read_changes
from .retries import FailureTracker, log_error
from .reverts import Reverts
from .reviews import Between, Reviews, changes_in
from .search import Search
from .selfcheck_runner import SelfCheck, start_supervised
from .snapshots import Snapshots
from .stdio import ConnectionHandedOver, Stdio
from .streams import IncomingStream, OutgoingStream
from .terminals import Terminals
from .tree import Tree

PROTOCOL: Final = 1  # version of the requests, returned by `ping`
THREADS: Final = 24  # requests served at the same time
REQUEST_TIMEOUT: Final = 30.0  # seconds for each read and write of a connection

Response = tuple[frames.Header, bytes]


class RunnerRequest(NamedTuple):
    """A received request.

    The methods return a field of its header, or raise Refusal if it is missing or invalid.
    """

    header: frames.Header
    body: bytes
    connection: socket.socket

    @property
    def exact(self) -> bool:
        """True if the path is already resolved and must be opened without resolving it again."""
        return self.header.get("exact") is True

    @property
    def recorded_as(self) -> str:
        """The id of the call for which changes are recorded, "" for none."""
        return str(self.header.get("record_as", ""))

    @property
    def owner(self) -> str:
        """The session that the call belongs to."""
        return str(self.header.get("owner", ""))

    def text(self, name: str) -> str:
        return str(self._field(name, str))

    def optional_text(self, name: str) -> str | None:
        return None if self.header.get(name) is None else self.text(name)

    def texts(self, name: str) -> list[str]:
        values = self._field(name, list)
        if not all(isinstance(value, str) for value in values):
            raise Refusal(REFUSED, f"The request's '{name}' must contain only strings.")
        return list(values)

    def number(self, name: str) -> int:
        return max(0, int(self._field(name, int)))

    def optional_number(self, name: str) -> int | None:
        return None if self.header.get(name) is None else self.number(name)

    def _field(self, name: str, kind: type) -> Any:
        value = self.header.get(name)
        if not isinstance(value, kind):
            raise Refusal(REFUSED, f"The request's '{name}' is missing or has the wrong type.")
        return value


class Server:
    """The server of one container's runner: dispatches requests to the modules that implement the operations."""

    def __init__(self, tree: Tree, identity: Identity, state: str) -> None:
        supervisor, allowance = Supervisor(identity), Allowance.from_environment(os.environ)
        pool = MemoryPool(allowance.memory_mib * MIB)
        self._meters = Meters(tree, identity, allowance, pool)
        limit_watch = LimitWatch(self._meters, identity, allowance)
        self._boot_id = new_boot_id()
        self._files = Files(tree, identity, pool)
        self._search = Search(tree, identity, supervisor, pool)
        journal, door = Journal(f"{state}/journal"), f"{state}/{DOOR_NAME}"
        self._calls = Calls(tree, identity, supervisor, journal, limit_watch, door_path=door)
        self._terminals = Terminals(tree, identity, supervisor, allowance, self._calls.environment)
        tool_uid = TOOL_UID if identity.separates_users else os.getuid()
        self._ports = PortLinks(tool_uid, self._terminals.loop)
        self._change_sets = ChangeSets(tree, identity, state)
        self._snapshots = Snapshots(f"{state}/snapshots", tree, identity, supervisor, pool)
        self._changes = Changes(self._snapshots, supervisor, tree.root_fd, pool)
        self._patches = Patches(self._snapshots, self._changes)
        self._reviews = Reviews(self._snapshots, self._changes)
        self._commits = Commits(tree, identity, self._snapshots, supervisor, pool)
        self._records = Records(
            f"{state}/changes", tree, identity, self._snapshots, background_owners=self._background_owners
        )
        self._reverts = Reverts(
            f"{state}/reverts",
            tree,
            identity,
            snapshots=self._snapshots,
            change_sets=self._change_sets,
            changes=self._changes,
            records=self._records,
            merger=Merger(supervisor, tree.slash_fd, pool),
            writing=self._files.writing,
        )
        kept = KeptContents(self._snapshots, self._records)
        self._archives = Archives(tree, identity, pool, kept)
        self._restorer = Restorer(tree, identity, kept)
        self._stdio = Stdio(tree, identity, supervisor, allowance, self._calls.environment)
        self._check = SelfCheck(start_supervised(tree, supervisor) if identity.separates_users else None)
        self._operations: dict[str, Callable[[RunnerRequest], Response]] = {
            "ping": self._ping,
            "check": lambda r: self._check.answer(r.header),
            "stat": lambda r: ({"stat": self._files.stat(r.text("path"))}, b""),
            "stats": lambda r: as_body(self._files.stats(r.texts("paths"))),
            "list": lambda r: as_body(self._files.list(r.text("path"), r.number("limit"), exact=r.exact)),
            "read": self._read,
            "write": self._write,
            "remove": self._remove,
            "change": self._change,
            "glob": self._glob,
            "grep": self._grep,
            "names": lambda r: as_body(self._search.names(r.text("text"), r.text("path"), r.number("limit"))),
            "run": self._run,
            "start": lambda r: ({"call": self._calls.start(r.header)}, b""),
            "background": lambda _: as_body(self._calls.background()),
            "peek": lambda r: self._calls.peek(r.text("call_id"), r.number("after")),
            "open": self._open,
            "terminal_start": lambda r: ({"terminal": self._terminals.start(r.header)}, b""),
            "terminal_list": lambda _: as_body(self._terminals.listed()),
            "terminal_attach": lambda r: self._terminals.attach(r.header, r.connection),
            "terminal_type": lambda r: ({"terminal": self._terminals.type(r.header, r.body)}, b""),
            "terminal_resize": lambda r: ({"terminal": self._terminals.resize(r.header)}, b""),
            "terminal_screen": lambda r: self._terminals.screen(r.header),
            "terminal_end": lambda r: ({"ended": self._terminals.end(r.header)}, b""),
            "port_list": lambda _: as_body(self._ports.listed()),
            "port_connect": lambda r: self._ports.connect(r.header, r.connection),
            "usage": lambda _: ({"usage": self._meters.usage()}, b""),
            "abort": self._abort,
            "changes_of": lambda r: as_body(self._records.changes_of(r.text("call_id"))),
            "revert": lambda r: as_body(self._reverts.run(r.body)),
            "snapshot": self._snapshot,
            "archive": self._archive,
            "archive_state": self._archive_state,
            "patch": self._patch,
            "restore": lambda r: (
                self._restorer.restore(
                    IncomingStream(r.connection).next_chunk, r.number("limit"), keep_files=r.header.get("keep") is True
                ),
                b"",
            ),
            "diff": lambda r: as_body(self._changes.between(r.text("base"), r.optional_text("target"))),
            "review": self._review,
            "commits": lambda r: as_body(self._commits.newest(r.number("since"))),
        }

    def serve(self, listener: socket.socket) -> None:
        """Accept and serve requests forever.

        The first request is accepted after the last thread was started: a command that it runs may use up the process
        limit.
        """
        complete = threading.Event()
        threads = [
            threading.Thread(target=self._accept_forever, args=(listener, complete), name=f"serve-{n}", daemon=True)
            for n in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        complete.set()
        for thread in threads:
            thread.join()

    def _accept_forever(self, listener: socket.socket, complete: threading.Event) -> None:
        complete.wait()
        failures = FailureTracker()
        while True:
            try:
                connection, _ = listener.accept()
                with connection:
                    connection.settimeout(REQUEST_TIMEOUT)
                    self._converse(connection)
            except (OSError, MemoryError) as error:
                failures.record(error)
            failures.back_off()

    def _converse(self, connection: socket.socket) -> None:
        try:
            received = frames.receive(connection)
            if received:
                _send(connection, self._answer(RunnerRequest(*received, connection)))
        except (OSError, frames.FrameError, ConnectionHandedOver):
            return  # the client disconnected or sent an invalid frame, or the connection was handed over

    def _answer(self, request: RunnerRequest) -> Response:
        try:
            header, body = self._operations.get(request.text("op"), unknown_operation)(request)
        except Refusal as refusal:
            return as_error(refusal)
        except (ConnectionError, TimeoutError, ConnectionHandedOver):
            raise
        except OSError as error:
            return as_error(from_os_error(error, ""))
        except Exception:  # noqa: BLE001 - an error in one request must not end the thread
            log_error(sys.exc_info()[1])
            return as_error(
                Refusal(UNAVAILABLE, "The runner failed on this request. See the container's log for the cause.")
            )
        return {"ok": True, **header}, body

    def _background_owners(self) -> list[str]:
        """Return the owners of everything that may change files while a command runs: background calls, and people at
        terminals."""
        return [*self._calls.background_owners(), *self._terminals.active_owners()]

    def _ping(self, request: RunnerRequest) -> Response:
        return {"protocol": PROTOCOL, "boot_id": self._boot_id, "live_calls": self._calls.live_ids()}, b""

    def _open(self, request: RunnerRequest) -> Response:
        self._stdio.begin(request.header, request.connection)

    def _snapshot(self, request: RunnerRequest) -> Response:
        return {"snapshot": self._snapshots.take()}, b""

    def _archive_state(self, request: RunnerRequest) -> Response:
        return self._archives.state(), b""

    def _archive(self, request: RunnerRequest) -> Response:
        outgoing = OutgoingStream(request.connection)
        answer = self._archives.write(
            outgoing.send,
            request.number("limit"),
            request.optional_number("since_ns") or 0,
            with_undo=request.header.get("undo") is True,
        )
        outgoing.finish()
        return answer, b""

    def _patch(self, request: RunnerRequest) -> Response:
        outgoing = OutgoingStream(request.connection)
        answer = self._patches.write(outgoing.send_all, self._compared(request))
        outgoing.finish()
        return answer, b""

    def _compared(self, request: RunnerRequest) -> Between:
        """Return the base, the target and the changes that a review request compares."""
        commit = request.optional_text("commit")
        changes = self._commits.changes(commit) if commit else changes_in(request.body)
        return Between(request.text("base"), request.optional_text("target"), changes)

    def _review(self, request: RunnerRequest) -> Response:
        states = self._compared(request)
        ignore_space = request.header.get("ignore_space") is True
        if side := request.optional_text("content"):
            return {}, self._reviews.content(states, request.text("path"), old=side == "old")
        if path := request.optional_text("path"):
            file = self._reviews.one(states, path, ignore_space=ignore_space)
            return as_body({"files": [file], "folded": [], "more_files": 0})
        under = request.optional_text("under") or ""
        return as_body(self._reviews.list(states, under=under, ignore_space=ignore_space))

    def _run(self, request: RunnerRequest) -> Response:
        call_id = request.text("call_id")
        is_recorded = request.header.get("record") is True
        if is_recorded and not self._calls.is_known(call_id):
            self._records.begin(call_id, request.owner)
        try:
            answer = self._calls.run(request.header, request.connection)
        except Refusal:
            if not self._calls.is_known(call_id):
                self._records.discard(call_id)
            raise
        self._records.end(call_id)
        return answer, b""

    def _abort(self, request: RunnerRequest) -> Response:
        ended = self._calls.abort(request.text("call_id"))
        if ended:
            self._records.end(request.text("call_id"))
        return {"ended": ended}, b""

    def _change(self, request: RunnerRequest) -> Response:
        changes = read_changes(request.header, request.body)
        with (
            self._files.writing,
            self._records.of_writing(request.recorded_as, request.owner, [(each.path, each.exact) for each in changes]),
        ):
            return as_body(self._change_sets.apply(changes))

    def _read(self, request: RunnerRequest) -> Response:
        offset, limit = request.number("offset"), request.optional_number("limit")
        return self._files.read(request.text("path"), offset, limit, exact=request.exact)

    def _write(self, request: RunnerRequest) -> Response:
        path, expected, mode = request.text("path"), request.text("expected"), request.optional_number("mode")
        with (
            self._files.writing,
            self._records.of_writing(request.recorded_as, request.owner, [(path, request.exact)]),
        ):
            return {"stat": self._files.write(path, request.body, expected, mode, exact=request.exact)}, b""

    def _remove(self, request: RunnerRequest) -> Response:
        path = request.text("path")
        with (
            self._files.writing,
            self._records.of_writing(request.recorded_as, request.owner, [(path, request.exact)], follow=False),
        ):
            self._files.remove(path, exact=request.exact)
        return {}, b""

    def _glob(self, request: RunnerRequest) -> Response:
        pattern, path, limit = request.text("pattern"), request.text("path"), request.number("limit")
        return as_body(self._search.glob(pattern, path, limit, exact=request.exact))

    def _grep(self, request: RunnerRequest) -> Response:
        pattern, path, limit = request.text("pattern"), request.text("path"), request.number("limit")
        include = request.optional_text("include")
        return as_body(self._search.grep(pattern, path, include, limit, exact=request.exact))


def _send(connection: socket.socket, answer: Response) -> None:
    """Send a response. If it exceeds the size of a frame (many long names), send an error instead."""
    try:
        frames.send(connection, *answer)
    except frames.FrameError:
        too_large = Refusal(LIMIT_REACHED, "The response is too large. Request less at once.")
        frames.send(connection, *as_error(too_large))


def unknown_operation(request: RunnerRequest) -> Response:
    raise Refusal(REFUSED, f"The runner does not know the operation {request.text('op')[:40]!r}.")


def as_error(refusal: Refusal) -> Response:
    return {"error": refusal.code, "message": refusal.message}, b""


def as_body(value: Any) -> Response:
    """Return a response with the value as JSON in its body, because a list may be larger than a header may be."""
    return {}, frames.to_json(value)


def new_boot_id() -> str:
    return os.urandom(16).hex()


def listen(path: str) -> socket.socket:
    """Create a socket that only the runner's own user may connect to, and replace an existing one."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    old = os.umask(0o177)
    try:
        listener.bind(path)
    finally:
        os.umask(old)
    listener.listen(128)
    return listener
