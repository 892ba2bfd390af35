"""Attachments of people: accepted by content, used by a prompt, downloaded safely, and deleted with their session."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agentsite.base.errors import BadInput, Stale, TooLarge, Unavailable
from sessions_app.actions import attachments
from sessions_app.actions.attachments import delete_expired_attachments
from sessions_app.actions.prompts import submit_prompt
from sessions_app.actions.sessions import delete_session, update_session
from sessions_app.models import Attachment, LooseFile, Session
from sessions_app.storage import attachments as attachment_storage
from tests.support import pictures
from tests.support.builders import bearer
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.uploads import attach, post_file, storage, stored

__all__ = ["storage"]

pytestmark = pytest.mark.usefixtures("storage")

_FORM = b'--B\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n--B--\r\n'


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session()


def download(site: SessionSite, public_id: str, **headers: str) -> Any:
    return Client().get(f"/api/v1/attachments/{public_id}", headers={**bearer(site.user), **headers})


def later(**span: float) -> Any:
    return timezone.now() + timedelta(**span)


# up


def test_a_picture_is_taken_and_measured(site: SessionSite, session: Session, storage: Path) -> None:
    answer = post_file(site, session, "shot.png", pictures.png(64, 48), "image/png")
    assert answer.status_code == 201
    taken = answer.json()
    assert taken == {
        "id": taken["id"],
        "name": "shot.png",
        "media_type": "image/png",
        "size": len(pictures.png(64, 48)),
        "width": 64,
        "height": 48,
    }
    assert stored(storage) == [taken["id"]]
    assert not LooseFile.objects.exists()


@pytest.mark.parametrize(
    ("form", "boundary", "status"),
    [
        (b"xx", "", 400),
        (b"xx", "; boundary=\xff", 400),
        (_FORM.replace(b"a.txt", b"a" * 5000), "; boundary=B", 400),
        (_FORM.partition(b"--B--")[0] * 101 + b"--B--\r\n", "; boundary=B", 413),
    ],
)
def test_a_form_that_nobody_understands_is_the_senders_mistake(
    site: SessionSite, session: Session, form: bytes, boundary: str, status: int
) -> None:
    address = f"/api/v1/sessions/{session.public_id}/attachments"
    answer = Client(raise_request_exception=False).post(
        address, data=form, content_type=f"multipart/form-data{boundary}", headers=bearer(site.user)
    )
    assert (answer.status_code, set(answer.json())) == (status, {"error"})


def test_what_the_sender_calls_it_does_not_count(site: SessionSite, session: Session) -> None:
    taken = post_file(site, session, "../../evil.html", b"<script>alert(1)</script>", "text/html").json()
    assert (taken["name"], taken["media_type"]) == ("evil.html", "text/plain")


@pytest.mark.parametrize(
    ("name", "content", "status", "code"),
    [
        ("a.zip", b"PK\x03\x04", 400, "not_attachable"),
        ("a.png", b"no picture", 400, "not_attachable"),
        ("a.txt", b"", 400, "not_attachable"),
        ("a.txt", b"x" * 5_242_881, 413, "too_large"),
        ("a.pdf", b"%PDF-" + bytes(10_485_760), 413, "too_large"),
    ],
)
def test_what_is_refused_says_why_and_leaves_nothing(
    site: SessionSite, session: Session, storage: Path, name: str, content: bytes, status: int, code: str
) -> None:
    answer = post_file(site, session, name, content)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert error["fields"]
    assert error["hint"]
    assert stored(storage) == []


def test_a_form_without_a_file_is_refused(site: SessionSite, session: Session) -> None:
    path = f"/api/v1/sessions/{session.public_id}/attachments"
    answer = Client().post(path, {"other": "x"}, headers=bearer(site.user))
    assert (answer.status_code, answer.json()["error"]["fields"]) == (400, {"file.file": "Field required"})


def test_an_archived_session_takes_no_file(site: SessionSite, session: Session) -> None:
    update_session(actor=site.user, session=session, archived=True)
    session.refresh_from_db()
    with pytest.raises(Stale):
        attach(site, session, "a.txt", b"x")


def test_a_session_keeps_so_many_files(
    site: SessionSite, session: Session, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attachments, "MAX_ATTACHMENTS_PER_SESSION", 1)
    attach(site, session, "a.txt", b"x")
    with pytest.raises(TooLarge) as caught:
        attach(site, session, "b.txt", b"x")
    assert caught.value.code == "attachment_limit"
    assert len(stored(storage)) == 1


def test_a_session_keeps_so_many_bytes(site: SessionSite, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attachments, "MAX_SESSION_BYTES", 10)
    attach(site, session, "a.txt", b"x" * 6)
    with pytest.raises(TooLarge):
        attach(site, session, "b.txt", b"x" * 6)


# in a prompt


def test_a_prompt_shows_its_files_and_every_change_is_told(site: SessionSite, session: Session) -> None:
    given = post_file(site, session, "shot.png", pictures.png()).json()
    before = snapshot_of(session.id)
    path = f"/sessions/{session.public_id}/prompts"
    RestApi(site.user)("post", path, {"text": "", "attachments": [given["id"]]}, expect=202)
    verify_events(session.id, before)
    words, file = snapshot_of(session.id)["parts"]
    assert (words["type"], words["text"]) == ("text", "")
    assert (file["type"], file["data"]) == ("file", {"attachment": given})


def test_a_file_of_another_session_is_not_there(site: SessionSite, session: Session) -> None:
    foreign = attach(site, site.open_session("Other"), "a.txt", b"x")
    with pytest.raises(BadInput) as caught:
        submit_prompt(actor=site.user, session=session, text="Look", attachments=[foreign.public_id])
    assert caught.value.fields == {"attachments": "unknown"}
    assert snapshot_of(session.id)["messages"] == []


@pytest.mark.parametrize("wrong", ["", "att_", "att_" + "g" * 32, "ses_" + "0" * 32, "att_" + "0" * 32])
def test_an_id_of_nothing_is_refused(site: SessionSite, session: Session, wrong: str) -> None:
    with pytest.raises(BadInput):
        submit_prompt(actor=site.user, session=session, text="Look", attachments=[wrong])


def test_a_file_that_is_named_twice_is_shown_once(site: SessionSite, session: Session) -> None:
    row = attach(site, session, "notes.txt", b"x")
    submit_prompt(actor=site.user, session=session, text="Look", attachments=[row.public_id, row.public_id])
    assert [part["type"] for part in snapshot_of(session.id)["parts"]] == ["text", "file"]


def test_a_prompt_may_have_twenty_files(site: SessionSite, session: Session) -> None:
    ids = [f"att_{number:032x}" for number in range(21)]
    with pytest.raises(BadInput, match="20 files"):
        submit_prompt(actor=site.user, session=session, text="Look", attachments=ids)


# down


def test_what_comes_down_is_saved_and_can_do_nothing(site: SessionSite, session: Session) -> None:
    row = attach(site, session, 'pa"ge\u00fc.html', b"<script>alert(1)</script>")
    answer = download(site, row.public_id)
    assert answer.content == b"<script>alert(1)</script>"
    headers = answer.headers
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    assert headers["Content-Security-Policy"] == "sandbox; default-src 'none'; frame-ancestors 'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Content-Disposition"].startswith("attachment; ")


def test_a_picture_comes_down_with_its_type_and_once(site: SessionSite, session: Session) -> None:
    row = attach(site, session, "shot.png", pictures.png())
    first = download(site, row.public_id)
    again = download(site, row.public_id, **{"If-None-Match": first.headers["ETag"]})
    assert (first.headers["Content-Type"], first.headers["Cache-Control"]) == ("image/png", "private, no-cache")
    assert (again.status_code, again.content) == (304, b"")


def test_a_file_whose_content_is_gone_says_so(site: SessionSite, session: Session, storage: Path) -> None:
    row = attach(site, session, "a.txt", b"x")
    (storage / row.place).unlink()
    answer = download(site, row.public_id)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "attachment_gone")


# gone


def test_files_go_with_their_session(site: SessionSite, session: Session, storage: Path) -> None:
    row = attach(site, session, "a.txt", b"x")
    other = attach(site, site.open_session("Other"), "b.txt", b"x")
    delete_session(actor=site.user, session=session)
    assert download(site, row.public_id).status_code == 404
    delete_expired_attachments(timezone.now())
    assert stored(storage) == [other.public_id]
    assert not (storage / row.place).parent.exists()
    assert not LooseFile.objects.exists()


def test_an_upload_is_taken_back_until_a_prompt_uses_it(site: SessionSite, session: Session, storage: Path) -> None:
    used, unused = (attach(site, session, name, b"x") for name in ("a.txt", "b.txt"))
    submit_prompt(actor=site.user, session=session, text="Look", attachments=[used.public_id])
    call = RestApi(site.user)
    call("delete", f"/attachments/{unused.public_id}", expect=204)
    assert call.error("delete", f"/attachments/{used.public_id}", expect=409)["code"] == "stale"
    delete_expired_attachments(timezone.now())
    assert stored(storage) == [used.public_id]


def test_a_file_that_no_prompt_used_goes_after_a_day(site: SessionSite, session: Session, storage: Path) -> None:
    used, unused = (attach(site, session, name, b"x") for name in ("a.txt", "b.txt"))
    submit_prompt(actor=site.user, session=session, text="Look", attachments=[used.public_id])
    delete_expired_attachments(later(hours=23))
    assert len(stored(storage)) == 2
    delete_expired_attachments(later(hours=25))
    assert stored(storage) == [used.public_id]
    with pytest.raises(BadInput):
        submit_prompt(actor=site.user, session=session, text="Look", attachments=[unused.public_id])


def test_a_site_may_keep_files_for_some_days(site: SessionSite, session: Session, storage: Path) -> None:
    row = attach(site, session, "a.txt", b"x")
    submit_prompt(actor=site.user, session=session, text="Look", attachments=[row.public_id])
    site.settings.ATTACHMENT_DAYS = 30
    delete_expired_attachments(later(days=29))
    assert stored(storage) == [row.public_id]
    delete_expired_attachments(later(days=31))
    assert stored(storage) == []
    assert snapshot_of(session.id)["parts"][1]["data"]["attachment"]["name"] == "a.txt"


def test_a_file_whose_writer_died_goes_after_an_hour(
    site: SessionSite, session: Session, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Attachment, "save", die)
        with pytest.raises(KeyboardInterrupt):
            attach(site, session, "a.txt", b"x")
    delete_expired_attachments(later(minutes=59))
    assert len(stored(storage)) == 1
    delete_expired_attachments(later(minutes=61))
    assert stored(storage) == []


def test_a_storage_that_is_away_loses_nothing_and_leaves_nothing(
    site: SessionSite, session: Session, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = attach(site, session, "a.txt", b"x")

    def away(*_: Any) -> None:
        raise OSError("no such bucket")

    with monkeypatch.context() as patched:
        patched.setattr(attachment_storage, "store", away)
        with pytest.raises(Unavailable):
            attach(site, session, "b.txt", b"x")
        patched.setattr(attachment_storage, "delete", away)
        delete_session(actor=site.user, session=session)
        delete_expired_attachments(timezone.now())
    assert stored(storage) == [row.public_id]
    delete_expired_attachments(later(hours=2))
    assert stored(storage) == []
    assert not LooseFile.objects.exists()
