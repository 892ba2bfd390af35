"""python -m tools_app.web.guarded: fetch what the line on standard input says, answer, end."""

import signal
import ssl
from types import FrameType
from typing import Any, Final, NoReturn

from tools_app.web.address import BadAddress, WebAddress, parse_address
from tools_app.web.guarded import convert
from tools_app.web.guarded.confine import confine, seal
from tools_app.web.guarded.connect import Connector, FetchFailed
from tools_app.web.guarded.exchange import Answer
from tools_app.web.guarded.media import Media, media_of
from tools_app.web.guarded.messages import Order, may_follow, read_order, say
from tools_app.web.guarded.own_addresses import own_addresses
from tools_app.web.guarded.redirects import NotFollowed, follow
from tools_app.web.rules import AddressRefused

READING_SECONDS: Final = 20.0
"""For turning the page into text, after it has come."""


class TooSlow(Exception):
    """The time for the network is over."""


def main() -> None:
    order = read_order()
    connector = Connector(order.rules, _tls(order.certificates), own_addresses())
    convert.warm_up()
    parse_address("http://ü.example/")  # loads the tables of names in all scripts
    confine(seconds=order.seconds + READING_SECONDS, ports=order.rules.ports)
    try:
        address, answer = _in_time(order, connector)
        seal(READING_SECONDS)
        _tell(address, answer, order)
    except (BadAddress, AddressRefused) as error:
        say("refused", message=str(error))
    except FetchFailed as error:
        say("failed", message=str(error))
    except TooSlow:
        say("failed", message=f"It took longer than {order.seconds:g} s.")
    except MemoryError:
        say("failed", message="The page takes too much memory to read.")
    except NotFollowed:
        pass


def _tls(certificates: str) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if certificates:
        context.load_verify_locations(certificates)
    return context


def _in_time(order: Order, connector: Connector) -> tuple[WebAddress, Answer]:
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, order.seconds)
    try:
        return follow(order, connector, may_follow)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    raise TooSlow


def _tell(address: WebAddress, answer: Answer, order: Order) -> None:
    fields: dict[str, Any] = {
        "url": str(address),
        "status": answer.status,
        "reason": answer.reason,
        "received": len(answer.body),
    }
    if not 200 <= answer.status < 300:
        say("page", form="error", media_type="", **fields)
        return
    media = media_of(answer)
    say("page", _body(media, answer, order, address), form=media.form, media_type=media.type, **fields)


def _body(media: Media, answer: Answer, order: Order, address: WebAddress) -> bytes:
    """A page that grows when it is converted is cut: small bytes must not become a huge text."""
    if media.form == "file":
        return answer.body
    if media.form == "other":
        return b""
    text = convert.as_text(answer.body, media.type, answer.charset, order.wanted, str(address))
    return text[: order.limit].encode("utf-8", "replace")


if __name__ == "__main__":
    main()
