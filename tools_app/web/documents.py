"""fetch_document(): fetch a text that a configuration names by its address, through a guarded process."""

from collections.abc import Sequence
from typing import Final

from tools_app.web.address import WebAddress, parse_address
from tools_app.web.fetching import FetchError, FetchOrder, Page, RedirectStopped, fetch

_TRY_ANOTHER: Final = " Try another page."  # a hint for models


async def fetch_document(url: str, *, seconds: float, allowed: Sequence[str], certificates: str) -> bytes:
    """Return the text at an address, as UTF-8. Raises FetchError with a sentence.

    Redirects are followed on the same host only, because nobody has agreed to requests to another host.
    """
    order = FetchOrder(url=url, wanted="text", seconds=seconds, allowed=allowed, certificates=certificates)
    try:
        page = await fetch(order, _is_same_host)
    except RedirectStopped as stop:
        raise FetchError(f"{url} redirects to {stop.url}, which is another host. Give that address instead.") from None
    except FetchError as error:
        raise FetchError(str(error).removesuffix(_TRY_ANOTHER)) from error
    return _text_of(page)


async def _is_same_host(from_url: str, url: str) -> bool:
    here, there = parse_address(from_url), parse_address(url)
    return _host(here) == _host(there) and (here.scheme, there.scheme) != ("https", "http")


def _host(address: WebAddress) -> tuple[str, int | None]:
    """Return the part of an address that must stay the same in a redirect: the host, and the port unless it belongs to
    the scheme."""
    return address.host, None if address.authority == address.host else address.port


def _text_of(page: Page) -> bytes:
    if page.form == "error":
        raise FetchError(f"{page.url} answered {page.status} {page.reason}".rstrip() + ".")
    if page.form != "text":
        raise FetchError(f"{page.url} is {page.media_type}, not a text.")
    return page.content
