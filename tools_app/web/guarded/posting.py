"""python -m tools_app.web.guarded.posting: POST what the line on standard input says, answer, end.

As the process that fetches, it is confined before anything comes from outside: it knows no secret, starts no program,
writes no file, and reaches no address that is not public unless the site exempts it. Redirects are not followed.
"""

import http.client
import json
import signal
import socket
import ssl
import sys
import time
from types import FrameType
from typing import Any, Final, NoReturn

from tools_app.web.address import BadAddress, WebAddress, parse_address
from tools_app.web.guarded.confine import confine
from tools_app.web.guarded.connect import Connector, FetchFailed
from tools_app.web.guarded.exchange import exchange
from tools_app.web.guarded.messages import say
from tools_app.web.guarded.own_addresses import own_addresses
from tools_app.web.rules import AddressRefused, WebRules

LONGEST_LINE: Final = 1 << 20
AGENT: Final = "agentsite-webhooks/1"


class TooSlow(Exception):
    """The time is over."""


def main() -> None:
    order: dict[str, Any] = json.loads(sys.stdin.buffer.readline(LONGEST_LINE))
    rules = WebRules.exempting(order["allowed"])
    connector = Connector(rules, _tls(str(order["certificates"])), own_addresses())
    parse_address("http://ü.example/")  # loads the tables of names in all scripts
    "example".encode("idna")  # loads the codec that TLS spells the server's name with
    confine(seconds=order["seconds"] + 5, ports=rules.ports)
    try:
        _in_time(order, connector)
    except (BadAddress, AddressRefused) as error:
        say("refused", message=str(error))
    except FetchFailed as error:
        say("failed", message=str(error))
    except TooSlow:
        say("failed", message=f"It took longer than {order['seconds']:g} s.")


def _tls(certificates: str) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if certificates:
        context.load_verify_locations(certificates)
    return context


def _in_time(order: dict[str, Any], connector: Connector) -> None:
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, order["seconds"])
    started = time.monotonic()
    try:
        address = parse_address(str(order["url"]))
        status, body = _post(address, connector.connect(address), order)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    say("answer", body, status=status, milliseconds=int((time.monotonic() - started) * 1000))


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    raise TooSlow


def _post(address: WebAddress, connection: socket.socket, order: dict[str, Any]) -> tuple[int, bytes]:
    """The status and the first bytes of the answer; what comes after them is not read, however much it is."""
    headers = {"User-Agent": AGENT, "Connection": "close", **order["headers"]}

    def read(response: http.client.HTTPResponse) -> tuple[int, bytes]:
        return response.status, _beginning(response, int(order["limit"]))

    body = str(order["body"])
    return exchange("POST", address, connection, read, headers=headers, timeout=order["seconds"], body=body)


def _beginning(response: http.client.HTTPResponse, limit: int) -> bytes:
    """The status has decided already, so what is wrong with the rest does not matter."""
    try:
        return response.read1(limit)
    except (OSError, http.client.HTTPException, ValueError):
        return b""


if __name__ == "__main__":
    main()
