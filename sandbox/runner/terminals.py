"""Terminals: shells on pseudo-terminals that people and agents type into.

A terminal belongs to the runner and not to the connection that started it, so it lives on when a page is loaded again
or a worker is restarted. A window that shows it later gets the end of its output first.
"""

import fcntl
import os
import queue
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

from . import frames
from .command_environment import SHELL
from .errors import LIMIT_REACHED, NOT_FOUND, REFUSED, Refusal, from_os_error
from .limits import Allowance
from .privileges import Identity
from .process_cleanup import CALL_VARIABLE
from .processes import Job, Supervisor
from .stdio import LIFETIME, ConnectionHandedOver
from .terminal_loop import TerminalLoop
from .terminal_members import INPUT_LIMIT, Size, Terminal, Watcher
from .tree import Tree

RUNNING_LIMIT: Final = 8  # terminals per workspace
ENDED_LIMIT: Final = 4  # ended terminals that are still listed
WATCHERS_LIMIT: Final = 32  # per workspace
SCREEN_BYTES: Final = 1 << 18  # of output in an answer to `screen`
ANSWER_TIMEOUT: Final = 10.0  # seconds
RECENT: Final = 10.0  # seconds after input in which a terminal counts as one that may change files
TERMINAL_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
NEW_TERMINAL: Final = "/dev/ptmx"  # of the container's own devpts
TIOCSPTLCK: Final = 0x40045431  # of Linux; the module termios has no name for these two
TIOCGPTN: Final = 0x80045430
MAX_LABEL: Final = 200  # characters of each text
MAX_COMMAND: Final = 4_000  # characters
MAX_INPUT_ID: Final = 64  # characters
TAG: Final = "terminal-{}"
OWNER: Final = "terminal"
"""The owner of changes to files while a terminal was in use; no session has this id."""

NOT_HERE: Final = frozenset({"PAGER", "GIT_PAGER", "GIT_TERMINAL_PROMPT"})
"""Variables that keep commands from waiting for a person. Terminals do not get them."""
ENVIRONMENT: Final = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}

Answer = TypeVar("Answer")


class TerminalRequest(NamedTuple):
    """The fields of a request for a new terminal. Without `command`, the terminal runs an interactive shell."""

    terminal_id: str
    label: dict[str, str]
    size: Size
    env: Mapping[str, str]
    command: str
    folder: str
    seconds: float

    @classmethod
    def parse(cls, header: Mapping[str, Any]) -> "TerminalRequest":
        try:
            request = cls(
                terminal_id=str(header["id"]),
                label={str(name)[:MAX_LABEL]: str(text)[:MAX_LABEL] for name, text in header["label"].items()},
                size=Size.parse(dict(header)),
                env={str(name): str(value) for name, value in header["env"].items()},
                command=str(header.get("command") or ""),
                folder=str(header.get("folder") or "."),
                seconds=min(float(header.get("seconds") or LIFETIME), LIFETIME),
            )
        except (KeyError, TypeError, ValueError, AttributeError, frames.FrameError) as error:
            raise Refusal(REFUSED, "The request for a terminal has a missing or invalid field.") from error
        if not TERMINAL_ID.fullmatch(request.terminal_id):
            raise Refusal(REFUSED, "The id of a terminal has at most 64 letters, digits, - and _.")
        if len(request.command) > MAX_COMMAND or "\0" in request.command or not request.seconds > 0:
            raise Refusal(REFUSED, f"A terminal's command has at most {MAX_COMMAND:,} characters and a time limit.")
        if any("\0" in f"{name}{value}" or "=" in name or not name for name, value in request.env.items()):
            raise Refusal(REFUSED, "The environment has a zero byte or an invalid variable name.")
        return request


class _Words:
    """A sink for output of the shell before it is connected to its terminal. The output is added to the terminal's
    output."""

    def __init__(self, terminal: Terminal, loop: TerminalLoop) -> None:
        self._terminal = terminal
        self._loop = loop

    def feed(self, chunk: bytes) -> str:
        self._loop.submit(lambda: self._terminal.output.feed(chunk.replace(b"\n", b"\r\n")))
        return ""


class Terminals:
    """The terminals of the workspace: starts, lists and ends them, and hands connections to their loop."""

    def __init__(
        self,
        tree: Tree,
        identity: Identity,
        supervisor: Supervisor,
        allowance: Allowance,
        of_commands: Callable[[], Mapping[str, str]],
    ) -> None:
        self._tree = tree
        self._identity = identity
        self._supervisor = supervisor
        self._open_files = allowance.open_files
        self._of_commands = of_commands
        self._lock = threading.Lock()
        self.loop = self._loop = TerminalLoop()
        self._terminals: dict[str, Terminal] = {}

    def start(self, header: Mapping[str, Any]) -> frames.Header:
        """Start a terminal, or find the one with this id, and return its fields."""
        request = TerminalRequest.parse(header)
        with self._lock:
            if known := self._terminals.get(request.terminal_id):
                return known.as_fields()
            self._require_room()
            terminal = self._start(request)
            self._terminals[request.terminal_id] = terminal
        return terminal.as_fields()

    def listed(self) -> list[frames.Header]:
        """Return the terminals, the oldest first."""
        with self._lock:
            return [terminal.as_fields() for terminal in self._terminals.values()]

    def active_owners(self) -> list[str]:
        """Return the owner name "terminal" once for each terminal that is busy or got input recently, because it may be
        changing files now."""
        recently = time.time() - RECENT
        with self._lock:
            return [OWNER for each in self._terminals.values() if each.is_busy or each.input_at > recently]

    def attach(self, header: Mapping[str, Any], connection: socket.socket) -> NoReturn:
        """Pass the connection to the loop, which sends the terminal's output after a given position, then its events.

        Always raises: ConnectionHandedOver, or Refusal.
        """
        terminal, after = self._find(header), header.get("after")
        if after is not None and (type(after) is not int or after < 0):
            raise Refusal(REFUSED, "The request's 'after' is not a position.")
        with self._lock:
            if sum(len(each.watchers) for each in self._terminals.values()) >= WATCHERS_LIMIT:
                raise Refusal(LIMIT_REACHED, f"{WATCHERS_LIMIT} windows already show terminals of this workspace.")
        own = connection.dup()
        self._loop.submit(lambda: self._loop.add(Watcher(terminal, own, after)))
        raise ConnectionHandedOver

    def type(self, header: Mapping[str, Any], data: bytes) -> frames.Header:
        """Type into a terminal. Raises Refusal if the terminal has ended or its program has not read earlier input."""
        terminal = self._find(header)
        if len(data) > INPUT_LIMIT:
            raise Refusal(LIMIT_REACHED, f"At most {INPUT_LIMIT:,} bytes can be typed at once.")
        if terminal.is_over:
            raise Refusal(REFUSED, "This terminal has ended.")
        input_id = str(header.get("input") or "")[:MAX_INPUT_ID]
        if not self._ask(lambda: terminal.try_to_type(data, input_id)):
            raise Refusal(LIMIT_REACHED, "The program in this terminal does not read what was typed before.")
        return terminal.as_fields()

    def resize(self, header: Mapping[str, Any]) -> frames.Header:
        """Set a terminal's size, for everybody who watches it."""
        terminal = self._find(header)
        try:
            size = Size.parse(dict(header))
        except frames.FrameError as error:
            raise Refusal(REFUSED, str(error)) from error
        self._ask(lambda: terminal.resize(size))
        return terminal.as_fields()

    def screen(self, header: Mapping[str, Any]) -> tuple[frames.Header, bytes]:
        """Return a terminal's fields and the end of its output, from which its screen can be drawn."""
        terminal = self._find(header)
        output = terminal.output
        piece = self._ask(lambda: output.beginning() + output.since(output.total - SCREEN_BYTES, SCREEN_BYTES)[1])
        return {"terminal": terminal.as_fields()}, piece

    def end(self, header: Mapping[str, Any]) -> bool:
        """End a terminal, or forget one that has ended. Returns False if there is none."""
        with self._lock:
            terminal = self._terminals.get(str(header.get("id")))
            if terminal is None:
                return False
            if terminal.is_over:
                del self._terminals[terminal.terminal_id]
        if terminal.job and not terminal.is_over:
            terminal.is_closing = True
            self._supervisor.stop(terminal.job, "closed")
            self._loop.submit(lambda: self._loop.drop(terminal))  # the kernel hangs up on the shell
        return True

    def _find(self, header: Mapping[str, Any]) -> Terminal:
        with self._lock:
            terminal = self._terminals.get(str(header.get("id")))
        if terminal is None:
            raise Refusal(NOT_FOUND, "There is no such terminal. It ends with its workspace's container.")
        return terminal

    def _ask(self, action: Callable[[], Answer]) -> Answer:
        """Run an action on the loop's thread and return its result."""
        answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._loop.submit(lambda: answers.put(action()))
        return answers.get(timeout=ANSWER_TIMEOUT)

    def _require_room(self) -> None:
        """Raise Refusal if too many terminals run, and forget the oldest of those that have ended."""
        ended = [each for each in self._terminals.values() if each.is_over]
        if len(self._terminals) - len(ended) >= RUNNING_LIMIT:
            raise Refusal(
                LIMIT_REACHED, f"{RUNNING_LIMIT} terminals are already open in this workspace. Close one of them."
            )
        for each in ended[: max(0, len(ended) - ENDED_LIMIT)]:
            del self._terminals[each.terminal_id]

    def _start(self, request: TerminalRequest) -> Terminal:
        folder = self._open_folder(request.folder)
        try:
            master, path = self._open_pair()
        except BaseException:
            os.close(folder)
            raise
        terminal = Terminal(request, master=master, loop=self._loop)
        tag = TAG.format(request.terminal_id)
        of_commands = {name: value for name, value in self._of_commands().items() if name not in NOT_HERE}
        program = ["-c", request.command] if request.command else ["-i"]
        job = terminal.job = Job(
            [SHELL, "-c", f'exec "$@" <>{path} >&0 2>&0', "terminal", SHELL, *program],
            _Words(terminal, self._loop),
            cwd_fd=folder,
            env={**of_commands, **ENVIRONMENT, "HOME": self._tree.home, **request.env, CALL_VARIABLE: tag},
            timeout=request.seconds,
            tag=tag,
            open_files=self._open_files,
            on_end=lambda _: self._loop.submit(lambda: self._end(terminal)),
        )
        self._supervisor.start(job)
        if job.failure:
            terminal.close()
            raise job.failure
        self._loop.submit(lambda: self._loop.add(terminal))
        return terminal

    def _end(self, terminal: Terminal) -> None:
        """Note the end of a terminal's shell. Runs on the loop's thread."""
        if terminal.is_closing:
            with self._lock:
                self._terminals.pop(terminal.terminal_id, None)
        terminal.end()
        self._loop.drop(terminal)

    def _open_folder(self, path: str) -> int:
        with self._identity.as_tool_user(), self._tree.opened(path, os.O_PATH | os.O_DIRECTORY) as (fd, _):
            return os.dup(fd)

    def _open_pair(self) -> tuple[int, str]:
        """Return the master end of a new pseudo-terminal, and the path of its other end, which the tool user owns.

        The shell opens that path as the leader of its session, which makes it the shell's controlling terminal.
        """
        try:
            with self._identity.as_tool_user():
                master = os.open(NEW_TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            raise from_os_error(error, NEW_TERMINAL) from error
        try:
            fcntl.ioctl(master, TIOCSPTLCK, struct.pack("i", 0))
            number = struct.unpack("I", fcntl.ioctl(master, TIOCGPTN, b"\0\0\0\0"))[0]
        except BaseException:
            os.close(master)
            raise
        return master, f"/dev/pts/{number}"
