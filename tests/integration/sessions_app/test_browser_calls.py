"""An agent tests a web page with the tool `browser`: its calls need permission and share one browser, and the
screenshots reach the model and people."""

import shutil
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer

import pytest

from agentsite.base.background import background
from deploy.demo_model.scripts import Step
from sessions_app.models import Session, ToolCall, Turn
from tests.support.browsed_app import Handler
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of
from tests.support.uploads import storage
from tools_app.browser.browsers import PROGRAMS, close_browser

__all__ = ["storage"]

pytestmark = [
    pytest.mark.full,
    pytest.mark.one_database,
    pytest.mark.usefixtures("storage"),
    pytest.mark.skipif(not any(map(shutil.which, PROGRAMS)), reason="no Chromium here"),
]


@pytest.fixture
def address() -> Iterator[str]:
    """Serve a small web app from this process, whose network the local sandbox shares; yield the app's address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def session(site: SessionSite) -> Iterator[Session]:
    site.settings.SANDBOX_BROWSER = True
    site.settings.MODEL_SEES = ["images"]
    session = site.open_session()
    yield session

    async def close() -> None:
        close_browser(session.public_id)

    background.run(close())


def browser(action: str, **arguments: str) -> Step:
    return calls(tool_call("browser", action=action, **arguments))


def test_a_page_is_used_over_several_calls_and_its_picture_is_seen(
    site: SessionSite, session: Session, address: str
) -> None:
    script = site.script(
        browser("open", url=f"{address}/"),
        browser("click", target='link "Next page"'),
        browser("screenshot"),
        text("It works."),
    )
    turn = site.run_prompt("Try it", session=session)

    assert turn.state == Turn.State.COMPLETED
    assert [call.state for call in site.calls(turn)] == [ToolCall.State.COMPLETED] * 3
    assert site.calls(turn)[1].output.startswith(f"The page is {address}/second (Second).")
    (file,) = snapshot_of(session.id)["calls"][2]["attachments"]
    assert (file["name"], file["width"], file["height"]) == ("screenshot.png", 1280, 720)
    offered = [tool["function"]["name"] for tool in script.requests(at_least=4)[0]["body"]["tools"]]
    assert "browser" in offered
    parts = script.requests(at_least=4)[3]["body"]["messages"][-1]["content"]
    assert [part["type"] for part in parts if part["type"] == "image_url"] == ["image_url"]


def test_a_page_elsewhere_is_asked_about_and_a_denied_action_is_refused(
    site: SessionSite, session: Session, address: str
) -> None:
    session.rules = [{"permission": "browser", "pattern": "click *", "action": "deny"}]
    session.save(update_fields=["rules"])
    site.script(
        browser("open", url=f"{address}/"),
        browser("click", target="a"),
        browser("open", url="https://example.com/"),
        text("Done."),
    )
    turn = site.run_prompt("Try it", session=session)

    assert turn.state == Turn.State.WAITING
    opened, clicked, asked = site.calls(turn)
    assert (opened.state, clicked.state) == (ToolCall.State.COMPLETED, ToolCall.State.ERROR)
    assert f"browser `click {address}/`" in clicked.output
    assert site.open_request().call == asked
    site.reply("reject")
