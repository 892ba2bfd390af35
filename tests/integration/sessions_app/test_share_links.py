"""Share links: the content that they show, the people who may use them, and their end."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.conf import settings
from django.test import Client
from django.utils import timezone

from agentsite.base.errors import BadInput, NotAllowed, Stale
from agentsite.tenancy.models import AuditEntry
from agentsite.tenancy.roles import Role
from sessions_app.actions.audience import set_audience
from sessions_app.actions.prompts import submit_prompt
from sessions_app.actions.sharing import IssuedLink, create_share_link, revoke_share_link
from sessions_app.models import Session, ShareLink
from sessions_app.transport.rest import shared
from sessions_app.transport.stream_limits import OpenStreams
from tests.support.builders import browser_of, make_member, make_team
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, open_child_session
from tests.support.sockets import do
from tests.support.uploads import attach, storage
from tools_app.policies.actions import save_policy
from tools_app.policies.documents import Options, PolicyDocument
from tools_app.policies.scopes import PolicyScope

__all__ = ["storage"]

HUSHED = ("hush-output", "ann@example.org", "bob@example.org", "sk-abcdefgh", "Ann Other", "wsp_")


def allow_public(site: SessionSite, *, allowed: bool = True, version: int = 0) -> None:
    document = PolicyDocument(options=Options(public_share_links=allowed))
    save_policy(actor=site.user, place=PolicyScope("team", site.team), document=document, base_version=version)


def public_link(site: SessionSite, session: Session, **options: Any) -> IssuedLink:
    allow_public(site)
    return create_share_link(actor=site.user, session=session, reach="public", **options)


def read(link: IssuedLink, browser: Client | None = None) -> Any:
    return (browser or Client()).get(f"/api/v1/shared/{link.secret}")


def talked(site: SessionSite) -> Session:
    """Return a session after a turn with a tool call, whose arguments and output must not be visible through a share
    link."""
    site.script(
        calls(tool_call("bash", command="echo hush-output")), text("Write to ann@example.org. Key sk-abcdefgh12345678.")
    )
    session = site.open_session("Tea of bob@example.org", allow=("bash",))
    site.user.name = "Ann Other"
    site.user.save()
    site.run_prompt("What is tea?", session=session)
    return session


def test_anybody_reads_with_a_public_link_what_was_said_and_nothing_else(site: SessionSite) -> None:
    link = public_link(site, talked(site))
    answer = read(link)
    shown = answer.content.decode()
    assert answer.status_code == 200
    assert [message["role"] for message in answer.json()["messages"]] == ["user", "assistant", "assistant"]
    assert "What is tea?" in shown
    assert not [word for word in (*HUSHED, site.user.email, site.project.name) if word in shown]


def test_names_are_shown_when_whoever_made_the_link_says_so(site: SessionSite) -> None:
    link = public_link(site, talked(site), show_names=True)
    assert read(link).json()["messages"][0]["author"] == "Ann Other"


def test_what_is_read_with_a_link_is_not_kept_listed_or_told(site: SessionSite) -> None:
    answer = read(public_link(site, site.open_session()))
    assert answer.headers["X-Robots-Tag"].startswith("noindex")
    assert (answer.headers["Referrer-Policy"], answer.headers["Cache-Control"]) == ("no-referrer", "no-store")
    page = Client().get("/shared/whatever")
    assert page.headers["X-Robots-Tag"].startswith("noindex")
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert not page.cookies


def test_there_are_no_public_links_unless_the_policy_allows_them(site: SessionSite) -> None:
    with pytest.raises(NotAllowed):
        create_share_link(actor=site.user, session=site.open_session(), reach="public")


def test_a_policy_that_takes_them_back_closes_those_there_are(site: SessionSite) -> None:
    link = public_link(site, site.open_session())
    allow_public(site, allowed=False, version=1)
    assert read(link).status_code == 404


def test_a_link_for_the_team_serves_its_members_alone(site: SessionSite) -> None:
    link = create_share_link(actor=site.user, session=site.open_session(), reach="team")
    assert read(link).status_code == 401
    assert read(link, browser_of(site.member(Role.VIEWER))).status_code == 200
    assert read(link, browser_of(make_member(make_team(), Role.OWNER))).status_code == 404


def test_only_the_starter_makes_links_to_a_private_session(site: SessionSite) -> None:
    session, guest = site.open_session(), site.member()
    set_audience(actor=site.user, session=session, shared_with="private", people=[guest.public_id])
    with pytest.raises(NotAllowed):
        create_share_link(actor=guest, session=session, reach="team")
    link = create_share_link(actor=site.user, session=session, reach="team")
    assert read(link, browser_of(site.member())).status_code == 200


@pytest.mark.parametrize("reach", ["team", "public"])
def test_links_from_before_open_nothing_of_a_session_that_is_private_now(site: SessionSite, reach: str) -> None:
    allow_public(site)
    session, colleague = site.open_session(), site.member()
    link = create_share_link(actor=colleague, session=session, reach=reach)
    own = create_share_link(actor=site.user, session=session, reach=reach)
    assert read(link, browser_of(colleague)).status_code == 200
    set_audience(actor=site.user, session=session, shared_with="private")
    assert read(link, browser_of(colleague)).status_code == 404
    assert read(own, browser_of(colleague)).status_code == 404
    set_audience(actor=site.user, session=session, shared_with="team")
    assert read(link, browser_of(colleague)).status_code == 404
    assert AuditEntry.objects.filter(action="share_link.revoked").count() == 2


@pytest.mark.parametrize("when", ["2027-01-01T00:00:00", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"])
def test_a_link_ends_at_a_time_that_there_is(site: SessionSite, when: str) -> None:
    path = f"/api/v1/sessions/{site.open_session().public_id}/share-links"
    answer = browser_of(site.user).post(path, {"expires_at": when}, content_type="application/json")
    assert answer.status_code == 400


def test_who_may_not_share_makes_no_links(site: SessionSite) -> None:
    with pytest.raises(NotAllowed):
        create_share_link(actor=site.member(Role.VIEWER), session=site.open_session(), reach="team")


def test_a_link_ends_with_its_time_and_when_it_is_revoked(site: SessionSite) -> None:
    session = site.open_session()
    link = public_link(site, session, expires_at=timezone.now() + timedelta(hours=1))
    ShareLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert read(link).status_code == 404
    other = create_share_link(actor=site.user, session=session, reach="public")
    revoke_share_link(actor=site.user, link=other.link)
    assert read(other).status_code == 404
    with pytest.raises(Stale):
        revoke_share_link(actor=site.user, link=other.link)
    with pytest.raises(BadInput):
        create_share_link(actor=site.user, session=session, reach="team", expires_at=timezone.now())


def test_the_secret_is_kept_as_a_hash_and_each_step_is_recorded(site: SessionSite) -> None:
    link = public_link(site, site.open_session())
    revoke_share_link(actor=site.user, link=link.link)
    assert link.secret not in str(list(ShareLink.objects.values()))
    actions = list(AuditEntry.objects.filter(subject=link.link.public_id).values_list("action", flat=True))
    assert actions == ["share_link.created", "share_link.revoked"]
    assert link.secret not in str(list(AuditEntry.objects.values()))


def test_others_revoke_it_when_they_run_the_team(site: SessionSite) -> None:
    link = create_share_link(actor=site.user, session=site.open_session(), reach="team")
    path = f"/api/v1/share-links/{link.link.public_id}"
    assert browser_of(site.member()).delete(path).status_code == 403
    assert browser_of(site.member(Role.ADMIN)).delete(path).status_code == 204


def test_admins_see_links_of_private_sessions_without_their_titles(site: SessionSite) -> None:
    session = site.open_session("saffron")
    set_audience(actor=site.user, session=session, shared_with="private")
    create_share_link(actor=site.user, session=session, reach="team")
    path = f"/api/v1/teams/{site.team.public_id}/share-links"
    (item,) = browser_of(site.member(Role.ADMIN)).get(path).json()["items"]
    assert (item["session_id"], item["session_title"]) == (session.public_id, "")


def test_a_file_is_there_only_when_a_prompt_shows_it(site: SessionSite, storage: Any) -> None:
    session = site.open_session()
    shown, hidden = attach(site, session, "shown.txt", b"shown"), attach(site, session, "hidden.txt", b"hidden")
    site.script(text("Thanks."))
    submit_prompt(actor=site.user, session=session, text="Look.", attachments=[shown.public_id])
    link = public_link(site, session)
    path = f"/api/v1/shared/{link.secret}/attachments"
    answer = Client().get(f"{path}/{shown.public_id}")
    assert (answer.status_code, answer.content) == (200, b"shown")
    assert "attachment" in answer.headers["Content-Disposition"]
    assert Client().get(f"{path}/{hidden.public_id}").status_code == 404


def test_a_sub_agents_session_has_no_links(site: SessionSite) -> None:
    child = open_child_session(actor=site.user, parent=site.open_session(), agent="general")
    with pytest.raises(BadInput):
        create_share_link(actor=site.user, session=child, reach="team")


@pytest.mark.parametrize("secret", ["x", "%00", "%ED%A0%80", "a" * 5000, "%F0%9F%8D%B5"])
def test_what_is_no_secret_opens_nothing(transactional_db: None, secret: str) -> None:
    assert Client().get(f"/api/v1/shared/{secret}").status_code == 404


def test_the_link_over_rest_shows_its_secret_once(site: SessionSite) -> None:
    session = site.open_session()
    browser, path = browser_of(site.user), f"/api/v1/sessions/{session.public_id}/share-links"
    made = browser.post(path, {"reach": "team"}, content_type="application/json").json()
    assert made["path"] == f"/shared/{made['secret']}"
    listed = browser.get(path).content.decode()
    assert made["id"] in listed
    assert made["secret"] not in listed


async def follow_link(link: IssuedLink, *headers: tuple[bytes, bytes]) -> Any:
    """Open the stream of a share link, and wait for its first event."""
    stream = await begin_stream(link, *headers)
    assert (await stream.receive_output(10))["status"] == 200
    assert b"changed" in (await stream.receive_output(10))["body"]
    return stream


async def begin_stream(link: IssuedLink, *headers: tuple[bytes, bytes]) -> Any:
    from agentsite.asgi import application

    path = f"/api/v1/shared/{link.secret}/events"
    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [(b"host", b"localhost"), *headers], "server": ("localhost", 80), "client": ("127.0.0.1", 1),
        "scheme": "http", "http_version": "1.1", "root_path": "", "asgi": {"version": "3.0"},
    }  # fmt: skip
    stream: Any = ApplicationCommunicator(application, scope)  # type: ignore[no-untyped-call]
    await stream.send_input({"type": "http.request", "body": b""})
    return stream


async def test_the_stream_of_a_link_for_the_team_ends_with_signing_out(site: SessionSite) -> None:
    link = await do(create_share_link, actor=site.user, session=await do(site.open_session), reach="team")
    browser = await do(browser_of, site.user)
    cookie = browser.cookies[settings.SESSION_COOKIE_NAME].value
    stream = await follow_link(link, (b"cookie", f"{settings.SESSION_COOKIE_NAME}={cookie}".encode()))
    await do(browser.logout)
    async with asyncio.timeout(10):
        while (await stream.receive_output(10)).get("more_body"):
            pass


async def test_the_stream_of_a_revoked_link_ends_at_once(site: SessionSite) -> None:
    session = await do(site.open_session)
    link = await do(public_link, site, session)
    stream = await follow_link(link)
    began = asyncio.get_running_loop().time()
    await do(revoke_share_link, actor=site.user, link=link.link)
    while (await stream.receive_output(10)).get("more_body"):
        pass
    assert asyncio.get_running_loop().time() - began < 5.0  # the check that waits for no news takes 10


async def test_an_address_has_so_many_streams_open_at_once(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "STREAMS", OpenStreams(most=2))
    session = await do(site.open_session)
    link = await do(public_link, site, session)
    open_streams = [await follow_link(link), await follow_link(link)]
    refused = await begin_stream(link)
    assert (await refused.receive_output(10))["status"] == 429
    assert b"too_many_streams" in (await refused.receive_output(10))["body"]

    await open_streams[0].send_input({"type": "http.disconnect"})
    await open_streams[0].wait(10)
    await follow_link(link)
