"""python -m tools_app.web.guarded: fetch the page that standard input names, print it, and exit."""

import signal
from types import FrameType
from typing import Any, Final, NoReturn

from tools_app.web.address import BadAddress, WebAddress, parse_address
from tools_app.web.guarded import convert
from tools_app.web.guarded.confine import confine, seal
from tools_app.web.guarded.connect import Connector, FetchFailed, tls_context
from tools_app.web.guarded.exchange import PageResponse
from tools_app.web.guarded.media import Media, media_of
from tools_app.web.guarded.messages import PageOrder, may_follow, read_order, send
from tools_app.web.guarded.own_addresses import own_addresses
from tools_app.web.guarded.redirects import NotFollowed, follow
from tools_app.web.rules import AddressRefused

READING_SECONDS: Final = 20.0  # CPU time to convert the page, after it was received


class TooSlow(Exception):
    """The time limit for the network has passed."""


def main() -> None:
    order = read_order()
    connector = Connector(order.rules, tls_context(order.certificates), own_addresses())
    convert.warm_up()
    parse_address("http://ü.example/")  # loads the tables for internationalised names
    confine(seconds=order.seconds + READING_SECONDS, ports=order.rules.ports)
    try:
        address, answer = _follow_in_time(order, connector)
        seal(READING_SECONDS)
        _send_page(address, answer, order)
    except (BadAddress, AddressRefused) as error:
        send("refused", message=str(error))
    except FetchFailed as error:
        send("failed", message=str(error))
    except TooSlow:
        send("failed", message=f"It took longer than {order.seconds:g} s.")
    except MemoryError:
        send("failed", message="The page needs too much memory to convert.")
    except NotFollowed:
        pass


def _follow_in_time(order: PageOrder, connector: Connector) -> tuple[WebAddress, PageResponse]:
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, order.seconds)
    try:
        return follow(order, connector, may_follow)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    raise TooSlow


def _send_page(address: WebAddress, answer: PageResponse, order: PageOrder) -> None:
    fields: dict[str, Any] = {
        "url": str(address),
        "status": answer.status,
        "reason": answer.reason,
        "received": len(answer.body),
    }
    if not 200 <= answer.status < 300:
        send("page", form="error", media_type="", **fields)
        return
    media = media_of(answer)
    send("page", _body(media, answer, order, address), form=media.form, media_type=media.type, **fields)


def _body(media: Media, answer: PageResponse, order: PageOrder, address: WebAddress) -> bytes:
    """Return the content to send to the worker. Text is cut to the limit, because a small page may be huge after
    conversion."""
    if media.form == "file":
        return answer.body
    if media.form == "other":
        return b""
    text = convert.as_text(answer.body, media.type, answer.charset, order.wanted, str(address))
    return text[: order.limit].encode("utf-8", "replace")


if __name__ == "__main__":
    main()
