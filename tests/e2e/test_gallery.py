"""The gallery page for developers shows each shared component of the interface in all of its states."""

import subprocess
from collections.abc import Iterator
from typing import Final

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PATIENCE, picture
from tests.e2e.workbench import findings, press_on
from tests.support.deadline import wait_until
from tests.support.running_site import REPOSITORY, free_port

pytestmark = pytest.mark.full  # of the components themselves, the interface's unit tests

SCHEMES: Final = ("light", "dark")


@pytest.fixture(scope="module")
def gallery() -> Iterator[str]:
    """Serve the gallery page of user interface components with Vite, and yield its address."""
    port = free_port()
    address = f"http://127.0.0.1:{port}/_ui"
    vite = ["deploy/bin/with-node", "node", "frontend/node_modules/vite/bin/vite.js", "frontend"]
    place = ["--host", "127.0.0.1", "--port", str(port), "--strictPort"]
    server = subprocess.Popen([*vite, *place], cwd=REPOSITORY, stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: answers(address), "the page of components")
        yield address
    finally:
        server.terminate()
        server.wait()


def answers(address: str) -> bool:
    try:
        return httpx.get(address).is_success
    except httpx.TransportError:
        return False


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def test_each_component_is_shown_in_both_schemes_without_faults(page: Page, gallery: str) -> None:
    page.goto(gallery)
    for scheme in SCHEMES:
        expect(page.get_by_role("region", name=scheme, exact=True)).to_be_visible()
    assert page.locator("[data-sample]").count() >= 2 * 10
    assert findings(page) == []
    page.set_viewport_size({"width": 1440, "height": 2400})
    picture(page, "components", "light")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_menu_dialog_and_tip_work_by_keyboard(page: Page, gallery: str, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(gallery)
    button = page.get_by_role("button", name=f"Menu, {scheme}")
    press_on(page, button)
    expect(page.get_by_role("menuitemradio", name="First of two")).to_be_focused()
    picture(page, "components-menu", "dark" if scheme == "dark" else "light")
    # an open list is at the end of the page, in no part of it
    assert [found for found in findings(page) if found["id"] != "region"] == []
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    own = page.get_by_role("region", name=scheme, exact=True)
    press_on(page, own.get_by_role("button", name="Delete…"))
    expect(page.get_by_role("dialog", name="Delete this?")).to_be_visible()
    assert findings(page) == []
    page.keyboard.press("Escape")
    expect(own.get_by_role("button", name="Delete…")).to_be_focused()
    own.get_by_role("tab", name="One").focus()
    page.keyboard.press("ArrowRight")
    expect(own.get_by_role("tabpanel")).to_contain_text("tab two")
    own.get_by_role("button", name="Link", exact=True).focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("tooltip", name="Only an icon")).to_be_visible()
