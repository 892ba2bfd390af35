"""A page is fetched only if people or rules allow it, and redirects are followed only to allowed pages."""

from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from agentsite.base.background import background
from sessions_app.actions.permissions import reply_permission
from sessions_app.models import PermissionRequest
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tests.support.web_server import WebServer, page, serving

pytestmark = pytest.mark.one_database


@pytest.fixture
def servers(site: SessionSite) -> Iterator[tuple[WebServer, WebServer]]:
    """Run two servers that `webfetch` may reach because the setting WEB_ALLOW exempts them; the first one redirects to
    the second."""
    stack = AsyncExitStack()

    async def start() -> tuple[WebServer, WebServer]:
        there = await stack.enter_async_context(serving({"/": page("over there", "text/plain")}))
        elsewhere = page("", status="302 Found", Location=f"http://localhost:{there.port}/")
        pages = {"/": page("right here", "text/plain"), "/go": elsewhere}
        return await stack.enter_async_context(serving(pages)), there

    here, there = background.run(start())
    site.settings.WEB_ALLOW = [here.place, f"localhost:{there.port}"]
    yield here, there
    background.run(stack.aclose())


def test_a_person_is_asked_about_the_address_and_then_it_is_fetched(
    site: SessionSite, servers: tuple[WebServer, WebServer]
) -> None:
    here, _ = servers
    site.script(calls(tool_call("webfetch", url=f"http://{here.place}")), text("Done."))
    turn = site.run_prompt()
    request = PermissionRequest.objects.get(call=site.calls(turn)[0])
    assert [(need["permission"], need["patterns"]) for need in request.needs] == [
        ("webfetch", [f"http://{here.place}/"])
    ]
    assert here.asked == []
    reply_permission(actor=site.user, request=request, reply="once")
    site.pump.run()
    assert (site.calls(turn)[0].state, site.calls(turn)[0].output) == ("completed", "right here")


@pytest.mark.parametrize("allowed", [False, True])
def test_a_redirect_is_followed_to_another_host_where_the_rules_allow_that_too(
    allowed: bool, site: SessionSite, servers: tuple[WebServer, WebServer]
) -> None:
    here, there = servers
    site.script(calls(tool_call("webfetch", url=f"http://{here.place}/go")), text("Done."))
    session = site.open_session()
    hosts = [here.place, f"localhost:{there.port}"] if allowed else [here.place]
    session.rules = [{"permission": "webfetch", "pattern": f"http://{host}/*", "action": "allow"} for host in hosts]
    session.save(update_fields=["rules"])
    call = site.calls(site.run_prompt(session=session))[0]
    assert call.state == "completed"
    assert ("over there" in call.output) is allowed
    assert (there.asked == ["/"]) is allowed
    assert call.metadata["final_url"] == f"http://localhost:{there.port}/"
