"""What a guarded process is told to fetch, and the lines in which it answers."""

import json
import sys
from dataclasses import dataclass
from typing import Any, Final

from tools_app.web.rules import WebRules

MOST_REDIRECTS: Final = 10
LONGEST_LINE: Final = 65_536


@dataclass(frozen=True, slots=True)
class Order:
    """`seconds` are for everything that comes from the network, `limit` is bytes of the body. `certificates` is a file
    of further authorities to trust."""

    url: str
    wanted: str
    seconds: float
    limit: int
    rules: WebRules
    certificates: str


def read_order() -> Order:
    """From whoever started this process, who is believed."""
    data = _read_line()
    return Order(
        url=str(data["url"]),
        wanted=str(data["wanted"]),
        seconds=float(data["seconds"]),
        limit=int(data["limit"]),
        rules=WebRules.exempting(data["allowed"]),
        certificates=str(data["certificates"]),
    )


def say(kind: str, body: bytes = b"", **fields: Any) -> None:
    """One line of JSON, and as many bytes after it as its `size` says."""
    line = json.dumps({"kind": kind, "size": len(body), **fields})
    sys.stdout.buffer.write(line.encode() + b"\n" + body)
    sys.stdout.buffer.flush()


def may_follow(url: str, status: int) -> bool:
    """Ask whether a redirect is to be followed, which depends on rules that are not known here."""
    say("redirect", url=url, status=status)
    return bool(_read_line().get("follow"))


def _read_line() -> dict[str, Any]:
    line = sys.stdin.buffer.readline(LONGEST_LINE)
    data: dict[str, Any] = json.loads(line) if line else {}
    return data
