"""Previews: the preview server shows pages of a workspace's programs to people who may see them."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets
from django.test import Client
from pytest_django.fixtures import Settings

from agentsite.base.background import background
from agentsite.tenancy.actions.tokens import create_token
from agentsite.tenancy.models import AuditEntry, Membership, User
from agentsite.tenancy.roles import Role
from sandbox.ports import RunRequest
from sessions_app.models import Session, Workspace
from sessions_app.workers.preview import admission
from sessions_app.workers.preview.heads import COOKIE
from sessions_app.workers.preview.serving import PreviewServer
from sessions_app.workers.sandbox import deployment as node
from tests.support import previewed_app
from tests.support.asking import set_policy
from tests.support.builders import make_user
from tests.support.door_at_work import door_at_work
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite
from tests.support.sockets import do

__all__ = ["door_at_work"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def app_port(site: SessionSite, door_at_work: None, settings: Settings) -> int:
    """Run an app in the workspace and return its port."""
    settings.PREVIEW_URL = "http://{id}.preview.localhost:8001"
    runtime = node.runtime_of(site.workspace)
    site.write("app.py", Path(previewed_app.__file__).read_text())
    background.run(runtime.start(RunRequest("call_app", "exec python3 app.py", timeout=120)))
    waiting = RunRequest("call_wait", "until [ -e port ]; do sleep 0.05; done; cat port")
    Workspace.objects.filter(pk=site.workspace.pk).update(state="running")
    return int(background.run(runtime.run(waiting)).output)


@pytest.fixture
def session(site: SessionSite, app_port: int) -> Session:
    return site.open_session()


@dataclass
class Browser:
    """A browser at one preview. It got `cookie` in exchange for its ticket."""

    server_port: int
    host: str
    cookie: str = ""

    @property
    def headers(self) -> dict[str, str]:
        return {"Host": self.host, **({"Cookie": f"own=1; {COOKIE}={self.cookie}"} if self.cookie else {})}

    async def ask(self, path: str, *, method: str = "GET", **options: Any) -> httpx.Response:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.server_port}", timeout=30) as client:
            headers = {**self.headers, **options.pop("headers", {})}
            return await client.request(method, path, headers=headers, **options)

    async def redeem(self, address: str) -> httpx.Response:
        answer = await self.ask(httpx.URL(address).raw_path.decode())
        for cookie in answer.headers.get_list("set-cookie"):
            self.cookie = cookie.partition(";")[0].partition("=")[2]
        return answer


@asynccontextmanager
async def preview_server() -> AsyncIterator[int]:
    server = PreviewServer("http://{id}.preview.localhost:8001", "http://localhost:8000")
    listening = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    try:
        yield listening.sockets[0].getsockname()[1]
    finally:
        server.links.close()
        listening.close()


def post(person: User, session: Session, port: int, *, path: str = "/", expect: int = 201) -> Any:
    return RestApi(person)(
        "post", f"/sessions/{session.public_id}/previews", {"port": port, "path": path}, expect=expect
    )


def ports_of(person: User, session: Session) -> Any:
    return RestApi(person)("get", f"/sessions/{session.public_id}/ports")


def lowered(headers: dict[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


@asynccontextmanager
async def opened(person: User, session: Session, port: int, *, path: str = "/") -> AsyncIterator[Browser]:
    address = (await do(post, person, session, port, path=path))["url"]
    async with preview_server() as server_port:
        browser = Browser(server_port, httpx.URL(address).netloc.decode())
        answer = await browser.redeem(address)
        assert (answer.status_code, answer.headers["location"]) == (303, path)
        yield browser


async def test_ports_are_listed_and_a_ticket_opens_one_once(site: SessionSite, session: Session, app_port: int) -> None:
    listed = await do(ports_of, site.user, session)
    assert (listed["running"], listed["reason"]) == (True, "")
    assert {"port": app_port} in listed["ports"]
    address = (await do(post, site.user, session, app_port, path="/headers?a=b"))["url"]
    async with preview_server() as server_port:
        browser = Browser(server_port, httpx.URL(address).netloc.decode())
        assert (await browser.ask("/")).status_code == 404
        answer = await browser.redeem(address)
        cookie = answer.headers["set-cookie"]
        assert all(f"; {each}" in cookie for each in ("Secure", "HttpOnly", "SameSite=None", "Partitioned", "Path=/"))
        assert "Tea shop" in (await browser.ask("/")).text
        assert (await browser.redeem(address)).status_code == 404
    entries = await do(lambda: list(AuditEntry.objects.filter(action="preview.opened")))
    assert [(each.actor, each.data["port"]) for each in entries] == [(site.user.public_id, app_port)]


async def test_the_program_sees_a_browser_at_localhost_and_not_our_cookie(
    site: SessionSite, session: Session, app_port: int
) -> None:
    async with opened(site.user, session, app_port) as browser:
        own = f"http://{browser.host}"
        sent = {"Origin": own, "Referer": f"{own}/page", "X-Forwarded-Host": "evil.example"}
        seen = lowered((await browser.ask("/headers", headers=sent)).json())
        here = f"localhost:{app_port}"
        assert (seen["host"], seen["origin"], seen["referer"]) == (here, f"http://{here}", f"http://{here}/page")
        assert seen["cookie"] == "own=1"
        assert "x-forwarded-host" not in seen
        other = lowered((await browser.ask("/headers", headers={"Origin": "https://evil.example"})).json())
        assert other["origin"] == "https://evil.example"


async def test_answers_fit_the_origin_of_the_preview(site: SessionSite, session: Session, app_port: int) -> None:
    async with opened(site.user, session, app_port) as browser:
        page = await browser.ask("/")
        assert "x-frame-options" not in page.headers
        assert page.headers["content-security-policy"] == "frame-ancestors 'self' http://localhost:8000"
        assert (await browser.ask("/redirect")).headers["location"] == "/next?a=b"
        cookies = (await browser.ask("/cookies")).headers.get_list("set-cookie")
        assert cookies == ["a=1; HttpOnly; Secure; SameSite=None; Partitioned"]
        assert (await browser.ask("/silent")).status_code == 502


async def test_bodies_of_any_size_pass_whole(site: SessionSite, session: Session, app_port: int) -> None:
    sent = bytes(range(256)) * 8_192
    async with opened(site.user, session, app_port) as browser:
        answer = await browser.ask("/upload", method="POST", content=sent)
        assert answer.text == hashlib.sha256(sent).hexdigest()
        big = (await browser.ask("/big")).content
        assert big == b"".join(bytes([number]) * 65_536 for number in range(64))


async def test_a_websocket_passes(site: SessionSite, session: Session, app_port: int) -> None:
    async with opened(site.user, session, app_port) as browser:
        address = f"ws://{browser.host}/socket"
        cookies = {"Cookie": f"{COOKIE}={browser.cookie}"}
        async with websockets.connect(
            address,
            host="127.0.0.1",
            port=browser.server_port,
            additional_headers=cookies,
            compression=None,
            proxy=None,
        ) as socket:
            for text in ("first", "second"):
                await socket.send(text)
                assert await socket.recv() == text


async def test_a_cookie_is_for_its_own_preview(site: SessionSite, session: Session, app_port: int) -> None:
    async with opened(site.user, session, app_port) as browser:
        label = browser.host.partition(".")[0]
        digits = label.partition("-")[2]
        for host in (f"1-{digits}", f"{app_port}-{'0' * 32}", "x", label.replace("-", "--")):
            browser.host = f"{host}.preview.localhost:8001"
            assert (await browser.ask("/")).status_code == 404
        browser.host = f"{label}.preview.evil.example"
        assert (await browser.ask("/")).status_code == 404


async def test_a_port_without_a_program_says_so(site: SessionSite, session: Session, app_port: int) -> None:
    async with opened(site.user, session, 1) as browser:
        answer = await browser.ask("/")
        assert answer.status_code == 502
        assert "Nothing answers on port 1" in answer.text
        assert 'http-equiv="refresh"' in answer.text


async def test_viewers_strangers_and_tokens_without_the_scope_get_none(
    site: SessionSite, session: Session, app_port: int
) -> None:
    viewer, stranger = await do(site.member, Role.VIEWER), await do(make_user)
    await do(post, viewer, session, app_port, expect=403)
    await do(post, stranger, session, app_port, expect=404)
    token = await do(create_token, actor=site.user, name="t", scopes=["read", "answer", "admin"])
    answer = await do(
        Client().post,
        f"/api/v1/sessions/{session.public_id}/previews",
        {"port": app_port},
        content_type="application/json",
        headers={"Authorization": f"Bearer {token.secret}"},
    )
    assert answer.status_code == 403


async def test_a_policy_forbids_previews(site: SessionSite, session: Session, app_port: int) -> None:
    await do(set_policy, site.project, options={"sandbox": {"previews": False}})
    assert (await do(post, site.user, session, app_port, expect=403))["error"]["code"] == "previews_off"
    listed = await do(ports_of, site.user, session)
    assert (listed["ports"], listed["reason"]) == ([], "The project's policy forbids previews.")


def _lose_membership(member: User, session: Session) -> None:
    Membership.objects.filter(user=member).delete()


def _become_viewer(member: User, session: Session) -> None:
    Membership.objects.filter(user=member).update(role=Role.VIEWER)


def _lose_the_token(member: User, session: Session) -> None:
    member.api_tokens.all().delete()


def _forbid(member: User, session: Session) -> None:
    set_policy(session.project, options={"sandbox": {"previews": False}})


@pytest.mark.parametrize("change", [_lose_membership, _become_viewer, _lose_the_token, _forbid])
async def test_it_ends_with_the_rights_also_where_a_page_is_open(
    site: SessionSite, session: Session, app_port: int, monkeypatch: pytest.MonkeyPatch,
    change: Callable[[User, Session], None],
) -> None:  # fmt: skip
    monkeypatch.setattr(admission, "CHECK_EVERY", 0.0)
    member = await do(site.member)
    async with opened(member, session, app_port) as browser:
        client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{browser.server_port}", timeout=30)
        async with client, client.stream("GET", "/endless", headers=browser.headers) as endless:
            assert endless.status_code == 200
            await do(change, member, session)
            async with asyncio.timeout(60):  # it ends, whole or cut, whichever side notices first
                with suppress(httpx.HTTPError):
                    async for _ in endless.aiter_bytes():
                        pass
        assert (await browser.ask("/")).status_code == 404


async def test_it_ends_with_the_workspace(site: SessionSite, session: Session, app_port: int) -> None:
    async with opened(site.user, session, app_port) as browser:
        await do(Workspace.objects.filter(pk=site.workspace.pk).update, state="stopped")
        async with asyncio.timeout(10):
            while (answer := await browser.ask("/")).status_code == 200:
                await asyncio.sleep(0.1)
        assert answer.status_code == 503
        assert "does not run" in answer.text


def test_a_browser_session_that_ended_ends_its_previews(site: SessionSite, session: Session, app_port: int) -> None:
    from agentsite.base.preview_address import PreviewPlace
    from sessions_app.actions.previews import PreviewGrant, session_of_grant

    client = Client()
    client.force_login(site.user)
    key = client.session.session_key or ""
    place = PreviewPlace(app_port, session.workspace_id)
    grant = PreviewGrant(site.user.pk, session.pk, place, key, None)
    assert session_of_grant(grant) == (site.user, session)
    client.logout()
    assert session_of_grant(grant) is None
