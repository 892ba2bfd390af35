"""Lists of sessions, and the export of a session as a file."""

import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agentsite.base.ids import new_id, to_public
from sessions_app.models import Session
from tests.support.builders import bearer
from tests.support.model_server import text
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite


@pytest.fixture
def api(site: SessionSite) -> RestApi:
    return RestApi(site.user)


def ids(page: Any) -> list[str]:
    return [item["id"] for item in page["items"]]


def test_sessions_of_one_person_of_one_project_and_of_one_time(site: SessionSite, api: RestApi) -> None:
    session = site.open_session()
    times = {"created_at": "2026-01-02T00:00:00Z", "updated_at": "2026-02-02T00:00:00Z"}
    Session.objects.filter(pk=session.pk).update(**times)
    found = [session.public_id]
    assert ids(api("get", f"/sessions?created_by={site.user.public_id}&project={site.project.public_id}")) == found
    assert ids(api("get", f"/sessions?created_by={to_public('usr', new_id())}")) == []
    assert ids(api("get", "/sessions?since=2026-01-01T00:00:00Z&until=2026-01-03T00:00:00Z")) == found
    assert ids(api("get", "/sessions?until=2026-01-02T00:00:00Z")) == []
    assert ids(api("get", "/sessions?updated_since=2026-02-02T00:00:00Z&agent=build")) == found
    assert ids(api("get", "/sessions?updated_until=2026-02-02T00:00:00Z")) == []
    assert ids(api("get", f"/projects/{site.project.public_id}/sessions?agent=plan")) == []
    assert ids(api("get", "/sessions?status=running")) == []


def test_the_archive_is_listed_by_itself(site: SessionSite, api: RestApi) -> None:
    session = site.open_session()
    assert ids(api("get", "/sessions?archived=true")) == []
    api("patch", f"/sessions/{session.public_id}", {"archived": True})
    assert ids(api("get", "/sessions?archived=true")) == [session.public_id]
    assert ids(api("get", "/sessions")) == []


@pytest.mark.parametrize("since", ["yesterday", "2026-01-01T00:00:00", "0001-01-01T00:00:00%2B05:00", "99999-01-01"])
def test_a_time_that_is_none_is_named(site: SessionSite, api: RestApi, since: str) -> None:
    assert "since" in json.dumps(api.error("get", f"/sessions?since={since}", expect=400)["fields"])


def test_a_session_is_exported_as_json_and_as_text_to_read(site: SessionSite, api: RestApi) -> None:
    site.script(text("The tests pass now."))
    session = site.open_session("Mend it")
    site.run_prompt("Fix the failing test.", session=session)
    path = f"/sessions/{session.public_id}/export"
    assert api("get", path)["session"]["title"] == "Mend it"
    answer = Client().get(f"/api/v1{path}?format=markdown", headers=bearer(site.user))
    words = answer.content.decode()
    assert words.startswith("# Mend it\n")
    assert f"{timezone.now():%Y}" in words
    assert "## Prompt\n\nFix the failing test.\n" in words
    assert "The tests pass now." in words
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{session.public_id}.md"'
    assert answer.headers["Content-Type"].startswith("text/markdown")
