"""Messages between a guarded process and its worker: the request, the answer, and questions about redirects."""

import json
import sys
from dataclasses import dataclass
from typing import Any, Final

from tools_app.web.rules import WebRules

MAX_REDIRECTS: Final = 10
MAX_LINE_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True)
class PageOrder:
    """A request for one page."""

    url: str
    wanted: str
    """The format of the answer: "markdown", "text" or "html"."""
    seconds: float
    """Time limit for the network."""
    limit: int
    """Bytes that the body may have."""
    rules: WebRules
    certificates: str
    """Path of a file with further certificate authorities to trust; empty: none."""


def read_order() -> PageOrder:
    """Read the request from standard input. It comes from the worker and is trusted."""
    data = _read_line()
    return PageOrder(
        url=str(data["url"]),
        wanted=str(data["wanted"]),
        seconds=float(data["seconds"]),
        limit=int(data["limit"]),
        rules=WebRules.exempting(data["allowed"]),
        certificates=str(data["certificates"]),
    )


def send(kind: str, body: bytes = b"", **fields: Any) -> None:
    """Write a message to standard output: a line of JSON, followed by a body of `size` bytes."""
    line = json.dumps({"kind": kind, "size": len(body), **fields})
    sys.stdout.buffer.write(line.encode() + b"\n" + body)
    sys.stdout.buffer.flush()


def may_follow(url: str, status: int) -> bool:
    """Ask the worker, which knows the permission rules, whether a redirect to `url` may be followed."""
    send("redirect", url=url, status=status)
    return bool(_read_line().get("follow"))


def _read_line() -> dict[str, Any]:
    line = sys.stdin.buffer.readline(MAX_LINE_BYTES)
    data: dict[str, Any] = json.loads(line) if line else {}
    return data
