"""Notices by e-mail: the chosen kinds, once each, several in one e-mail, and none in quiet hours."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from agentsite.base.errors import BadInput
from agentsite.tenancy.models import OutgoingMail, User
from deploy.demo_model.scripts import Step
from sessions_app.actions import pending_checks, reminders
from sessions_app.actions.audience import set_audience
from sessions_app.actions.notification_choices import WayChange, set_reminder_preferences
from sessions_app.actions.reminders import send_reminders
from sessions_app.actions.session_marks import mark_session
from sessions_app.models import MailedItem, PullRequest, ReviewComment, Session, Turn
from sessions_app.repositories.pulls.actions import store_state
from sessions_app.spending.budgets import create_budget
from sessions_app.spending.notices import notify_share
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

pytestmark = pytest.mark.one_database


def later(minutes: float = 6) -> datetime:
    return timezone.now() + timedelta(minutes=minutes)


def wants(person: User, *news: str, **more: Any) -> None:
    set_reminder_preferences(actor=person, what="own", delay_minutes=5, news=news, **more)


def quiet_now(now: datetime) -> tuple[str, str]:
    """Return quiet hours from one hour before `now` until one hour after it, in UTC."""
    return (f"{now - timedelta(hours=1):%H:%M}", f"{now + timedelta(hours=1):%H:%M}")


def end_a_turn(site: SessionSite, title: str = "Tea") -> Turn:
    site.script(text("Done."))
    return site.run_prompt(session=site.open_session(title))


def mails() -> list[OutgoingMail]:
    return list(OutgoingMail.objects.order_by("created_at"))


def test_a_turn_that_ended_is_told_once_to_who_wants_to_know(site: SessionSite) -> None:
    wants(site.user, "turn_ended")
    turn = end_a_turn(site)
    assert send_reminders(later(4)) == 0
    assert [send_reminders(later(6)), send_reminders(later(30))] == [1, 0]
    (mail,) = mails()
    assert mail.to == site.user.email
    assert "has finished in “Tea”" in mail.subject
    assert f"/sessions/{turn.session.public_id}\n" in mail.text
    assert "Done." not in mail.text


def test_without_a_choice_nobody_is_told_of_turns(site: SessionSite) -> None:
    end_a_turn(site)
    assert send_reminders(later()) == 0


def test_what_happened_before_the_choice_is_not_told(site: SessionSite) -> None:
    end_a_turn(site)
    wants(site.user, "turn_ended")
    assert send_reminders(later()) == 0


def test_a_failed_turn_is_a_kind_of_its_own(site: SessionSite) -> None:
    wants(site.user, "turn_failed")
    end_a_turn(site, "good")
    site.script(Step(fault="status", status=401))
    site.run_prompt(session=site.open_session("bad"))
    assert send_reminders(later()) == 1
    assert "has failed in “bad”" in mails()[0].text
    assert "good" not in mails()[0].text


def test_what_the_person_has_seen_is_not_told(site: SessionSite) -> None:
    wants(site.user, "turn_ended")
    turn = end_a_turn(site)
    mark_session(actor=site.user, session=turn.session, seen=True)
    assert send_reminders(later()) == 0


def test_who_may_not_see_the_session_any_more_is_not_told(site: SessionSite) -> None:
    member = site.member()
    wants(member, "turn_ended")
    turn = end_a_turn(site)
    Turn.objects.filter(pk=turn.pk).update(started_by=member)
    set_audience(actor=site.user, session=turn.session, shared_with="private", people=[])
    assert send_reminders(later()) == 0


def test_several_things_and_what_waits_come_in_one_mail(site: SessionSite) -> None:
    wants(site.user, "turn_ended")
    end_a_turn(site, "one")
    end_a_turn(site, "two")
    site.script(calls(tool_call("bash", command="make hush")))
    site.run_prompt(session=site.open_session("three"))
    assert send_reminders(later()) == 1
    (mail,) = mails()
    assert mail.subject == "3 things happened in your sessions, 1 of them waits for your answer"
    assert all(word in mail.text for word in ("one", "two", "three"))


def test_nothing_is_sent_in_quiet_hours_and_then_one_mail(site: SessionSite) -> None:
    now = timezone.now()
    wants(site.user, "turn_ended", quiet=quiet_now(now))
    end_a_turn(site, "one")
    site.script(calls(tool_call("bash", command="make hush")))
    site.run_prompt(session=site.open_session("answered"))
    assert send_reminders(later(20)) == 0
    site.reply("once")
    end_a_turn(site, "two")
    assert send_reminders(later(62)) == 1
    (mail,) = mails()
    assert "one" in mail.text
    assert "two" in mail.text
    assert "permission" not in mail.text


def test_a_process_that_is_killed_sends_neither_twice_nor_never(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    wants(site.user, "turn_ended")
    end_a_turn(site)
    with monkeypatch.context() as patch:
        patch.setattr(reminders, "send_mail_later", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            send_reminders(later())
    assert (mails(), MailedItem.objects.count()) == ([], 0)
    assert [send_reminders(later()), send_reminders(later(30))] == [1, 0]


def test_comments_of_others_are_told_and_own_ones_and_drafts_are_not(site: SessionSite) -> None:
    wants(site.user, "comment")
    session, other = site.open_session("Tea"), site.member()
    for author, state in ((site.user, "open"), (other, "draft")):
        ReviewComment.objects.create(session=session, author=author, path="a.py", text="hush", state=state)
    assert send_reminders(later()) == 0
    ReviewComment.objects.create(session=session, author=other, path="a.py", text="hush", state="open")
    assert send_reminders(later()) == 1
    assert "commented on the changes of “Tea”" in mails()[0].text
    assert f"/sessions/{session.public_id}/review" in mails()[0].text
    assert "hush" not in mails()[0].text


def checks_are(session: Session, *states: str, commit: str = "c1") -> None:
    """Store checks with these states for the session's pull request, as if from a forge."""
    PullRequest.objects.get_or_create(session=session, defaults={"number": 7, "branch": "b", "base": "main"})
    found = {"number": 7, "url": "", "title": "t", "draft": False, "state": "open", "base": "main", "commit": commit}
    checks = [{"id": str(n), "name": "n", "state": state, "url": "", "text": "hush"} for n, state in enumerate(states)]
    store_state(session=session, answer={"found": found, "checks": checks})


def test_failed_checks_are_told_once_for_each_commit(site: SessionSite) -> None:
    wants(site.user, "checks_failed")
    session = site.open_session("Tea")
    checks_are(session, "success", "pending")
    assert send_reminders(later()) == 0
    checks_are(session, "success", "failure")
    assert [send_reminders(later(4)), send_reminders(later(6)), send_reminders(later(30))] == [0, 1, 0]
    (mail,) = mails()
    assert "Checks of pull request 7 have failed in “Tea”" in mail.subject
    assert "hush" not in mail.text
    checks_are(session, "failure", commit="c2")
    assert send_reminders(later(50)) == 1


def test_checks_count_from_their_failure_however_often_they_are_read(site: SessionSite) -> None:
    """Repeated reads of failed checks do not delay the e-mail about the failure. They cause no e-mail about failures
    that the person has seen, or that are older than the person's choice to get such e-mails."""
    wants(site.user, "checks_failed")
    session = site.open_session("Tea")
    checks_are(session, "failure")
    failed_at = PullRequest.objects.get().failed_at
    mark_session(actor=site.user, session=session, seen=True)
    checks_are(session, "failure")
    assert PullRequest.objects.get().failed_at == failed_at
    assert send_reminders(later()) == 0

    old = site.open_session("Old")
    checks_are(old, "failure")
    wants(site.user, "checks_failed", "comment")
    checks_are(old, "failure")
    assert send_reminders(later()) == 0


def test_checks_that_pass_after_all_are_not_told(site: SessionSite) -> None:
    wants(site.user, "checks_failed")
    session = site.open_session("Tea")
    checks_are(session, "failure")
    checks_are(session, "success")
    assert send_reminders(later()) == 0


def test_checks_are_read_again_until_they_have_ended(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(pending_checks, "enqueue_checks", asked.append)
    wants(site.user, "checks_failed")
    checks_are(site.open_session("Tea"), "pending")
    for minutes in (0.5, 2, 3, 25 * 60):
        send_reminders(later(minutes))
    assert asked == [PullRequest.objects.get().pk], "after a minute, once in a minute, and not after a day"
    checks_are(Session.objects.get(), "success")
    cache.delete(f"checks:{asked[0]}")
    send_reminders(later(2))
    assert len(asked) == 1


def test_the_choice_of_kinds_and_quiet_hours_over_rest(site: SessionSite) -> None:
    browser, path = browser_of(site.user), "/api/v1/me/notifications"
    change = {
        "mail": "off", "delay_minutes": 10, "news": ["turn_failed", "turn_ended"],
        "push": "all", "push_news": ["comment"], "page": "off", "page_news": ["budget", "turn_ended"],
        "quiet_hours": {"begin": "22:00", "end": "07:30"}, "time_zone": "Europe/Berlin",
    }  # fmt: skip
    given = browser.put(path, change, content_type="application/json").json()
    assert given == {**change, "news": ["turn_ended", "turn_failed"], "page_news": ["turn_ended", "budget"]}
    assert browser.get(path).json() == given
    kept = browser.put(path, {"mail": "all"}, content_type="application/json").json()
    assert kept == {**given, "mail": "all", "delay_minutes": 5}
    loud = browser.put(path, {"mail": "all", "quiet_hours": None}, content_type="application/json").json()
    assert loud == {**kept, "quiet_hours": None}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"quiet": ("22:00", "22:00")}, "quiet_hours"),
        ({"quiet": ("25:00", "07:00")}, "quiet_hours"),
        ({"time_zone": "Mars/Base"}, "time_zone"),
        ({"news": ["gossip"]}, "news"),
        ({"push": WayChange(news=["gossip"])}, "push_news"),
        ({"page": WayChange(news=["comment"])}, "page_news"),
    ],
)
def test_what_cannot_be_chosen_is_refused_by_name(site: SessionSite, change: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as refused:
        set_reminder_preferences(actor=site.user, what="own", delay_minutes=5, **change)
    assert list(refused.value.fields) == [field]


def test_a_budget_is_told_after_quiet_hours_or_not_at_all(site: SessionSite) -> None:
    now = timezone.now()
    budget = create_budget(
        actor=site.user, team=site.team, scope="team", target="", limit=Decimal(5), period="month",
        unknown_prices="refuse",
    )  # fmt: skip
    wants(site.user, "budget", quiet=quiet_now(now))
    notify_share(budget, 80)
    (mail,) = mails()
    assert mail.due_at > now + timedelta(minutes=50)
    wants(site.user)
    notify_share(budget, 100)
    assert len(mails()) == 1


def test_sessions_of_others_are_not_told(site: SessionSite) -> None:
    wants(site.member(), "turn_ended", "turn_failed", "comment", "checks_failed")
    end_a_turn(site)
    assert Session.objects.count() == 1
    assert send_reminders(later()) == 0
