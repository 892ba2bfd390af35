"""E-mails about pending requests: their recipients, their time and their frequency."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from agentsite.base.errors import BadInput
from agentsite.tenancy.models import OutgoingMail, User
from agentsite.tenancy.roles import Role
from sessions_app.actions import reminder_batches
from sessions_app.actions.audience import set_audience
from sessions_app.actions.notification_choices import set_reminder_preferences
from sessions_app.actions.reminders import send_reminders
from sessions_app.events.presence import new_window, report_windows
from sessions_app.models import PermissionRequest, Session
from sessions_app.models.notification import NEWS
from tests.support.builders import browser_of, make_project, make_team
from tests.support.model_server import calls, tool_call
from tests.support.session_site import SessionSite
from tools_app.policies.actions import save_policy
from tools_app.policies.documents import Options, PolicyDocument
from tools_app.policies.scopes import PolicyScope

MAKE = calls(tool_call("bash", command="make hush"))


def later(minutes: float = 6) -> datetime:
    return timezone.now() + timedelta(minutes=minutes)


def written() -> list[str]:
    return sorted(OutgoingMail.objects.values_list("to", flat=True))


def waiting(site: SessionSite, title: str = "A session") -> PermissionRequest:
    site.script(MAKE)
    turn = site.run_prompt(session=site.open_session(title))
    row: PermissionRequest = PermissionRequest.objects.select_related("session").get(turn=turn)
    return row


def wants_all(*people: User) -> None:
    for person in people:
        set_reminder_preferences(actor=person, what="all", delay_minutes=5)


def test_the_starter_is_written_to_when_nobody_answered_for_five_minutes(site: SessionSite) -> None:
    request = waiting(site)
    assert send_reminders(later(4)) == 0
    assert send_reminders(later(6)) == 1
    (mail,) = OutgoingMail.objects.all()
    assert mail.to == site.user.email
    assert f"/sessions/{request.session.public_id}#{request.public_id}" in mail.text
    assert "hush" not in mail.text + mail.subject


def test_nobody_is_written_to_twice_about_the_same(site: SessionSite) -> None:
    waiting(site)
    assert [send_reminders(later(6)), send_reminders(later(60))] == [1, 0]


def test_more_that_waits_within_a_quarter_of_an_hour_comes_in_one_letter(site: SessionSite) -> None:
    waiting(site)
    assert send_reminders(later(6)) == 1
    waiting(site, "second")
    waiting(site, "third")
    assert send_reminders(later(12)) == 0
    assert send_reminders(later(22)) == 1
    newest = OutgoingMail.objects.order_by("-created_at").first()
    assert newest is not None
    assert [word in newest.text for word in ("second", "third", "A session")] == [True, True, False]


def test_what_was_answered_is_not_written_about(site: SessionSite) -> None:
    waiting(site)
    site.reply("once")
    assert send_reminders(later()) == 0


def test_who_has_the_session_open_is_not_written_to(site: SessionSite) -> None:
    request = waiting(site)
    report_windows(request.session_id, opened=[new_window(site.user.pk)])
    assert send_reminders(later()) == 0


def test_others_hear_of_it_when_they_chose_all_and_may_answer(site: SessionSite) -> None:
    member, viewer, silent = site.member(), site.member(Role.VIEWER), site.member()
    no_approver = site.member(may_approve=False)
    wants_all(member, viewer, no_approver)
    set_reminder_preferences(actor=site.user, what="off", delay_minutes=5)
    waiting(site)
    send_reminders(later())
    assert written() == [member.email]
    assert silent.email not in written()


def test_where_an_admin_must_answer_only_admins_are_written_to(site: SessionSite) -> None:
    document = PolicyDocument(options=Options(approvers="admin"))
    save_policy(actor=site.user, place=PolicyScope("team", site.team), document=document, base_version=0)
    member, admin = site.member(), site.member(Role.ADMIN)
    wants_all(member, admin)
    waiting(site)
    send_reminders(later())
    assert written() == sorted([site.user.email, admin.email])


def test_of_a_private_session_only_those_who_see_it_hear(site: SessionSite) -> None:
    guest, member = site.member(), site.member()
    wants_all(guest, member)
    request = waiting(site)
    set_audience(actor=site.user, session=request.session, shared_with="private", people=[guest.public_id])
    send_reminders(later())
    assert written() == sorted([site.user.email, guest.email])


def test_each_person_has_a_delay_of_their_own(site: SessionSite) -> None:
    set_reminder_preferences(actor=site.user, what="own", delay_minutes=30)
    waiting(site)
    assert [send_reminders(later(29)), send_reminders(later(31))] == [0, 1]


@pytest.mark.parametrize("minutes", [0, -1, 100_000])
def test_a_delay_has_bounds(site: SessionSite, minutes: int) -> None:
    with pytest.raises(BadInput):
        set_reminder_preferences(actor=site.user, what="all", delay_minutes=minutes)


def test_the_choice_over_rest(site: SessionSite) -> None:
    browser, path = browser_of(site.user), "/api/v1/me/notifications"
    rest = {
        "news": ["budget"], "push": "own", "push_news": list(NEWS), "page": "all", "page_news": [], "quiet_hours": None,
        "time_zone": "UTC",
    }  # fmt: skip
    assert browser.get(path).json() == {"mail": "own", "delay_minutes": 5, **rest}
    change = {"mail": "off", "delay_minutes": 10}
    assert browser.put(path, change, content_type="application/json").json() == {**change, **rest}
    assert browser.get(path).json() == {**change, **rest}


def test_what_waits_in_one_team_delays_no_letter_of_another(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pending requests of one team delay no e-mail to another team, even if all requests of the crowded team are older
    and its people want no e-mails."""
    monkeypatch.setattr(reminder_batches, "MAX_PER_TEAM", 2)
    monkeypatch.setattr(reminder_batches, "MAX_PER_ROUND", 3)
    crowded = [waiting(site, f"session {n}") for n in range(5)]
    rounds = [[item.pk for item in reminder_batches.waiting_items(later())] for _ in range(3)]
    assert [len(found) for found in rounds] == [2, 2, 1]
    assert {pk for found in rounds for pk in found} == {request.pk for request in crowded}

    quiet = make_project(make_team())
    Session.objects.filter(pk=crowded[-1].session_id).update(project=quiet)
    newest = PermissionRequest.objects.get(pk=crowded[-1].pk)
    for _ in range(2):
        assert newest.pk in [item.pk for item in reminder_batches.waiting_items(later())]
