"""The frames of a terminal's socket, in both directions."""

from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter

from sessions_app.transport.ws.frames import ANSWERS, Frame, FromClient, Ping

MAX_INPUT: Final = 16_384  # characters of one frame
MAX_SIZE: Final = 1_000  # rows or columns


class TerminalHello(FromClient):
    """The first frame. `after` is the last position (`at`) that the client has shown, or null for all stored output.
    The answer says whether you may type: {may_type, reason}."""

    type: Literal["hello"]
    after: int | None = Field(default=None, ge=0)


class TerminalInput(FromClient):
    """Input that was typed or pasted. It is acknowledged when the terminal has taken it; at most 16 frames may wait for
    that. Ctrl-C, Ctrl-Z or Ctrl-\\ alone in a frame replaces earlier input that the program has not read."""

    type: Literal["input"]
    data: str = Field(max_length=MAX_INPUT)


class TerminalResize(FromClient):
    """The new size of the terminal, for everybody who watches it."""

    type: Literal["resize"]
    rows: int = Field(ge=1, le=MAX_SIZE)
    columns: int = Field(ge=1, le=MAX_SIZE)


class TerminalTaken(FromClient):
    """The client's confirmation that it has shown an `output` frame in which `counts` is true. The server sends at most
    four such frames without a confirmation."""

    type: Literal["taken"]


class TerminalOutputFrame(Frame):
    """Output of the terminal, as bytes in base64. `at` is the position in the output after these bytes. With `resets`,
    clear the screen first."""

    type: Literal["output"]
    at: int
    data: str
    resets: bool
    counts: bool


class TerminalSizeFrame(Frame):
    """The size of the terminal, which is the same for everybody who watches it."""

    type: Literal["size"]
    rows: int
    columns: int


class TerminalEndedFrame(Frame):
    """The shell has ended. `reason` is `gone` if the terminal or its container no longer exists. The socket is
    closed."""

    type: Literal["ended"]
    reason: Literal["exited", "closed", "timeout", "gone"]
    exit_code: int


class TerminalHereFrame(Frame):
    """The terminal is connected, or connected again. Input that was not acknowledged before may be lost."""

    type: Literal["here"]


class TerminalAwayFrame(Frame):
    """The workspace's node does not answer at present. The terminal may still be running; the site tries to connect
    again."""

    type: Literal["away"]
    message: str


TerminalFrame = Annotated[
    TerminalHello | TerminalInput | TerminalResize | TerminalTaken | Ping, Field(discriminator="type")
]
TERMINAL_CLIENT: Final[TypeAdapter[TerminalFrame]] = TypeAdapter(TerminalFrame)
TERMINAL_SERVER: Final = [
    *ANSWERS,
    TerminalOutputFrame,
    TerminalSizeFrame,
    TerminalEndedFrame,
    TerminalHereFrame,
    TerminalAwayFrame,
]
