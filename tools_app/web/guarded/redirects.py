"""From an order to the page at the end of its redirects, each of which is judged like the first address."""

from collections.abc import Callable
from urllib.parse import urljoin

from tools_app.web.address import WebAddress, parse_address
from tools_app.web.guarded.connect import Connector, FetchFailed
from tools_app.web.guarded.exchange import Answer, get
from tools_app.web.guarded.messages import MOST_REDIRECTS, Order
from tools_app.web.rules import AddressRefused

MayFollow = Callable[[str, int], bool]


class NotFollowed(Exception):
    """Whoever gave the order does not want this redirect followed."""


def follow(order: Order, connector: Connector, may_follow: MayFollow) -> tuple[WebAddress, Answer]:
    """The last address and its answer. `may_follow(url, status)` knows the rules that are not known here.

    Raises BadAddress, AddressRefused, FetchFailed, NotFollowed.
    """
    address = parse_address(order.url)
    for _ in range(MOST_REDIRECTS + 1):
        answer = get(address, connector.connect(address), wanted=order.wanted, limit=order.limit)
        if not answer.location:
            return address, answer
        address = _next(address, answer, connector, may_follow)
    raise FetchFailed(f"There are more than {MOST_REDIRECTS} redirects, one after the other.")


def _next(address: WebAddress, answer: Answer, connector: Connector, may_follow: MayFollow) -> WebAddress:
    try:
        following = parse_address(urljoin(str(address), answer.location))
        connector.rules.check(following)
    except (ValueError, AddressRefused) as error:
        raise AddressRefused(f"{address} redirects to an address that is refused. {error}") from error
    if not may_follow(str(following), answer.status):
        raise NotFollowed
    return following
