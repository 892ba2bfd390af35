"""The `browser` tool: open a page in a browser inside the workspace, use it, and look at it."""

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field, field_validator, model_validator

from tools_app.arguments import ToolArguments
from tools_app.attachment_types import MAX_BYTES
from tools_app.browser.addresses import BLANK, AddressRefused, PageAddress, page_address
from tools_app.browser.keys import UnknownKey, key_event
from tools_app.description import description_beside
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult

MAX_TEXT_CHARACTERS: Final = 16_000
MAX_KEYS: Final = 50
DEFAULT_WAIT_MS: Final = 5_000
MAX_WAIT_MS: Final = 30_000

Action = Literal["open", "text", "click", "type", "press", "screenshot", "console", "close"]
_WANTED: Final[Mapping[str, tuple[str, ...]]] = {
    "open": ("url",),
    "click": ("target",),
    "type": ("text",),
    "press": ("keys",),
}
_ALLOWED: Final[Mapping[str, tuple[str, ...]]] = {
    "open": ("url", "width", "height", "wait"),
    "text": ("wait",),
    "click": ("target", "wait"),
    "type": ("target", "text", "wait"),
    "press": ("keys", "wait"),
    "screenshot": ("whole", "width", "height", "wait"),
    "console": ("wait",),
    "close": (),
}


class BrowserArguments(ToolArguments):
    action: Action = Field(description="What to do.")
    url: str | None = Field(default=None, min_length=1, description="For `open`: the whole address, with http://.")
    target: str | None = Field(
        default=None,
        min_length=1,
        max_length=1_000,
        description='For `click` and `type`: a name of the outline (e5), a role with a name (button "Save"), or a CSS '
        "selector. `type` without it types where the focus is.",
    )
    text: str | None = Field(default=None, max_length=MAX_TEXT_CHARACTERS, description="For `type`: the text.")
    keys: list[str] | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_KEYS,
        description="For `press`: Enter, Tab, Escape, Space, Backspace, Delete, Up, Down, Left, Right, Home, End, "
        "PageUp, PageDown, F1 to F12 and single characters, after Ctrl-, Alt- or Shift- if needed.",
    )
    whole: bool | None = Field(default=None, description="For `screenshot`: the whole page. Default: false.")
    width: int | None = Field(default=None, ge=200, le=2560, description="Pixels of the window. Default: 1280.")
    height: int | None = Field(default=None, ge=200, le=2000, description="Pixels of the window. Default: 720.")
    wait: int | None = Field(
        default=None,
        ge=0,
        le=MAX_WAIT_MS,
        description=f"Milliseconds to wait for the page at most. Default: {DEFAULT_WAIT_MS}.",
    )

    @field_validator("keys")
    @classmethod
    def _are_known(cls, keys: list[str] | None) -> list[str] | None:
        for key in keys or ():
            try:
                key_event(key)
            except UnknownKey as error:
                raise ValueError(str(error)) from error
        return keys

    @model_validator(mode="after")
    def _fits_the_action(self) -> "BrowserArguments":
        given = {name for name in type(self).model_fields if getattr(self, name) is not None} - {"action"}
        if missing := [name for name in _WANTED.get(self.action, ()) if name not in given]:
            raise ValueError(f"`{self.action}` needs {' and '.join(f'`{name}`' for name in missing)}.")
        if extra := sorted(given - set(_ALLOWED[self.action])):
            raise ValueError(f"`{self.action}` takes no {' and no '.join(f'`{name}`' for name in extra)}.")
        if (self.width is None) != (self.height is None):
            raise ValueError("`width` and `height` belong together.")
        return self

    @property
    def seconds(self) -> float:
        return (DEFAULT_WAIT_MS if self.wait is None else self.wait) / 1000


class BrowserTool(Tool[BrowserArguments]):
    id = "browser"
    permission = "browser"
    parameters = BrowserArguments
    description = description_beside(__file__)
    timeout: float | None = 120.0
    requires = "browser"
    repeatable = False
    interrupted = "The call was interrupted, and the browser has ended. Open the page again."

    async def needs(self, args: BrowserArguments, ctx: ToolContext) -> list[PermissionNeed]:
        """Return the permissions that the action needs. The pattern is the URL for `open`, the word "close" for
        `close`, and the URL of the shown page otherwise. A page outside the container that was reached in another way
        than by `open`, such as by a link, also needs the permission `webfetch`."""
        if args.action == "open":
            return _needs(args, _address(args))
        if args.action == "close":
            return [PermissionNeed("browser", ("close",), ("close",), {"title": "Close the browser"})]
        from tools_app.browser.actions import address_for_call

        shown, known = await address_for_call(ctx)
        needs = _needs(args, shown)
        return needs[:1] if known and await ctx.judge(needs[1:]) != "deny" else needs

    async def run(self, args: BrowserArguments, ctx: ToolContext) -> ToolResult:
        from tools_app.browser.actions import run_action

        address = _address(args) if args.action == "open" else None
        return await run_action(args, address, ctx, most_bytes=MAX_BYTES["image"])


def _address(args: BrowserArguments) -> PageAddress:
    try:
        return page_address(args.url or "")
    except AddressRefused as error:
        raise ToolError(str(error)) from error


def _needs(args: BrowserArguments, address: PageAddress | None) -> list[PermissionNeed]:
    judged = address.judged if address else BLANK
    metadata: dict[str, object] = {"title": _title(args, judged), "url": judged}
    if args.action in ("type", "press"):
        typed = args.text if args.action == "type" else " ".join(f"[{key}]" for key in args.keys or ())
        metadata |= {"description": f"Typed into {args.target or 'the page'}:", "prompt": typed}
    always = (f"{args.action} {address.origin}/*",) if address else ()
    own = PermissionNeed("browser", (f"{args.action} {judged}",), always, metadata)
    if address is None or address.is_of_workspace:
        return [own]
    fetched = {"title": metadata["title"], "url": judged, "host": address.parsed.host}
    return [own, PermissionNeed("webfetch", (judged,), (f"{address.origin}/*",), fetched)]


def _title(args: BrowserArguments, address: str) -> str:
    verbs = {
        "open": "Open",
        "text": "Read",
        "click": f"Click {args.target} at",
        "type": "Type into",
        "press": "Press keys at",
        "screenshot": "Take a picture of",
        "console": "Read the console of",
    }
    return f"{verbs[args.action]} {address}"
