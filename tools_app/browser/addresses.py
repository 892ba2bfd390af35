"""Addresses of pages: the addresses that the browser may open, and the form of an address that rules match. Pure."""

import re
from dataclasses import dataclass, replace
from typing import Final

from tools_app.web.address import BadAddress, WebAddress, parse_address

_SCHEME: Final = re.compile(r"\s*([a-z][a-z0-9+.-]*):(?!\d)", re.IGNORECASE)
_ANY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104 - what servers print that listen on all addresses
BLANK: Final = "about:blank"


class AddressRefused(ValueError):
    """The browser does not open this address. The message says why and what to do instead."""


@dataclass(frozen=True, slots=True)
class PageAddress:
    """The address of a page. `fragment` is the part from `#` on, which is not sent to the server and which no rule
    matches."""

    parsed: WebAddress
    fragment: str = ""

    def __str__(self) -> str:
        return f"{self.parsed}{self.fragment}"

    @property
    def is_of_workspace(self) -> bool:
        """True if the page is served by a program in the container itself."""
        host, ip = self.parsed.host, self.parsed.ip
        return ip.is_loopback if ip else host == "localhost" or host.endswith(".localhost")

    @property
    def origin(self) -> str:
        """The origin that rules match. All names of the container itself become `localhost`, so that another spelling
        does not escape a rule about `localhost`."""
        if self.is_of_workspace:
            return f"{self.parsed.scheme}://localhost:{self.parsed.port}"
        return self.parsed.origin

    @property
    def judged(self) -> str:
        """The address as permission rules match it: origin, path and query, without the fragment."""
        return f"{self.origin}{self.parsed.target}"


def page_address(text: str) -> PageAddress:
    """Return the address of a page to open. Raises AddressRefused."""
    text = text.strip()
    scheme = _SCHEME.match(text)
    if scheme and scheme[1].lower() not in ("http", "https"):
        raise AddressRefused(
            f"The browser does not open {scheme[1].lower()}: addresses, only http:// and https://. "
            "Use `read` for files; open the address at which a program serves the page."
        )
    try:
        parsed = parse_address(text)
    except BadAddress as error:
        raise AddressRefused(f"{error} An example: http://localhost:3000/.") from error
    if parsed.host in _ANY_ADDRESS:
        parsed = replace(parsed, host="localhost")
    _, sign, fragment = text.partition("#")
    return PageAddress(parsed, f"#{fragment}" if sign else "")


def shown_address(text: str) -> PageAddress | None:
    """Return the address of a page that the browser shows; None if it shows no page of a server, such as an empty
    page, an error page or a file."""
    try:
        return page_address(text)
    except AddressRefused:
        return None
