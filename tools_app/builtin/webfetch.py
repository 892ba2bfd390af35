"""The `webfetch` tool: fetch one page of the public web."""

from typing import Literal

from pydantic import Field

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.web.address import WebAddress, parse_address
from tools_app.web.fetching import FetchError, FetchOrder, Page, RedirectStopped, fetch
from tools_app.web.rules import AddressRefused, WebRules

DEFAULT_SECONDS = 30.0
MAX_SECONDS = 120.0


class WebfetchArguments(ToolArguments):
    url: str = Field(min_length=1, description="The whole address, with http:// or https://.")
    format: Literal["markdown", "text", "html"] = Field(
        default="markdown", description="What HTML is turned into. Default: markdown."
    )
    timeout: float | None = Field(
        default=None, gt=0, description="Seconds to wait for the page. Default: 30; more than 120 means 120."
    )


class WebfetchTool(Tool[WebfetchArguments]):
    id = "webfetch"
    permission = "webfetch"
    parameters = WebfetchArguments
    description = description_beside(__file__)
    timeout = None

    async def needs(self, args: WebfetchArguments, ctx: ToolContext) -> list[PermissionNeed]:
        """Return the permission needed to fetch the address.

        An address that can never be fetched is refused here, so that no person is asked about it. Host names are not
        resolved yet.
        """
        try:
            address = parse_address(args.url)
            _rules(ctx).check(address)
        except (ValueError, AddressRefused) as error:
            raise ToolError(f"{error} Give another address.") from error
        return [_need(address)]

    async def run(self, args: WebfetchArguments, ctx: ToolContext) -> ToolResult:
        address = parse_address(args.url)
        try:
            page = await fetch(_order(address, args, ctx), lambda from_url, url: _may_follow(from_url, url, ctx))
        except RedirectStopped as stop:
            return _redirected(address, stop.url, args)
        except FetchError as error:
            raise ToolError(str(error)) from error
        if page.form == "error":
            raise ToolError(f"{page.url} answered {page.status} {page.reason}".rstrip() + ".")
        if page.form == "other":
            raise ToolError(f"{page.url} is {page.media_type}, which cannot be read as text.")
        return await _result(page, args, ctx)


def _rules(ctx: ToolContext) -> WebRules:
    return WebRules.exempting(ctx.settings.get("web_allow", ()))


def _order(address: WebAddress, args: WebfetchArguments, ctx: ToolContext) -> FetchOrder:
    return FetchOrder(
        url=str(address),
        wanted=args.format,
        seconds=min(args.timeout or DEFAULT_SECONDS, MAX_SECONDS),
        allowed=tuple(ctx.settings.get("web_allow", ())),
        certificates=ctx.settings.get("web_certificates", ""),
    )


def _need(address: WebAddress) -> PermissionNeed:
    """Return the permission needed to fetch one address. "Always" grants all pages of the same origin."""
    metadata = {"title": f"Fetch {address}", "url": str(address), "host": address.host}
    return PermissionNeed("webfetch", (str(address),), (f"{address.origin}/*",), metadata)


async def _may_follow(from_url: str, url: str, ctx: ToolContext) -> bool:
    """Return whether a redirect may be followed.

    A redirect to the same host, unless it leads from https to http, may be followed unless the rules deny it. Any other
    redirect may only be followed if the rules allow it without asking a person.
    """
    here, there = parse_address(from_url), parse_address(url)
    action = await ctx.judge([_need(there)])
    is_same = _bare(here) == _bare(there) and (here.scheme, there.scheme) != ("https", "http")
    return action == "allow" or (is_same and action != "deny")


def _bare(address: WebAddress) -> str:
    return address.host.removeprefix("www.")


def _redirected(address: WebAddress, url: str, args: WebfetchArguments) -> ToolResult:
    output = (
        f"{address} redirects to another place: {url}\n"
        "It was not followed, because the permission rules do not allow that address without a question."
        " Call webfetch with it if you want that page."
    )
    metadata = {
        "url": str(address), "final_url": url, "status": 0, "media_type": "", "bytes": 0, "format": args.format,
    }  # fmt: skip
    return ToolResult(f"Fetched {address}, which redirects", output, metadata)


async def _result(page: Page, args: WebfetchArguments, ctx: ToolContext) -> ToolResult:
    address = parse_address(args.url)
    metadata = {
        "url": str(address),
        "final_url": page.url,
        "status": page.status,
        "media_type": page.media_type,
        "bytes": page.received,
        "format": args.format,
    }
    title = f"Fetched {address}"
    if page.form == "file":
        name = parse_address(page.url).target.partition("?")[0].rpartition("/")[2] or "file"
        attachment = await ctx.files().put(name, page.media_type, page.content)
        output = f"{page.url} is attached ({page.media_type}, {page.received:,} bytes)."
        return ToolResult(title, output, metadata, (attachment,))
    moved = f"(Redirected to {page.url})\n\n" if page.url != str(address) else ""
    text = page.content.decode("utf-8", "replace")
    return ToolResult(title, f"{moved}{text}" if text.strip() else f"{moved}(The page has no text.)", metadata)
