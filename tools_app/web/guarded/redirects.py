"""follow(): fetch a page and follow its redirects. Each new address is checked like the first one."""

from collections.abc import Callable
from urllib.parse import urljoin

from tools_app.web.address import WebAddress, parse_address
from tools_app.web.guarded.connect import Connector, FetchFailed
from tools_app.web.guarded.exchange import PageResponse, get
from tools_app.web.guarded.messages import MAX_REDIRECTS, PageOrder
from tools_app.web.rules import AddressRefused

MayFollow = Callable[[str, int], bool]


class NotFollowed(Exception):
    """The worker decided not to follow a redirect."""


def follow(order: PageOrder, connector: Connector, may_follow: MayFollow) -> tuple[WebAddress, PageResponse]:
    """Request a page, follow its redirects, and return the last address and its response.

    `may_follow(url, status)` decides about each redirect. Raises BadAddress, AddressRefused, FetchFailed or
    NotFollowed.
    """
    address = parse_address(order.url)
    for _ in range(MAX_REDIRECTS + 1):
        answer = get(address, connector.connect(address), wanted=order.wanted, limit=order.limit)
        if not answer.location:
            return address, answer
        address = _next(address, answer, connector, may_follow)
    raise FetchFailed(f"There are more than {MAX_REDIRECTS} redirects.")


def _next(address: WebAddress, answer: PageResponse, connector: Connector, may_follow: MayFollow) -> WebAddress:
    try:
        following = parse_address(urljoin(str(address), answer.location))
        connector.rules.check(following)
    except (ValueError, AddressRefused) as error:
        raise AddressRefused(f"{address} redirects to an address that is refused. {error}") from error
    if not may_follow(str(following), answer.status):
        raise NotFollowed
    return following
