"""Clients of the released API continue to work: every breaking change is announced first.

`openapi.released.json` is the released document without its descriptions. An operation or field that is to be removed
is first marked `deprecated` for as long as docs/api.md says, and then entered here with its replacement.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from agentsite.management.commands.export_openapi import FOLDER
from tests.support.api_changes import breaking_changes
from tests.support.parsed_once import committed_api

# Announced changes, in the words of `breaking_changes`, with the day of the announcement.
ANNOUNCED: Final[Mapping[str, str]] = {}


@cache
def _changes() -> list[str]:
    released: dict[str, Any] = json.loads((FOLDER / "openapi.released.json").read_text(encoding="utf-8"))
    return list(breaking_changes(released, committed_api()))


def test_nothing_breaks_that_was_not_announced() -> None:
    assert [change for change in _changes() if change not in ANNOUNCED] == []


def test_what_was_announced_is_what_breaks() -> None:
    assert set(ANNOUNCED) <= set(_changes())
