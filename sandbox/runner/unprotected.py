"""A runner that could not protect itself on this kernel: it says who it is and what its self-check finds, no more."""

from .selfcheck_runner import SelfCheck
from .server import PROTOCOL, Server, new_boot_id


class UnfitServer(Server):
    """None of the operations that a server has is made, let alone served."""

    def __init__(self, check: SelfCheck) -> None:
        boot_id = new_boot_id()
        self._operations = {
            "ping": lambda _: ({"protocol": PROTOCOL, "boot_id": boot_id, "live_calls": []}, b""),
            "check": lambda request: check.answer(request.header),
        }
