"""The server of a runner that could not restrict itself on this kernel: it serves only `ping` and the self-check."""

from .selfcheck_runner import SelfCheck
from .server import PROTOCOL, Server, new_boot_id


class UnprotectedServer(Server):
    """A server that answers only `ping` and the self-check. The objects that implement the other operations are not
    created."""

    def __init__(self, check: SelfCheck) -> None:
        boot_id = new_boot_id()
        self._operations = {
            "ping": lambda _: ({"protocol": PROTOCOL, "boot_id": boot_id, "live_calls": []}, b""),
            "check": lambda request: check.answer(request.header),
        }
