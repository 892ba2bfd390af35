"""The errors a sandbox can end in.

SandboxError
├── SandboxUnavailable      the container or its engine cannot be reached          (operator)
│   ├── CheckFailed         a new container is not what it must be                 (operator)
│   └── SandboxLost         the container died while a call was running            (nobody; it may have run partly)
├── SandboxRefused          the request is outside what the sandbox allows         (model)
│   ├── PathOutside         the path leaves the roots that tools may reach
│   ├── NotFound            no such file or directory
│   ├── WrongKind           a directory, FIFO, device ... where a file was wanted, or the other way round
│   ├── Conflict            the file is not what the caller last saw (compare-and-swap)
│   └── NotPermitted        the tool user may not do this, or the call id was used for another request
├── LimitReached            disk, inodes, processes, memory or output ran out      (user or operator)
└── ProtocolError           the runner answered something it never should          (us, or hostile code)

Each carries `message`: a plain sentence that can be shown as it is.
"""

from sandbox.reports import CheckReport


class SandboxError(Exception):
    """Base of all of them. `code` is stable and part of the interface."""

    code = "sandbox_error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class SandboxUnavailable(SandboxError):
    code = "sandbox_unavailable"


class CheckFailed(SandboxUnavailable):
    """`report` has what failed and everything else that was looked at."""

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
