"""Archives of a workspace are made after a turn, and delay no other work."""

import tarfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from agentsite.base.background import background
from sessions_app.actions.archives import Archive, enqueue_missed_archives, record_archive
from sessions_app.models import ToolCall, Turn, Workspace
from sessions_app.queueing import enqueue_archive
from sessions_app.storage.archives import archive_storage
from sessions_app.workers.sandbox.archives import archive
from tests.support.model_server import calls, text
from tests.support.nodes import archives, seen, stored
from tests.support.session_site import SessionSite
from tests.support.workers import COUNT

__all__ = ["archives"]


def _row(site: SessionSite) -> Workspace:
    row: Workspace = Workspace.objects.select_related("project").get(pk=site.workspace.pk)
    return row


def _archive_now(site: SessionSite, *, wanted: bool = False) -> None:
    archive(site.workspace.pk, wanted=wanted, node=site.settings.NODE_NAME)


def test_a_turn_that_ended_leaves_an_archive(site: SessionSite, archives: Path) -> None:
    site.script(calls(COUNT), text("Done."))
    turn = site.run_prompt(session=site.open_session(allow=("bash",)))
    row = _row(site)
    assert turn.state == Turn.State.COMPLETED
    assert (archives / row.archive).stat().st_size == row.archive_size
    assert (archives / row.archive).stat().st_mode & 0o077 == 0
    with tarfile.open(archives / row.archive) as content:
        assert "workspace/counter.txt" in content.getnames()
    assert not list(site.settings.SPOOL_DIR.iterdir())


def test_what_did_not_change_is_not_archived_again_and_its_archive_is_as_good_as_new(
    site: SessionSite, archives: Path
) -> None:
    site.write("a", "1")
    _archive_now(site)
    first = _row(site)
    _archive_now(site)
    second = _row(site)
    assert stored(archives) == [Path(first.archive).name]
    assert second.archive == first.archive
    assert second.archived_at is not None
    assert first.archived_at is not None
    assert second.archived_at > first.archived_at


def test_the_newest_two_archives_are_kept(site: SessionSite, archives: Path) -> None:
    for number in range(4):
        site.write("a", "x" * number)
        _archive_now(site)
    assert len(stored(archives)) == 2
    assert stored(archives)[-1] == Path(_row(site).archive).name


def test_of_many_turns_that_end_one_archive_waits(site: SessionSite, archives: Path) -> None:
    for _ in range(5):
        enqueue_archive(site.workspace.pk, node=site.workspace.node)
    assert site.pump.names().count("sessions.archive_workspace") == 1
    site.pump.run()
    enqueue_archive(site.workspace.pk, node=site.workspace.node)
    assert site.pump.names().count("sessions.archive_workspace") == 1


@pytest.mark.parametrize(("state", "made"), [(ToolCall.State.RUNNING, 0), (ToolCall.State.PENDING, 1)])
def test_an_archive_waits_for_calls_and_only_an_overdue_one_not_for_turns(
    site: SessionSite, archives: Path, state: str, made: int
) -> None:
    site.script(calls(COUNT))
    site.prompt(site.open_session(allow=("bash",)))
    site.pump.run(until=ToolCall.objects.exists)
    site.pump.lose()
    ToolCall.objects.update(state=state)
    _archive_now(site)
    assert stored(archives) == []
    Workspace.objects.update(archived_at=timezone.now() - timedelta(minutes=16))
    _archive_now(site)
    assert len(stored(archives)) == made


def test_a_large_workspace_is_not_archived_every_second(site: SessionSite, archives: Path) -> None:
    Workspace.objects.update(archive_size=100 << 20, archived_at=timezone.now() - timedelta(seconds=30))
    _archive_now(site)
    assert stored(archives) == []


def test_an_archive_that_somebody_wants_is_made_at_once(site: SessionSite, archives: Path) -> None:
    site.settings.ARCHIVE_AFTER_TURNS = False
    _archive_now(site)
    assert stored(archives) == []
    _archive_now(site, wanted=True)
    _archive_now(site, wanted=True)
    assert len(stored(archives)) == 2


def test_without_archives_no_turn_asks_for_one(site: SessionSite) -> None:
    site.script(text("Done."))
    site.run_prompt()
    assert not [done for done in site.pump.done if "archive" in done.name]


def test_a_storage_that_is_away_harms_no_turn(
    site: SessionSite, archives: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> str:
        raise OSError("no route to the bucket")

    monkeypatch.setattr(type(archive_storage()), "save", away)
    site.script(text("Done."))
    assert site.run_prompt().state == Turn.State.COMPLETED
    assert _row(site).archive == ""
    assert not list(site.settings.SPOOL_DIR.iterdir())


def test_what_was_put_off_or_got_lost_is_archived_by_the_next_sweep(site: SessionSite, archives: Path) -> None:
    seen(site.settings.NODE_NAME)
    site.script(text("Done."))
    site.prompt(site.open_session())
    site.pump.run(until=Turn.objects.filter(state="completed").exists)
    site.pump.lose()
    assert enqueue_missed_archives(timezone.now()) == 1
    _archive_now(site)
    assert enqueue_missed_archives(timezone.now()) == 0


def test_a_node_that_lost_the_workspace_cannot_name_its_archive(site: SessionSite, archives: Path) -> None:
    stale = _row(site)
    Workspace.objects.update(generation=1)
    assert not record_archive(stale, Archive("x", 1, "s", timezone.now()))
    assert _row(site).archive == ""


def test_an_archive_of_a_workspace_that_moved_meanwhile_is_thrown_away(
    site: SessionSite, archives: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions_app.workers.sandbox.archives.record_archive", lambda *_: False)
    _archive_now(site)
    assert stored(archives) == []


def test_s3_without_its_package_says_what_to_install(site: SessionSite) -> None:
    site.settings.ARCHIVE_STORAGE = "s3://bucket/prefix?endpoint=https://storage.example.org"
    with pytest.raises(Exception, match="extra 's3'"):
        archive_storage()


def test_nothing_of_an_archive_stays_when_making_it_fails(site: SessionSite, archives: Path) -> None:
    site.write("a", "1")
    background.run(site.deployment.stop(site.workspace.public_id))
    site.deployment.away = True
    _archive_now(site)
    site.deployment.away = False
    assert stored(archives) == []
