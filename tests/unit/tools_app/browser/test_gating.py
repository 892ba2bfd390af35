"""Permissions that calls of the tool `browser` need, and the decisions of the presets. No browser runs."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from sandbox.ports import Runtime
from tests.support.tool_context import call, make_context
from tools_app import chain, gate
from tools_app.browser import actions
from tools_app.permission import layers
from tools_app.permission.model import Layer, Rule
from tools_app.registry import catalogue, offered
from tools_app.spec import Action, OfferContext, PermissionNeed, ToolContext, ToolError

PAGE = "http://localhost:3000/cart"
ELSEWHERE = "https://example.com/docs"
PRESETS = ("cautious", "balanced", "autonomous", "contained")
CLICK = {"action": "click", "target": "e1"}


@dataclass
class ShownPage:
    """A fake page with an address."""

    url: str
    emptied: bool = False

    async def shown(self) -> tuple[str, str]:
        return self.url, "Title"

    async def blank(self) -> None:
        self.emptied = True

    def begin_action(self) -> None:
        pass


@dataclass
class OpenBrowser:
    page: ShownPage
    opened: set[str] = field(default_factory=set)
    judged: dict[str, str] = field(default_factory=dict)

    @asynccontextmanager
    async def in_use(self, _: str) -> AsyncIterator[None]:
        yield


@pytest.fixture
def ctx() -> ToolContext:
    return make_context(cast(Runtime, None))


def showing(monkeypatch: pytest.MonkeyPatch, url: str, *opened: str) -> OpenBrowser:
    browser = OpenBrowser(ShownPage(url), set(opened))
    monkeypatch.setattr(actions, "browser_of", lambda _: browser)
    return browser


async def needs_of(ctx: ToolContext, **arguments: Any) -> list[PermissionNeed]:
    return list((await chain.prepare("browser", json.dumps(arguments), ctx)).needs)


def decisions(needs: list[PermissionNeed], *limits: Rule) -> list[str]:
    layer = [Layer("team limits", limits)] if limits else []
    return [gate.judge(needs, layers.preferences(agent="build", preset=preset), layer).action for preset in PRESETS]


async def test_pages_of_the_workspace_open_unasked_except_where_everything_is_asked(ctx: ToolContext) -> None:
    needs = await needs_of(ctx, action="open", url="http://127.0.0.1:3000/cart#top")

    assert [(need.permission, need.patterns) for need in needs] == [("browser", (f"open {PAGE}",))]
    assert gate.grant_rules(needs) == (Rule("browser", "open http://localhost:3000/*", "allow"),)
    assert decisions(needs) == ["ask", "allow", "allow", "allow"]
    assert decisions(needs, Rule("browser", "* http://localhost:3000/*", "deny")) == ["deny"] * 4
    assert decisions(needs, Rule("browser", "open *", "deny")) == ["deny"] * 4


@pytest.mark.parametrize(
    "url",
    [
        ELSEWHERE,
        "http://localhost.example.com:3000/",
        "https://example.com/?q= http://localhost:3000/",
        "http://10.0.0.1/",
    ],
)
async def test_pages_elsewhere_also_need_what_webfetch_needs(ctx: ToolContext, url: str) -> None:
    needs = await needs_of(ctx, action="open", url=url)

    assert [need.permission for need in needs] == ["browser", "webfetch"]
    assert decisions(needs) == ["ask", "ask", "allow", "ask"]
    assert decisions(needs, Rule("webfetch", "*", "deny")) == ["deny"] * 4


@pytest.mark.parametrize(
    ("arguments", "preset_decisions"),
    [
        (CLICK, ["ask", "allow", "allow", "allow"]),
        ({"action": "type", "target": "e1", "text": "x"}, ["ask", "allow", "allow", "allow"]),
        ({"action": "press", "keys": ["Enter"]}, ["ask", "allow", "allow", "allow"]),
        ({"action": "text"}, ["allow"] * 4),
        ({"action": "screenshot"}, ["allow"] * 4),
        ({"action": "console"}, ["allow"] * 4),
    ],
)
async def test_actions_are_judged_at_the_address_that_is_shown(
    ctx: ToolContext, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, Any], preset_decisions: list[str]
) -> None:
    showing(monkeypatch, "http://localhost:3000/cart")
    needs = await needs_of(ctx, **arguments)
    assert [(need.permission, need.patterns) for need in needs] == [("browser", (f"{arguments['action']} {PAGE}",))]
    assert decisions(needs) == preset_decisions
    assert decisions(needs, Rule("browser", f"{arguments['action']} *", "deny")) == ["deny"] * 4

    showing(monkeypatch, ELSEWHERE)
    assert [need.permission for need in await needs_of(ctx, **arguments)] == ["browser", "webfetch"]
    assert decisions(await needs_of(ctx, **arguments))[1] == "ask"


async def test_a_page_elsewhere_that_was_opened_is_not_asked_about_again_unless_rules_deny_it(
    ctx: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    showing(monkeypatch, ELSEWHERE, "https://example.com")
    assert [need.permission for need in await needs_of(ctx, action="text")] == ["browser"]

    async def denies(needs: Any) -> Action:
        return "deny" if any(need.permission == "webfetch" for need in needs) else "allow"

    needs = await needs_of(replace(ctx, judge=denies), action="text")
    assert [need.permission for need in needs] == ["browser", "webfetch"]


async def test_what_is_typed_is_shown_to_who_decides(ctx: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    showing(monkeypatch, PAGE)
    (need,) = await needs_of(ctx, action="type", target="#name", text="Ada")
    assert (need.metadata["description"], need.metadata["prompt"]) == ("Typed into #name:", "Ada")
    (need,) = await needs_of(ctx, action="press", keys=["Ctrl-a", "Delete"])
    assert need.metadata["prompt"] == "[Ctrl-a] [Delete]"


async def test_a_call_does_not_run_on_another_page_than_it_was_judged_for(
    ctx: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = showing(monkeypatch, PAGE)
    prepared = await chain.prepare("browser", json.dumps(CLICK), ctx)
    browser.page.url = "http://localhost:3000/admin"
    with pytest.raises(ToolError, match="has changed to http://localhost:3000/admin meanwhile"):
        await chain.run(prepared, ctx)
    with pytest.raises(ToolError, match="has changed"):  # nor without having been judged
        await chain.run(prepared, ctx)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "chrome://version/", "view-source:http://localhost:3000/"])
async def test_a_page_that_led_to_a_file_is_emptied_and_not_shown(
    ctx: ToolContext, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    browser = showing(monkeypatch, url)
    with pytest.raises(ToolError, match="does not show"):
        await needs_of(ctx, action="text")
    assert browser.page.emptied


async def test_without_a_page_every_action_says_what_to_do(ctx: ToolContext) -> None:
    for arguments in (CLICK, {"action": "text"}, {"action": "screenshot"}, {"action": "console"}):
        with pytest.raises(ToolError, match="No page is open in the browser"):
            await needs_of(ctx, **arguments)
    assert (await call("browser", '{"action": "close"}', ctx)).output == "No browser was open."


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"action": "open"}, "`open` needs `url`"),
        ({"action": "open", "url": "file:///etc/passwd"}, "does not open file: addresses"),
        ({"action": "click"}, "`click` needs `target`"),
        ({"action": "click", "target": "e1", "text": "x"}, "`click` takes no `text`"),
        ({"action": "press", "keys": ["Return"]}, "There is no key 'Return'"),
        ({"action": "screenshot", "width": 300}, "`width` and `height` belong together"),
        ({"action": "screenshot", "width": 30_000, "height": 300}, "width"),
        ({"action": "evaluate"}, "action"),
    ],
)
async def test_wrong_arguments_are_told(ctx: ToolContext, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ToolError, match=words):
        await needs_of(ctx, **arguments)


async def test_an_agent_that_only_reads_opens_nothing(ctx: ToolContext) -> None:
    needs = await needs_of(ctx, action="open", url=PAGE)
    for agent in ("plan", "explore"):
        assert gate.judge(needs, layers.preferences(agent=agent), layers.limits(agent=agent)).action == "deny"


def test_it_is_offered_where_the_image_has_a_browser() -> None:
    everything = [Layer("all", [Rule("*", "*", "allow")])]
    assert "browser" not in {offer.name for offer in offered(everything)}
    has_one = OfferContext(settings={"browser": True})
    assert "browser" in {offer.name for offer in offered(everything, (), has_one)}
    denied = [Layer("none", [Rule("browser", "*", "deny")])]
    assert "browser" not in {offer.name for offer in offered(everything, denied, has_one)}
    assert not catalogue()["browser"].repeatable
