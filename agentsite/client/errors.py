"""The exceptions that the client raises.

ClientError
├── ApiError          the site said no; `code` is stable, `hint` is the next step
├── Unreachable       no answer, also after trying again
└── TurnNotCompleted  the turn failed or was stopped; `turn` is its last view
"""

from agentsite.client.types import FailureView, TurnView


class ClientError(Exception):
    pass


class ApiError(ClientError):
    """`code` is one of `ErrorCode`, or a newer one.

    `fields` names what is wrong in the request; the people who run the site find it by `request_id`.
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
    pass


class TurnNotCompleted(ClientError):
    def __init__(self, turn: TurnView) -> None:
        told = turn.error and f"{turn.error.message} {turn.error.hint}".strip()
        super().__init__(told or f"The turn ended as {turn.state}.")
        self.turn = turn
