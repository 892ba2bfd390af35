"""Sign-in at MCP servers with OAuth, with a real authorization server and a real MCP server over HTTP."""

import io
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.utils import timezone

from agentsite.base.errors import NotAllowed
from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.models import AuditEntry, User
from agentsite.tenancy.roles import Role
from sessions_app.actions.permissions import reply_permission
from sessions_app.actions.prompts import submit_prompt
from sessions_app.mcp.actions import change_server, create_server
from sessions_app.mcp.places import ServerPlace
from sessions_app.mcp.rules import ServerSettings
from sessions_app.models import McpAccount, McpRevocation, McpServer, McpSignIn, ToolCall, Turn
from tests.support.deadline import wait_until
from tests.support.door_at_work import door_at_work
from tests.support.model_server import calls, text, tool_call
from tests.support.oauth_site import NotesBrowser, NotesSite, notes_site
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite
from tests.support.warm_processes import warm_processes
from tools_app.mcp.oauth.orders import OAuthState

__all__ = ["door_at_work", "warm_processes"]
CANARY = "canary-"


@pytest.fixture(scope="module")
def running_notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NotesSite]:
    with notes_site(Path(tmp_path_factory.mktemp("notes"))) as running:
        yield running


@pytest.fixture
def notes(site: SessionSite, door_at_work: None, warm_processes: None, running_notes: NotesSite) -> NotesSite:
    site.settings.NETWORK_ALLOW = running_notes.places
    running_notes.facts(delay=0, iss=f"http://127.0.0.1:{running_notes.port}/")
    return running_notes


@pytest.fixture
def server(site: SessionSite, notes: NotesSite) -> McpServer:
    """Add the MCP server and check it once, so that the site knows that it needs a sign-in."""
    place = ServerPlace(site.team)
    row = create_server(actor=site.user, place=place, name="notes", kind="remote", wanted=ServerSettings(url=notes.url))
    RestApi(site.user)("post", f"/mcp-servers/{row.public_id}/check", {})
    row.refresh_from_db()
    return row


def sign_in(
    site: SessionSite, notes: NotesSite, server: McpServer, who: str = "ada", user: User | None = None
) -> NotesBrowser:
    browser = NotesBrowser(user or site.user)
    answer = browser.sign_in(notes, server.public_id, who)
    assert answer.status_code == 302, answer.content
    assert answer.headers["location"].endswith(f"/mcp-servers/{server.public_id}")
    assert browser.server(server.public_id)["sign_in_problem"] == ""
    wait_until(lambda: McpServer.objects.get(pk=server.pk).seen, "the tools were listed", seconds=60)
    return browser


def call_tool(site: SessionSite, tool: str) -> ToolCall:
    site.script(calls(tool_call(f"notes_{tool}")), text("Done."))
    turn = site.run_prompt(session=site.open_session(allow=("notes_*",)))
    (call,) = site.calls(turn)
    return call


def test_a_server_that_wants_a_sign_in_says_so_until_a_person_has_signed_in(
    site: SessionSite, notes: NotesSite, server: McpServer
) -> None:
    before = NotesBrowser(site.user).server(server.public_id)
    assert (before["status"], before["problem"], before["asks_sign_in"]) == ("sign_in", "You have to sign in.", True)
    shown = sign_in(site, notes, server).server(server.public_id)
    assert (shown["status"], shown["problem"], shown["sign_in_problem"]) == ("connected", "", "")
    assert shown["account"]["scopes"] == ["notes"]
    assert shown["account"]["issuer"].rstrip("/") == f"http://127.0.0.1:{notes.port}"
    assert notes.facts()["resources"][-1] == notes.url
    call = call_tool(site, "whoami")
    assert (call.state, call.output) == (ToolCall.State.COMPLETED, "These are the notes of ada.")
    (entry,) = AuditEntry.objects.filter(action="mcp_server.signed_in")
    assert (entry.actor, entry.data) == (site.user.public_id, {"name": "notes", "account": "person"})
    assert CANARY not in McpAccount.objects.get().sealed


def test_two_people_with_two_accounts_get_their_own_data_in_one_session(
    site: SessionSite, notes: NotesSite, server: McpServer
) -> None:
    """Two people with two accounts get their own data in one session. A call uses the account of the person whose turn
    it belongs to, not the account of the last person who signed in."""
    other = site.member()
    sign_in(site, notes, server, "ada")
    sign_in(site, notes, server, "bob", other)
    session = site.open_session(allow=("notes_*",))
    for actor, owner in ((site.user, "ada"), (other, "bob"), (site.user, "ada")):
        site.script(calls(tool_call("notes_whoami")), text("Done."))
        turn = submit_prompt(actor=actor, session=session, text="Whose?")[0]
        site.pump.run()
        assert [call.output for call in site.calls(turn)] == [f"These are the notes of {owner}."]


def test_a_call_of_somebody_who_is_not_signed_in_says_where_to_sign_in(
    site: SessionSite, notes: NotesSite, server: McpServer
) -> None:
    other = site.member()
    sign_in(site, notes, server, "bob", other)
    call = call_tool(site, "whoami")  # of the owner, who has no account
    assert call.state == ToolCall.State.ERROR
    assert "needs a sign-in. The call was not made." in call.output
    assert f"{site.settings.SITE_URL}/mcp-servers/{server.public_id}" in call.output
    assert call.metadata["mcp"]["sign_in"] == server.public_id


def turn_that_somebody_joined(site: SessionSite, *, allow: tuple[str, ...] = ()) -> Turn:
    """Run a turn of the owner with a call to the server. Another person prompts while the call waits for permission;
    then the owner allows the call."""
    site.script(calls(tool_call("notes_whoami")), text("Done."))
    session = site.open_session(allow=allow)
    turn = site.prompt(session)
    site.pump.run()
    assert [need["permission"] for need in site.open_request().needs] == ["notes_whoami"]
    submit_prompt(actor=site.member(), session=session, text="And read me the notes.")
    site.reply("once")
    site.pump.run()
    return turn


def test_an_account_is_not_used_for_somebody_who_joined_the_turn_without_its_persons_yes(
    site: SessionSite, notes: NotesSite, server: McpServer
) -> None:
    sign_in(site, notes, server)
    turn = turn_that_somebody_joined(site)
    request = site.open_request()
    assert "mcp_account" in [need["permission"] for need in request.needs]
    with pytest.raises(NotAllowed, match=r"Only .* can allow this: the call would use their account at notes"):
        reply_permission(actor=site.member(Role.ADMIN), request=request, reply="once")
    site.reply("once", request=request)
    site.pump.run()
    assert site.calls(turn)[0].output == "These are the notes of ada."


def test_no_rule_replaces_the_yes_of_the_person(site: SessionSite, notes: NotesSite, server: McpServer) -> None:
    sign_in(site, notes, server)
    turn = turn_that_somebody_joined(site, allow=("mcp_account",))
    call = site.calls(turn)[0]
    assert (call.state, "has not agreed to this call" in call.output) == (ToolCall.State.ERROR, True)


def test_signing_out_refuses_the_next_call_and_ends_the_tokens_at_the_server(
    site: SessionSite, notes: NotesSite, server: McpServer
) -> None:
    before = notes.facts()
    browser = sign_in(site, notes, server)
    assert notes.facts()["access"] > before["access"]
    answer = browser.client.post(f"/api/v1/mcp-servers/{server.public_id}/sign-out", content_type="application/json")
    assert answer.status_code == 204
    assert "needs a sign-in" in call_tool(site, "whoami").output
    wait_until(lambda: not McpRevocation.objects.exists(), "the tokens were revoked", seconds=60)
    assert notes.facts()["access"] == before["access"]
    assert AuditEntry.objects.filter(action="mcp_server.signed_out", actor=site.user.public_id).count() == 1
    again = browser.client.post(f"/api/v1/mcp-servers/{server.public_id}/sign-out", content_type="application/json")
    assert again.status_code == 404


def test_a_token_that_ends_is_renewed_once_for_many_calls_and_the_new_one_is_kept(
    site: SessionSite, notes: NotesSite, server: McpServer
) -> None:
    sign_in(site, notes, server)
    make_it_end()
    before = notes.facts(delay=1)
    script = calls(*(tool_call("notes_whoami") for _ in range(3)))
    site.script(script, text("Done."))
    turn = site.run_prompt(session=site.open_session(allow=("notes_*",)))
    assert {call.output for call in site.calls(turn)} == {"These are the notes of ada."}
    after = notes.facts()
    assert (after["refreshed"] - before["refreshed"], after["reused"]) == (1, before["reused"])
    assert McpAccount.objects.get().refreshing_until is None
    make_it_end()
    assert call_tool(site, "whoami").output == "These are the notes of ada."
    assert notes.facts()["reused"] == before["reused"]


def test_a_token_that_the_server_ended_early_is_renewed_and_the_call_is_made_once(
    site: SessionSite, notes: NotesSite, server: McpServer
) -> None:
    sign_in(site, notes, server)
    notes.facts(end="access")
    assert call_tool(site, "whoami").output == "These are the notes of ada."
    notes.facts(end="all")
    call = call_tool(site, "whoami")
    assert "needs a new sign-in" in call.output
    shown = NotesBrowser(site.user).server(server.public_id)
    assert (shown["status"], shown["problem"][:26]) == ("sign_in", "It needs a new sign-in: th")
    sign_in(site, notes, server)
    assert call_tool(site, "whoami").output == "These are the notes of ada."


def test_a_refresh_whose_process_died_is_made_by_the_next_one(
    site: SessionSite, notes: NotesSite, server: McpServer
) -> None:
    sign_in(site, notes, server)
    make_it_end()
    McpAccount.objects.update(refreshing_until=timezone.now() + timedelta(seconds=2))
    assert call_tool(site, "whoami").output == "These are the notes of ada."


def test_scopes_that_a_server_asks_for_later_are_given_by_signing_in_again(
    site: SessionSite, notes: NotesSite, server: McpServer
) -> None:
    browser = sign_in(site, notes, server)
    call = call_tool(site, "secrets_of_admins")
    assert "needs more permissions than the sign-in gave (notes admin): sign in again" in call.output
    assert call.metadata["mcp"]["sign_in"] == server.public_id
    shown = browser.server(server.public_id)
    assert (shown["status"], shown["account"]["wanted"]) == ("connected", ["notes", "admin"])
    assert call_tool(site, "whoami").output == "These are the notes of ada."
    sign_in(site, notes, server)
    assert browser.server(server.public_id)["account"]["scopes"] == ["notes", "admin"]
    assert call_tool(site, "secrets_of_admins").output == "Admins know it."


def test_an_admin_signs_in_for_the_team(site: SessionSite, notes: NotesSite, server: McpServer) -> None:
    other = site.member()
    change_server(actor=site.user, server=server, wanted=ServerSettings(sign_in="team"))
    assert NotesBrowser(other).begin(server.public_id).status_code == 403
    sign_in(site, notes, server, "bob")
    assert McpAccount.objects.get().person is None
    site.script(calls(tool_call("notes_whoami")), text("Done."))
    turn = submit_prompt(actor=other, session=site.open_session(allow=("notes_*",)), text="Whose?")[0]
    site.pump.run()
    assert [call.output for call in site.calls(turn)] == ["These are the notes of bob."]
    change_server(actor=site.user, server=server, wanted=ServerSettings(sign_in="person"))
    assert not McpAccount.objects.exists()


@pytest.mark.parametrize("who", ["another person", "another browser", "later", "twice", "nobody"])
def test_an_answer_counts_for_the_browser_that_began_and_once(
    site: SessionSite, notes: NotesSite, server: McpServer, who: str
) -> None:
    browser = NotesBrowser(site.user)
    address = notes.answer(browser.begin(server.public_id).json()["authorization_url"], "ada")
    if who == "later":
        McpSignIn.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    if who == "twice":
        assert browser.come_back(address).status_code == 302
    others = {"another person": site.member(), "another browser": site.user}
    comes = NotesBrowser(others[who]) if who in others else browser
    if who == "nobody":
        comes.client.logout()
    answer = comes.come_back(address)
    assert answer.status_code in (404, 409)
    assert b"not valid any more" in answer.content or b"not signed in to this site" in answer.content
    assert McpAccount.objects.count() == (1 if who == "twice" else 0)


def test_an_answer_in_the_name_of_another_issuer_is_refused_before_the_code_is_sent(
    site: SessionSite, notes: NotesSite, server: McpServer
) -> None:
    notes.facts(iss="https://evil.example.org/")
    browser = NotesBrowser(site.user)
    assert browser.sign_in(notes, server.public_id, "ada").status_code == 302
    shown = browser.server(server.public_id)
    assert "iss mismatch" in shown["sign_in_problem"]
    assert not McpAccount.objects.exists()


@pytest.mark.cold
def test_a_person_who_refuses_is_told_that_they_did(site: SessionSite, notes: NotesSite, server: McpServer) -> None:
    browser = NotesBrowser(site.user)
    browser.sign_in(notes, server.public_id, "nobody")
    assert browser.server(server.public_id)["sign_in_problem"] == "It was not allowed: access_denied: You said no."


def test_no_token_is_seen_by_anybody(
    site: SessionSite, notes: NotesSite, server: McpServer, capfd: pytest.CaptureFixture[str]
) -> None:
    """No token is visible to anybody: it is in no transcript, even if the server reveals it, and in no row, log or
    export."""
    browser = sign_in(site, notes, server)
    call = call_tool(site, "leak")
    assert call.output == "The token is [secret token]."
    make_it_end()
    assert call_tool(site, "leak").output == "The token is [secret token]."
    assert browser.begin(server.public_id).status_code == 201
    everything = [str(list(model._default_manager.values())) for model in apps.get_models()]
    assert CANARY not in "".join(everything)
    exported = browser.client.get("/api/v1/me/export")
    archive = zipfile.ZipFile(io.BytesIO(exported.content))
    texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert "notes" in texts["mcp_accounts.json"]
    assert CANARY not in str(texts)
    for path in (f"/mcp-servers/{server.public_id}", f"/teams/{site.team.public_id}/mcp-servers"):
        assert CANARY not in browser.client.get(f"/api/v1{path}").content.decode()
    assert CANARY not in "".join(capfd.readouterr())
    assert CANARY not in "".join(path.read_text(errors="ignore") for path in site.files.rglob("*") if path.is_file())


def test_an_account_ends_with_its_person_and_its_server(site: SessionSite, notes: NotesSite, server: McpServer) -> None:
    other = site.member()
    sign_in(site, notes, server, "bob", other)
    other.delete()
    assert (McpAccount.objects.count(), McpRevocation.objects.count()) == (0, 1)
    sign_in(site, notes, server)
    change_server(actor=site.user, server=server, wanted=ServerSettings(url="https://elsewhere.example.org/mcp"))
    assert (McpAccount.objects.count(), McpRevocation.objects.count()) == (0, 2)
    server.refresh_from_db()
    assert not server.asks_sign_in


def test_the_site_says_who_it_is(site: SessionSite) -> None:
    site.settings.SITE_URL = "https://agents.example.org"
    shown = NotesBrowser(site.user).client.get("/oauth/mcp/client.json").json()
    assert shown["client_id"] == "https://agents.example.org/oauth/mcp/client.json"
    assert shown["redirect_uris"] == ["https://agents.example.org/oauth/mcp/callback"]


def make_it_end() -> None:
    """Mark the access token of every account as expired in the site's database."""
    for row in McpAccount.objects.all():
        state = OAuthState.from_text(DOOR.unseal(row.sealed))
        McpAccount.objects.filter(pk=row.pk).update(sealed=DOOR.seal(replace(state, expires_at=1.0).as_text()))
