"""Every request in the documentation exists in the API document."""

import json
import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[3]
NAMED: Final = re.compile(r"`(GET|POST|PUT|PATCH|DELETE) (/[^\s`?]+)[^`]*`")
ELSEWHERE: Final = ("/_allauth/", "/admin", "/ws/", "/models", "/containers/", "/control/")


def known() -> list[tuple[str, re.Pattern[str]]]:
    paths = json.loads((ROOT / "tests" / "contract" / "openapi.json").read_text())["paths"]
    return [
        (method.upper(), re.compile(re.sub(r"\\\{\w+\\\}", r"[^/]+", re.escape(path))))
        for path, methods in paths.items()
        for method in methods
    ]


def is_route(asked: tuple[str, str], route: tuple[str, re.Pattern[str]]) -> bool:
    (method, path), (known_method, pattern) = asked, route
    return method == known_method and bool(pattern.fullmatch(f"/api/v1{path.removeprefix('/api/v1')}"))


def named(page: Path) -> set[tuple[str, str]]:
    found = {(method, path.rstrip(".,;")) for method, path in NAMED.findall(page.read_text(encoding="utf-8"))}
    return {(method, path) for method, path in found if not path.startswith(ELSEWHERE)}


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_the_requests_of_a_page_exist(page: Path) -> None:
    routes = known()
    missing = [asked for asked in sorted(named(page)) if not any(is_route(asked, route) for route in routes)]
    assert missing == []


def test_the_api_page_names_many_of_them() -> None:
    assert len(named(ROOT / "docs" / "api.md")) > 30
