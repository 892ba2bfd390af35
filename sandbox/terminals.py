"""Value types for the terminals of a sandbox, a connection to a terminal, and the part of `Runtime` about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

TerminalEnd = Literal["exited", "closed", "timeout"]


@dataclass(frozen=True, slots=True)
class TerminalRequest:
    """A request to start a terminal as the tool user. The terminal runs an interactive shell, or `command` if given.

    `terminal_id` identifies the terminal: a repeated request finds it again. `label` is listed with the terminal, such
    as who opened it. `folder` is where a command runs. The terminal is ended after `seconds`; 0 for no limit.
    """

    terminal_id: str
    rows: int = 24
    columns: int = 80
    label: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    folder: str = "."
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TerminalInfo:
    """A terminal. `command` is the command that runs in it instead of a shell, or empty. `end` is empty while its
    program runs. `total` counts all bytes of output, of which the last are kept. `is_busy`: a program other than the
    shell runs in the foreground. Times are Unix times."""

    terminal_id: str
    label: Mapping[str, str]
    command: str
    rows: int
    columns: int
    started_at: float
    input_at: float
    output_at: float
    total: int
    end: TerminalEnd | Literal[""]
    exit_code: int
    watchers: int
    is_busy: bool


@dataclass(frozen=True, slots=True)
class TerminalPiece:
    """Output of a terminal. `at` is the position after its last byte.

    With `resets` it begins a new screen: earlier output was not sent, or is no longer kept.
    """

    at: int
    data: bytes
    resets: bool


@dataclass(frozen=True, slots=True)
class TerminalSize:
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class TerminalEnded:
    reason: TerminalEnd
    exit_code: int


TerminalEvent = TerminalPiece | TerminalSize | TerminalEnded


class TerminalConnection(Protocol):
    """A connection to a terminal. When the connection ends, the terminal goes on."""

    async def receive(self) -> TerminalEvent:
        """Return the next event of the terminal. Raises SandboxLost if the sandbox has ended."""
        ...

    async def acknowledge(self) -> None:
        """Acknowledge a received TerminalPiece. At most four pieces are sent without acknowledgement."""
        ...

    async def type(self, data: bytes) -> None:
        """Type into the terminal; wait while its program does not read. At most 256 KiB at once. A key that interrupts
        (Ctrl-C, Ctrl-Z, Ctrl-\\) does not wait: what was typed before and not read is dropped."""
        ...

    async def resize(self, rows: int, columns: int) -> None: ...

    def close(self) -> None: ...


class TerminalRuntime(Protocol):
    """The operations of a `Runtime` on terminals."""

    async def start_terminal(self, request: TerminalRequest) -> TerminalInfo:
        """Start a terminal, or return the running one with the requested id. Raises LimitReached if 8 terminals run
        already."""
        ...

    async def terminals(self) -> Sequence[TerminalInfo]:
        """Return the running terminals and the most recent terminals whose program has ended, oldest first."""
        ...

    async def attach_terminal(self, terminal_id: str, *, after: int | None = None) -> TerminalConnection:
        """Connect to a terminal and get its output from the position `after`, or all stored output.

        If there is no such terminal, the first `receive` raises NotFound.
        """
        ...

    async def type_terminal(self, terminal_id: str, data: bytes, *, input_id: str = "") -> TerminalInfo:
        """Type into a terminal, at most 64 KiB. Input with the `input_id` of earlier input is not typed again. Raises
        NotFound, SandboxRefused if it has ended, and LimitReached if its program does not read."""
        ...

    async def resize_terminal(self, terminal_id: str, rows: int, columns: int) -> TerminalInfo:
        """Set the size of a terminal for all people who watch it. Raises NotFound."""
        ...

    async def terminal_screen(self, terminal_id: str) -> tuple[TerminalInfo, bytes]:
        """Return a terminal and the end of its output (256 KiB), from which its screen can be drawn. Raises
        NotFound."""
        ...

    async def end_terminal(self, terminal_id: str) -> bool:
        """End a terminal and everything that was started in it. False if there is none."""
        ...
