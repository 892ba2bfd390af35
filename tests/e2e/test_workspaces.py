"""Workspaces in a real browser: usage and limits, self-check, stop and start, and the state shown in between."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.e2e.conftest import Scheme, picture
from tests.e2e.workbench import serious_findings, sign_in
from tests.support.api_client import ApiClient
from tests.support.running_site import RunningSite

NARROW: Final[ViewportSize] = {"width": 360, "height": 780}
WIDE: Final[ViewportSize] = {"width": 1440, "height": 900}
MEMORY: Final = re.compile(r"^\d+ MiB of 1 GiB$")


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    """Use the scripted site, because fewer tests use it."""
    return scripted_site


@pytest.fixture
def session(site: RunningSite) -> Iterator[str]:
    """Run a session whose agent lists the files of a new workspace; return its id."""
    with ApiClient(site.address) as client:
        session = client.open_session()
        client.wait_for_turn(session, client.prompt(session, "list the files"))
        yield session


def state(page: Page, word: str) -> None:
    expect(page.locator("main").get_by_test_id("workspace-state").first).to_have_text(word, timeout=30_000)


def press(page: Page, name: str, *, confirm: bool = False) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    if confirm:
        page.get_by_test_id("confirm").get_by_role("button", name=name, exact=True).click()


def look(page: Page, name: str, *schemes: Scheme) -> dict[str, list[str]]:
    """Return the serious findings of axe in these colour schemes, and save screenshots.

    A narrow window is tested as well: nothing may be wider than the window.
    """
    findings = {}
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        findings[f"{name} {scheme}"] = serious_findings(page)
        picture(page, name, scheme)
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert page.evaluate("document.querySelector('#main').scrollWidth") <= NARROW["width"]
    picture(page, f"{name}-narrow", schemes[-1])
    page.set_viewport_size(WIDE)
    return {where: found for where, found in findings.items() if found}


@pytest.mark.full
def test_a_workspace_shows_its_limits_and_its_check_and_is_stopped_and_started(page: Page, session: str) -> None:
    sign_in(page)
    page.goto(f"/sessions/{session}")
    expect(page.get_by_test_id("workspace-note")).to_contain_text("started")
    page.get_by_test_id("workspace-state").click()
    state(page, "Running")
    expect(page.get_by_role("meter", name="Memory")).to_have_attribute("aria-valuetext", MEMORY)
    expect(page.get_by_text("Live, updated")).to_be_visible()
    page.get_by_role("button", name=re.compile(r"\d+ checks passed")).click()
    expect(page.get_by_test_id("check-item").first).to_contain_text("Passed")
    findings = look(page, "workspace", "light", "dark")
    press(page, "Stop", confirm=True)
    state(page, "Stopped")
    press(page, "Start")
    state(page, "Running")
    expect(page.get_by_text("Live, updated")).to_be_visible()
    press(page, "Delete", confirm=True)
    banner = page.get_by_test_id("removal")
    expect(banner).to_contain_text("Its files are kept until then")
    findings |= look(page, "workspace-removing", "dark")
    banner.get_by_role("button", name="Cancel deletion").click()
    state(page, "Stopped")
    page.get_by_role("link", name="Workspaces", exact=True).click()
    expect(page.get_by_test_id("workspace").first).to_be_visible()
    findings |= look(page, "workspaces", "dark", "light")
    page.goto(f"/sessions/{session}")
    notes = page.get_by_test_id("workspace-note")
    expect(notes.filter(has_text="stopped the workspace")).to_be_visible()
    expect(notes.filter(has=page.get_by_role("link"))).to_contain_text("Will be deleted")
    findings |= look(page, "workspace-notes", "light")
    assert findings == {}
