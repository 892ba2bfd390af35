"""The single-page interface, its security headers, and the API's documentation page."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def built(settings: Settings, tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_text("<!doctype html><title>agentsite</title>")
    settings.FRONTEND_DIST = tmp_path
    return tmp_path


@pytest.mark.parametrize("path", ["/", "/projects/prj_1", "/sessions/ses_1?tab=changes"])
def test_every_address_of_the_interface_gets_its_document(built: Path, path: str) -> None:
    answer = Client().get(path)
    assert answer.status_code == 200
    assert b"<title>agentsite</title>" in answer.content


def test_the_document_is_never_kept_and_brings_the_csrf_cookie(built: Path) -> None:
    answer = Client().get("/")
    assert answer.headers["Cache-Control"] == "no-cache"
    assert "csrftoken" in answer.cookies


def test_an_interface_that_is_not_built_says_what_to_run(settings: Settings, tmp_path: Path) -> None:
    settings.FRONTEND_DIST = tmp_path / "nothing"
    answer = Client().get("/")
    assert answer.status_code == 503
    assert b"make install" in answer.content


def test_no_script_and_no_style_may_stand_in_the_page(built: Path) -> None:
    policy = Client().get("/").headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


def test_nobody_may_frame_the_site_or_guess_types(built: Path) -> None:
    headers = Client().get("/").headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_the_worker_of_push_notices_is_at_the_root_never_kept_and_may_load_nothing(built: Path) -> None:
    (built / "push-worker.js").write_text("// worker")
    answer = Client().get("/push-worker.js")
    assert (answer.content, answer.headers["Cache-Control"]) == (b"// worker", "no-cache")
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; img-src 'self'; frame-ancestors 'none'"
    assert Client().post("/push-worker.js").status_code == 405


def test_the_documentation_page_loads_only_from_us() -> None:
    answer = Client().get("/api/docs")
    assert answer.status_code == 200
    assert b"/static/ninja/swagger-ui-bundle.js" in answer.content
    assert b"https://" not in answer.content


def test_a_static_file_that_is_not_there_is_not_the_interface() -> None:
    assert Client().get("/static/nothing.js").status_code == 404
