"""A real mail server on this machine, whose e-mails a test can read."""

from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller

from tests.support.deadline import wait_until
from tests.support.running_site import free_port


class MailServer:
    """A mail server that accepts every e-mail and stores it in `letters`, the newest last."""

    def __init__(self) -> None:
        self.letters: list[EmailMessage] = []
        self.port = 0

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 the library's name
        letter = message_from_bytes(envelope.content, policy=policy.default)
        self.letters.append(letter)
        return "250 taken"

    def wait_for(self, to: str, subject: str, *, seconds: float = 30.0) -> str:
        """Wait for an e-mail to this address whose subject contains `subject`; return the text of the newest one."""

        def found() -> list[EmailMessage]:
            return [one for one in self.letters if one["To"] == to and subject in one["Subject"]]

        wait_until(lambda: bool(found()), f"a letter '{subject}' to {to}", seconds=seconds)
        return str(found()[-1].get_content())

    @property
    def environment(self) -> dict[str, str]:
        """Return the settings with which a site sends its e-mails to this server."""
        return {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(self.port), "EMAIL_SECURITY": "none"}


@contextmanager
def mail_server() -> Iterator[MailServer]:
    mailbox = MailServer()
    mailbox.port = free_port()
    controller = Controller(mailbox, hostname="127.0.0.1", port=mailbox.port)
    controller.start()
    try:
        yield mailbox
    finally:
        controller.stop()
