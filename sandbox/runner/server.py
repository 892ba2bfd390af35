"""Requests to answers: one request per connection, a fixed set of threads that each accept for themselves.

The threads are made at start, since under a full process limit no new one can be.
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
from .calls import Calls
from .change_sets import ChangeSets
from .changes import Changes
from .errors import LIMIT_REACHED, REFUSED, UNAVAILABLE, Refusal, from_os_error
from .files import Files
from .journal import Journal
from .limit_watch import LimitWatch
from .limits import Allowance
from .meters import Meters
from .privileges import Identity
from .processes import Supervisor
from .retries import Trouble, tell
from .search import Search
from .selfcheck_runner import SelfCheck, by_supervisor
from .snapshots import Snapshots
from .stdio import HandedOver, Stdio
from .streams import Incoming, Outgoing
from .tree import Tree

PROTOCOL: Final = 1
THREADS: Final = 24
REQUEST_PATIENCE: Final = 30.0

Answer = tuple[frames.Header, bytes]


class Request(NamedTuple):
    header: frames.Header
    body: bytes
    connection: socket.socket

    @property
    def exact(self) -> bool:
        """The path was resolved before, and means itself."""
        return self.header.get("exact") is True

    def text(self, name: str) -> str:
        return str(self._field(name, str))

    def optional_text(self, name: str) -> str | None:
        return None if self.header.get(name) is None else self.text(name)

    def texts(self, name: str) -> list[str]:
        values = self._field(name, list)
        if not all(isinstance(value, str) for value in values):
            raise Refusal(REFUSED, f"The request's '{name}' has something in it that is no text.")
        return list(values)

    def number(self, name: str) -> int:
        return max(0, int(self._field(name, int)))

    def optional_number(self, name: str) -> int | None:
        return None if self.header.get(name) is None else self.number(name)

    def _field(self, name: str, kind: type) -> Any:
        value = self.header.get(name)
        if not isinstance(value, kind):
            raise Refusal(REFUSED, f"The request's '{name}' is missing or of the wrong type.")
        return value


class Server:
    def __init__(self, tree: Tree, identity: Identity, state: str) -> None:
        supervisor, allowance = Supervisor(identity), Allowance.of(os.environ)
        self._meters = Meters(tree, identity, allowance)
        limit_watch = LimitWatch(self._meters, identity, allowance)
        self._boot_id = new_boot_id()
        self._files = Files(tree, identity)
        self._search = Search(tree, identity, supervisor)
        self._calls = Calls(tree, identity, supervisor, Journal(f"{state}/journal"), limit_watch)
        self._change_sets = ChangeSets(tree, identity, self._files.writing, state)
        self._snapshots = Snapshots(f"{state}/snapshots", tree, identity, supervisor)
        self._changes = Changes(self._snapshots, supervisor, tree.root_fd)
        self._archives = Archives(tree, identity)
        self._restorer = Restorer(tree, identity)
        self._stdio = Stdio(tree, identity, supervisor, allowance)
        self._check = SelfCheck(by_supervisor(tree, supervisor) if identity.split else None)
        self._operations: dict[str, Callable[[Request], Answer]] = {
            "ping": self._ping,
            "check": lambda r: self._check.answer(r.header),
            "stat": lambda r: ({"stat": self._files.stat(r.text("path"))}, b""),
            "stats": lambda r: as_body(self._files.stats(r.texts("paths"))),
            "list": lambda r: as_body(self._files.list(r.text("path"), r.number("limit"), exact=r.exact)),
            "read": self._read,
            "write": self._write,
            "remove": self._remove,
            "change": lambda r: as_body(self._change_sets.apply(r.header, r.body)),
            "glob": self._glob,
            "grep": self._grep,
            "run": lambda r: (self._calls.run(r.header, r.connection), b""),
            "start": lambda r: ({"call": self._calls.start(r.header)}, b""),
            "background": lambda _: as_body(self._calls.background()),
            "peek": lambda r: self._calls.peek(r.text("call_id"), r.number("after")),
            "open": self._open,
            "usage": lambda _: ({"usage": self._meters.usage()}, b""),
            "abort": lambda r: ({"ended": self._calls.abort(r.text("call_id"))}, b""),
            "snapshot": self._snapshot,
            "archive": self._archive,
            "archive_state": self._archive_state,
            "restore": lambda r: (self._restorer.restore(Incoming(r.connection).next_chunk, r.number("limit")), b""),
            "diff": lambda r: as_body(self._changes.between(r.text("base"), r.optional_text("target"))),
        }

    def serve(self, listener: socket.socket) -> None:
        """Returns never. The first request is taken when the last thread is there: the command it starts may leave
        room for none."""
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
        trouble = Trouble()
        while True:
            try:
                connection, _ = listener.accept()
                with connection:
                    connection.settimeout(REQUEST_PATIENCE)
                    self._converse(connection)
            except (OSError, MemoryError) as error:
                trouble.meet(error)
            trouble.pause()

    def _converse(self, connection: socket.socket) -> None:
        try:
            received = frames.receive(connection)
            if received:
                _send(connection, self._answer(Request(*received, connection)))
        except (OSError, frames.FrameError, HandedOver):
            return  # the other side went away or talks nonsense: nobody is left to tell; or somebody else tells

    def _answer(self, request: Request) -> Answer:
        try:
            header, body = self._operations.get(request.text("op"), unknown_operation)(request)
        except Refusal as refusal:
            return as_error(refusal)
        except (ConnectionError, TimeoutError, HandedOver):
            raise
        except OSError as error:
            return as_error(from_os_error(error, ""))
        except Exception:  # noqa: BLE001 - one request must not end the thread that serves all others
            tell(sys.exc_info()[1])
            return as_error(Refusal(UNAVAILABLE, "The runner failed on this request; its log says why."))
        return {"ok": True, **header}, body

    def _ping(self, request: Request) -> Answer:
        return {"protocol": PROTOCOL, "boot_id": self._boot_id, "live_calls": self._calls.live_ids()}, b""

    def _open(self, request: Request) -> Answer:
        self._stdio.begin(request.header, request.connection)

    def _snapshot(self, request: Request) -> Answer:
        return {"snapshot": self._snapshots.take()}, b""

    def _archive_state(self, request: Request) -> Answer:
        return self._archives.state(), b""

    def _archive(self, request: Request) -> Answer:
        outgoing = Outgoing(request.connection)
        answer = self._archives.write(outgoing.send, request.number("limit"))
        outgoing.finish()
        return answer, b""

    def _read(self, request: Request) -> Answer:
        offset, limit = request.number("offset"), request.optional_number("limit")
        return self._files.read(request.text("path"), offset, limit, exact=request.exact)

    def _write(self, request: Request) -> Answer:
        path, expected, mode = request.text("path"), request.text("expected"), request.optional_number("mode")
        return {"stat": self._files.write(path, request.body, expected, mode, exact=request.exact)}, b""

    def _remove(self, request: Request) -> Answer:
        self._files.remove(request.text("path"), exact=request.exact)
        return {}, b""

    def _glob(self, request: Request) -> Answer:
        pattern, path, limit = request.text("pattern"), request.text("path"), request.number("limit")
        return as_body(self._search.glob(pattern, path, limit, exact=request.exact))

    def _grep(self, request: Request) -> Answer:
        pattern, path, limit = request.text("pattern"), request.text("path"), request.number("limit")
        include = request.optional_text("include")
        return as_body(self._search.grep(pattern, path, include, limit, exact=request.exact))


def _send(connection: socket.socket, answer: Answer) -> None:
    """A workspace with many long names can make an answer larger than a frame may be: then that is the answer."""
    try:
        frames.send(connection, *answer)
    except frames.FrameError:
        too_large = Refusal(LIMIT_REACHED, "The answer is too large to be sent; ask for less at once.")
        frames.send(connection, *as_error(too_large))


def unknown_operation(request: Request) -> Answer:
    raise Refusal(REFUSED, f"The runner does not know the operation {request.text('op')[:40]!r}.")


def as_error(refusal: Refusal) -> Answer:
    return {"error": refusal.code, "message": refusal.message}, b""


def as_body(value: Any) -> Answer:
    """Lists may be longer than a header may be."""
    return {}, frames.to_json(value)


def new_boot_id() -> str:
    return os.urandom(16).hex()


def listen(path: str) -> socket.socket:
    """A socket that only the runner's own user may connect to, whatever was there before."""
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
