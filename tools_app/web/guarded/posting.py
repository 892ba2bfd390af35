"""python -m tools_app.web.guarded.posting: send the POST request that standard input describes, and exit.

Like the process that fetches pages, it is confined before it reads anything from outside: it has no secrets, cannot
start programs or write files, and connects only to public addresses and those that the site exempts. Redirects are not
followed.
"""

import base64
import http.client
import json
import signal
import socket
import sys
import time
from types import FrameType
from typing import Any, Final, NoReturn

from tools_app.web.address import BadAddress, WebAddress, parse_address
from tools_app.web.guarded.confine import confine
from tools_app.web.guarded.connect import Connector, FetchFailed, tls_context
from tools_app.web.guarded.exchange import exchange
from tools_app.web.guarded.messages import send
from tools_app.web.guarded.own_addresses import own_addresses
from tools_app.web.rules import AddressRefused, WebRules

MAX_LINE_BYTES: Final = 1 << 20
MAX_HEADER_CHARS: Final = 100  # of a response header that is returned
AGENT: Final = "agentsite-webhooks/1"


class TooSlow(Exception):
    """The time limit has passed."""


def main() -> None:
    order: dict[str, Any] = json.loads(sys.stdin.buffer.readline(MAX_LINE_BYTES))
    rules = WebRules.exempting(order["allowed"])
    connector = Connector(rules, tls_context(str(order["certificates"])), own_addresses())
    parse_address("http://ü.example/")  # loads the tables for internationalised names
    "example".encode("idna")  # loads the codec that TLS uses for the name of the server
    confine(seconds=order["seconds"] + 5, ports=rules.ports)
    try:
        _post_in_time(order, connector)
    except (BadAddress, AddressRefused) as error:
        send("refused", message=str(error))
    except FetchFailed as error:
        send("failed", message=str(error))
    except TooSlow:
        send("failed", message=f"It took longer than {order['seconds']:g} s.")


def _post_in_time(order: dict[str, Any], connector: Connector) -> None:
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, order["seconds"])
    started = time.monotonic()
    try:
        address = parse_address(str(order["url"]))
        status, retry_after, body = _post(address, connector.connect(address), order)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    milliseconds = int((time.monotonic() - started) * 1000)
    send("answer", body, status=status, milliseconds=milliseconds, retry_after=retry_after)


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    raise TooSlow


def _post(address: WebAddress, connection: socket.socket, order: dict[str, Any]) -> tuple[int, str, bytes]:
    """Send the POST request. Returns the status, the header `Retry-After` and the beginning of the body; the rest is
    not read."""
    headers = {"User-Agent": AGENT, "Connection": "close", **order["headers"]}

    def read(response: http.client.HTTPResponse) -> tuple[int, str, bytes]:
        retry_after = response.headers.get("Retry-After", "")[:MAX_HEADER_CHARS]
        return response.status, retry_after, _beginning(response, int(order["limit"]))

    body = base64.b64decode(order["body"])
    return exchange("POST", address, connection, read, headers=headers, timeout=order["seconds"], body=body)


def _beginning(response: http.client.HTTPResponse, limit: int) -> bytes:
    """Return the first bytes of the body. Errors are ignored, because the status has already been received."""
    try:
        return response.read1(limit)
    except (OSError, http.client.HTTPException, ValueError):
        return b""


if __name__ == "__main__":
    main()
