"""The tab Preview of a session in a real browser: a page with a WebSocket, and a page that tries to reach the site."""

import json
import time
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.test_terminals import allow_terminals, run
from tests.e2e.workbench import open_fresh_session, say, serious_findings, sign_in, turn_end
from tests.support import previewed_app, vite_app
from tests.support.api_client import ApiClient
from tests.support.running_site import RunningSite

PORT = 8000


@pytest.fixture
def app(page: Page, site: RunningSite) -> Page:
    """Open a session, start an app at PORT in its terminal, and show its preview."""
    sign_in(page)
    session = open_fresh_session(page).rsplit("/", 1)[1]
    say(page, "List the files")
    turn_end(page, "completed")
    allow_terminals(page, session)
    token = next(cookie["value"] for cookie in page.context.cookies() if cookie["name"].endswith("csrftoken"))
    content = {"path": "app.py", "text": Path(previewed_app.__file__).read_text(), "seen_sha256": None}
    address = f"/api/v1/sessions/{session}/files/content"
    assert page.request.put(address, data=content, headers={"X-CSRFToken": token}).ok
    page.get_by_role("tab", name="Preview").click()
    expect(page.get_by_text("No program of the workspace listens on a port.")).to_be_visible()
    page.get_by_role("tab", name="Terminal").click()
    page.get_by_role("button", name="New terminal").click()
    expect(page.locator(".xterm-rows")).to_contain_text("$", timeout=30_000)
    run(page, f"python3 app.py {PORT}")
    page.get_by_role("tab", name="Preview").click()
    page.get_by_role("button", name=f"Port {PORT}").click()
    return page


def shown(page: Page) -> FrameLocator:
    return page.frame_locator(f'iframe[title="Preview of port {PORT}"]')


@pytest.mark.full
@pytest.mark.refusal("Framing 'http://127.0.0.1:")
def test_a_page_its_socket_and_what_it_cannot_reach(app: Page, site: RunningSite) -> None:
    expect(shown(app).get_by_role("heading", name="Tea shop")).to_be_visible()
    expect(shown(app).locator("#news")).to_have_text("news: changed")
    assert serious_findings(app) == []

    with app.context.expect_page() as opening:
        app.get_by_role("button", name="Open in a tab").click()
    tab = opening.value
    expect(tab.locator("#news")).to_have_text("news: changed")
    assert tab.evaluate("() => window.opener") is None
    address = tab.url
    tab.close()

    path = app.get_by_label("Path of the page")
    path.fill(f"/evil?site={app.url.split('/sessions/')[0]}")
    path.press("Enter")
    done = shown(app).locator("#done")
    expect(done).to_contain_text("{", timeout=30_000)
    assert json.loads(done.text_content() or "") == {
        "cookie": "",
        "parent": "refused: SecurityError",
        "storage": "refused: SecurityError",
        "navigate": "refused: SecurityError",
        "api": "refused: TypeError",
        "blind": "refused: TypeError",
        "script": "refused",
        "socket": "refused",
    }
    expect(app.get_by_role("tab", name="Preview")).to_be_visible()  # nothing has replaced the page
    framed = next(frame for frame in app.frames if frame.parent_frame and frame.parent_frame.parent_frame)
    assert framed.locator("form").count() == 0  # the site is not in a frame of the preview

    browser = app.context.browser
    assert browser
    stranger = browser.new_page()
    answer = stranger.goto(address)
    assert answer
    assert answer.status == 404
    expect(stranger.get_by_role("heading", name="There is no preview here")).to_be_visible()
    stranger.close()


@pytest.mark.full
@both_schemes
def test_how_it_looks(app: Page, scheme: Scheme) -> None:
    expect(shown(app).get_by_role("heading", name="Tea shop")).to_be_visible()
    for name, width in (("wide", 1440), ("phone", 390)):
        app.set_viewport_size({"width": width, "height": 844})
        if not app.locator(".preview-frame").is_visible():
            app.get_by_role("button", name="Diff, files and details").click()
        expect(app.locator(".preview-frame")).to_be_visible()
        picture(app, f"preview-{name}", scheme)


def change(client: ApiClient, session: str, path: str, text: str) -> None:
    """Replace a file of the workspace, as a person does in the tab Files."""
    address = f"/api/v1/sessions/{session}/files/content"
    seen = client.get(f"{address}?path={path}")["sha256"]
    body = {"path": path, "text": text, "seen_sha256": seen}
    client.http.put(address, json=body).raise_for_status()


@pytest.mark.full
def test_vite_replaces_modules_without_loading_the_page_again(page: Page, client: ApiClient, tmp_path: Path) -> None:
    team = client.site.me().teams[0].id
    project = client.site.upload_project(team, "Vite", vite_app.pack_vite_app(tmp_path / "vite.zip"))
    session = client.site.start_session(project.id, new_workspace=True).id
    sign_in(page)
    page.goto(f"/sessions/{session}")
    allow_terminals(page, session)
    page.get_by_role("tab", name="Terminal").click()
    page.get_by_role("button", name="New terminal").click()
    expect(page.locator(".xterm-rows")).to_contain_text("$", timeout=60_000)
    run(page, vite_app.START)
    page.get_by_role("tab", name="Preview").click()
    page.get_by_role("button", name=f"Port {vite_app.PORT}").click()
    app = page.frame_locator(f'iframe[title="Preview of port {vite_app.PORT}"]')
    heading, button = app.get_by_role("heading"), app.get_by_role("button")
    expect(heading).to_have_text("Green tea")
    button.click()
    expect(button).to_have_text("Cups: 1")

    began = time.monotonic()
    change(client, session, "tea.js", vite_app.TEA.format("Black tea"))
    expect(heading).to_have_text("Black tea")
    print(json.dumps({"hot_update_ms": round((time.monotonic() - began) * 1000)}))
    change(client, session, "style.css", vite_app.STYLE.format("rgb(90, 40, 10)"))
    expect(heading).to_have_css("color", "rgb(90, 40, 10)")
    expect(button).to_have_text("Cups: 1")  # the page is the same one
    expect(app.locator("vite-error-overlay")).to_have_count(0)
