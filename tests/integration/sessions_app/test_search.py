"""Search finds texts of conversations for people who may see them, with the same results on every database."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from agentsite.base.errors import BadInput
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Role
from sessions_app.actions.audience import set_audience
from sessions_app.actions.sessions import delete_session, update_session
from sessions_app.models import SearchText, Session
from sessions_app.search.find import Filters, search
from sessions_app.search.indexing import save_texts
from tests.support.builders import browser_of, make_member, make_team
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tests.unit.sessions_app.test_search_words import ODD


def say(session: Session, *texts: str, kind: str = "answer") -> None:
    known = SearchText.objects.count()
    rows = [
        SearchText(session=session, kind=kind, ref=f"prt_{known + place}", text=each)
        for place, each in enumerate(texts)
    ]
    save_texts(rows)


def find(user: User, question: str, **filters: Any) -> list[str]:
    return [
        row.text for row in search(user=user, text=question, filters=Filters(**filters), cursor=None, limit=50).rows
    ]


def test_titles_prompts_answers_and_tool_calls_are_found_as_they_are_written(site: SessionSite) -> None:
    site.script(calls(tool_call("bash", command="echo")), text("Cardamom it is."))
    session = site.open_session("About saffron", allow=("bash",))
    site.run_prompt("Do you like vanilla?", session=session)
    assert find(site.user, "saffron") == ["About saffron"]
    assert find(site.user, "vanilla") == ["Do you like vanilla?"]
    assert find(site.user, "cardamom") == ["Cardamom it is."]
    assert {row.kind for row in SearchText.objects.all()} == {"title", "prompt", "answer", "tool"}


def test_a_new_title_takes_the_place_of_the_old_one(site: SessionSite) -> None:
    session = site.open_session("saffron")
    update_session(actor=site.user, session=session, title="vanilla")
    assert (find(site.user, "saffron"), find(site.user, "vanilla")) == ([], ["vanilla"])


def test_what_is_deleted_is_not_found(site: SessionSite) -> None:
    session = site.open_session("saffron")
    delete_session(actor=site.user, session=session)
    assert find(site.user, "saffron") == []
    assert not SearchText.objects.exists()


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("tea", {"green tea", "tea green", "black teapot"}),
        ("tea green", {"green tea", "tea green"}),
        ('"green tea"', {"green tea"}),
        ("tea -green", {"black teapot"}),
        ("teapot OR green", {"green tea", "tea green", "black teapot"}),
        ("GRÉEN", {"green tea", "tea green"}),
        ("文字", {"中文字"}),
        ("文中", set()),
        ("🫖", {"a 🫖 pot"}),
        ("app.p", {"src/app.py"}),
        ("нас", {"настой"}),
    ],
)
def test_what_a_question_finds(site: SessionSite, question: str, found: set[str]) -> None:
    session = site.open_session("")
    say(session, "green tea", "tea green", "black teapot", "中文字", "a 🫖 pot", "src/app.py", "настой")
    assert set(find(site.user, question)) == found


@pytest.mark.parametrize("question", ODD)
def test_no_question_is_an_error(site: SessionSite, question: str) -> None:
    say(site.open_session("a"), question or "b")
    find(site.user, question)


def test_titles_come_first_then_whole_words_then_the_newest(site: SessionSite) -> None:
    session = site.open_session("")
    say(session, "tea one", "teapot", "tea two")
    say(session, "tea title", kind="title")
    assert find(site.user, "tea") == ["tea title", "tea two", "tea one", "teapot"]


def test_pages_follow_each_other_though_texts_are_added(site: SessionSite) -> None:
    session = site.open_session("")
    say(session, *(f"tea {number}" for number in range(5)))
    first = search(user=site.user, text="tea", filters=Filters(), cursor=None, limit=2)
    say(session, "tea new")
    second = search(user=site.user, text="tea", filters=Filters(), cursor=first.next_cursor, limit=2)
    third = search(user=site.user, text="tea", filters=Filters(), cursor=second.next_cursor, limit=2)
    found = [row.text for page in (first, second, third) for row in page.rows]
    assert found == ["tea 4", "tea 3", "tea 2", "tea 1", "tea 0"]
    assert third.next_cursor is None


@pytest.mark.parametrize("cursor", ["x", "%%%", "MS4w", "é", "A" * 500, "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5LjE"])
def test_a_cursor_that_is_none_is_bad_input(site: SessionSite, cursor: str) -> None:
    with pytest.raises(BadInput):
        search(user=site.user, text="tea", filters=Filters(), cursor=cursor, limit=2)


def test_other_teams_and_private_sessions_are_not_found(site: SessionSite) -> None:
    session = site.open_session("saffron")
    stranger, admin = make_member(make_team(), Role.OWNER), site.member(Role.ADMIN)
    assert find(stranger, "saffron") == []
    assert find(admin, "saffron") == ["saffron"]
    set_audience(actor=site.user, session=session, shared_with="private")
    assert (find(admin, "saffron"), find(site.user, "saffron")) == ([], ["saffron"])


def test_filters(site: SessionSite) -> None:
    session, other = site.open_session("tea"), site.member()
    now = timezone.now()
    assert find(site.user, "tea", project=site.project, person=site.user, status="idle") == ["tea"]
    assert find(site.user, "tea", person=other) == []
    assert find(site.user, "tea", status="running") == []
    assert find(site.user, "tea", after=now + timedelta(hours=1)) == []
    assert find(site.user, "tea", before=now - timedelta(hours=1)) == []
    assert session.title == "tea"


def test_rebuilding_finds_what_was_found_before_and_what_was_not(site: SessionSite) -> None:
    site.script(calls(tool_call("bash", command="echo")), text("Cardamom it is."))
    site.run_prompt("Do you like vanilla?", session=site.open_session("About saffron", allow=("bash",)))
    columns = ("session_id", "kind", "ref", "person_id", "text", "words")
    before = set(SearchText.objects.values_list(*columns))
    SearchText.objects.filter(kind="answer").delete()
    call_command("rebuild_search", verbosity=0)
    assert set(SearchText.objects.values_list(*columns)) == before
    assert find(site.user, "cardamom") == ["Cardamom it is."]


def test_search_over_rest(site: SessionSite) -> None:
    session = site.open_session("All <b>about</b> saffron")
    browser = browser_of(site.user)
    (item,) = browser.get("/api/v1/search", {"q": "saffron"}).json()["items"]
    assert (item["kind"], item["session_id"], item["project_name"]) == ("title", session.public_id, site.project.name)
    assert [piece["text"] for piece in item["pieces"] if piece["hit"]] == ["saffron"]
    queries: tuple[dict[str, Any], ...] = (
        {"q": "a\0b"},
        {"q": "x" * 7000},
        {},
        {"q": "tea", "cursor": "\0"},
        {"q": "tea", "limit": 0},
    )
    for query in queries:
        assert browser.get("/api/v1/search", query).status_code in (200, 400)
    assert browser.get("/api/v1/search", {"q": "tea", "person_id": "usr_x"}).status_code == 404
