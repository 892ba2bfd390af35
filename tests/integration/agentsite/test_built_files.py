"""Static files are served before Django, with Django's security headers, and browsers can revalidate their copies."""

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from pytest_django.fixtures import Settings

from agentsite.base.errors import BadInput
from agentsite.http.asgi import send_error
from agentsite.http.built_files import BuiltFiles
from tests.integration.agentsite.test_web_security import assert_guarded

SCRIPT: Final = "/static/ninja/swagger-ui-bundle.js"
HASHED: Final = "/static/assets/entry-B8abuEZW.js"
CONTENT: Final = b"let a = 1;\n" * 100_000


async def ask(
    path: str, *, method: str = "GET", base: str = "http://localhost", prefix: str = "", **headers: str
) -> Any:
    async def application(scope: Mapping[str, Any], receive: Any, send: Any) -> None:
        await send_error(send, BadInput("Django was asked."))

    transport = httpx.ASGITransport(BuiltFiles(application), root_path=prefix)
    async with httpx.AsyncClient(transport=transport, base_url=base) as client:
        return await client.request(
            method, path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )


@pytest.fixture
def built(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    file = tmp_path / "assets" / HASHED.rsplit("/", 1)[1]
    file.write_bytes(CONTENT)
    Path(f"{file}.gz").write_bytes(gzip.compress(CONTENT))
    settings.STATIC_ROOT = tmp_path


@pytest.mark.parametrize("path", [SCRIPT, "/static/documentation/documentation.js", "/static/admin/css/base.css"])
async def test_files_of_the_documentation_and_the_operator_pages_are_served_and_guarded(path: str) -> None:
    answer = await ask(path)
    assert answer.status_code == 200
    assert len(answer.content) == int(answer.headers["Content-Length"]) > 0
    assert_guarded(answer, path)


@pytest.mark.usefixtures("built")
async def test_a_file_with_its_hash_in_its_name_is_sent_compressed_whole_and_kept_for_ever() -> None:
    answer = await ask(HASHED, Accept_Encoding="gzip")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.content == CONTENT
    assert "immutable" in answer.headers["Cache-Control"]
    assert (await ask(HASHED, Accept_Encoding="identity")).content == CONTENT


@pytest.mark.usefixtures("built")
async def test_a_browser_that_has_the_file_is_told_so() -> None:
    tag = (await ask(HASHED)).headers["ETag"]
    again = await ask(HASHED, If_None_Match=tag)
    assert (again.status_code, again.content) == (304, b"")
    assert_guarded(again, HASHED)


@pytest.mark.usefixtures("built")
async def test_head_ranges_and_other_methods() -> None:
    head = await ask(HASHED, method="HEAD", Accept_Encoding="identity")
    assert (head.content, head.headers["Content-Length"]) == (b"", str(len(CONTENT)))
    part = await ask(HASHED, Accept_Encoding="identity", Range="bytes=4-9")
    assert (part.status_code, part.content) == (206, b"a = 1;")
    assert (await ask(HASHED, method="POST")).status_code == 405


async def test_the_prefix_of_a_site_below_another_is_not_part_of_a_files_name() -> None:
    assert (await ask(f"/tools/agents{SCRIPT}", prefix="/tools/agents")).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/static/nothing.js", "/static/", "/static/../pyproject.toml", "/static/%2e%2e/manage.py", f"/files{SCRIPT}", "/"],
)
async def test_what_is_no_static_file_goes_to_django(path: str) -> None:
    answer = await ask(path)
    assert answer.json()["error"]["message"] == "Django was asked."


async def test_without_tls_django_is_asked_for_its_redirect_and_with_tls_it_is_required_from_then_on(
    settings: Settings,
) -> None:
    settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS = True, 60
    assert (await ask(SCRIPT)).json()["error"]["message"] == "Django was asked."
    answer = await ask(SCRIPT, base="https://localhost")
    assert answer.headers["Strict-Transport-Security"] == "max-age=60"


async def test_an_interface_that_is_not_built_keeps_no_page_from_its_answer(settings: Settings, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path / "nothing"
    assert (await ask("/")).json()["error"]["message"] == "Django was asked."
    assert (await ask(SCRIPT)).status_code == 200
