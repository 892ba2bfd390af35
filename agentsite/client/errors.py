"""The exceptions that the client raises.

ClientError
├── ApiError            the site answered with an error; `code` is stable, `hint` is the next step
├── Unreachable         the site did not answer, not even after retries
├── NotConnected        the forge did not accept the connection; `report` says why
├── UploadRefused       the site could not use an uploaded file; `upload` says why
└── TurnNotCompleted    the turn failed or was aborted; `turn` is its last state
"""

from agentsite.client.types import ConnectionReport, FailureView, TurnView, UploadView


class ClientError(Exception):
    """Base class of all exceptions of the client."""


class ApiError(ClientError):
    """An error response of the site.

    `code` is a value of `ErrorCode`, or a code that a newer version of the site has added. `fields` names what is wrong
    in the request. Operators can find the request in their logs by `request_id`.
    """

    def __init__(self, status: int, error: FailureView) -> None:
        super().__init__(f"{error.message} {error.hint}".strip())
        self.status = status
        self.code = error.code
        self.message = error.message
        self.hint = error.hint
        self.fields = error.fields
        self.request_id = error.request_id


class Unreachable(ClientError):
    """The site did not answer, not even after retries."""


class TurnNotCompleted(ClientError):
    """The turn failed or was aborted. `turn` is its last state."""

    def __init__(self, turn: TurnView) -> None:
        message = turn.error and f"{turn.error.message} {turn.error.hint}".strip()
        super().__init__(message or f"The turn ended in the state '{turn.state}'.")
        self.turn = turn


class UploadRefused(ClientError):
    """The site could not use an uploaded file. `upload.problem` says why."""

    def __init__(self, upload: UploadView) -> None:
        super().__init__(upload.problem or f"The upload is in the state '{upload.state}'.")
        self.upload = upload


class NotConnected(ClientError):
    """The site could not use a new connection, because the forge refused it or did not answer. `report` says why, and
    what to do."""

    def __init__(self, report: ConnectionReport) -> None:
        super().__init__(f"{report.message} {report.hint}".strip())
        self.report = report
