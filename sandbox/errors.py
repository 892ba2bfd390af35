"""Exceptions that sandboxes raise.

The right column names who can solve the problem.

SandboxError
├── SandboxUnavailable      the container or its engine cannot be reached          (operator)
│   ├── CheckFailed         a new container failed its self-check                  (operator)
│   └── SandboxLost         the container died during a call, which may have run partly  (nobody)
├── SandboxRefused          the request is outside what the sandbox allows         (model)
│   ├── PathOutside         the path leaves the roots that tools may reach
│   ├── NotFound            no such file or directory
│   ├── WrongKind           a directory, FIFO, device ... where a file was expected, or the reverse
│   ├── Conflict            the file is not the version that the caller last read (compare-and-swap)
│   └── NotPermitted        the tool user lacks permission, or the call id belongs to another request
├── LimitReached            disk, inodes, processes, memory or output ran out      (user or operator)
└── ProtocolError           the runner sent an invalid answer: a bug, or hostile code in the workspace (developers)

Each exception has a `message`: a plain sentence that can be shown to people as it is.
"""

from sandbox.reports import CheckReport


class SandboxError(Exception):
    """Base class of all sandbox exceptions. `code` is stable and part of the API."""

    code = "sandbox_error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class SandboxUnavailable(SandboxError):
    code = "sandbox_unavailable"


class CheckFailed(SandboxUnavailable):
    """A new container failed its self-check. `report` lists every item that was checked, failed or not."""

    code = "sandbox_check_failed"

    def __init__(self, message: str, report: CheckReport) -> None:
        super().__init__(message)
        self.report = report


class SandboxLost(SandboxUnavailable):
    code = "sandbox_lost"


class SandboxRefused(SandboxError):
    code = "sandbox_refused"


class PathOutside(SandboxRefused):
    code = "path_outside"


class NotFound(SandboxRefused):
    code = "not_found"


class WrongKind(SandboxRefused):
    code = "wrong_kind"


class Conflict(SandboxRefused):
    code = "conflict"


class NotPermitted(SandboxRefused):
    code = "not_permitted"


class LimitReached(SandboxError):
    code = "limit_reached"


class ProtocolError(SandboxError):
    code = "protocol_error"
