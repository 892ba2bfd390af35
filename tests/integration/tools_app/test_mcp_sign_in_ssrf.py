"""A sign-in at an MCP server connects only to the public web, even if this server or its authorization server names
other addresses."""

import json
import os
import subprocess
import sys
import tomllib
from typing import Any

import pytest

from agentsite.base.environment import REPOSITORY
from tests.support.oauth_in_internet import CONTROL, WAYS
from tests.support.whole_internet import CORPUS
from tools_app.web.rules import PORTS

pytestmark = pytest.mark.full
PUBLIC = tomllib.loads(CORPUS.read_text())["reached"]["addresses"]
FEWEST = 400  # addresses, with and without TLS


@pytest.fixture(scope="module")
def attempts() -> list[dict[str, Any]]:
    alone = ["unshare", "--net", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    command = [*alone, sys.executable, "-m", "tests.support.oauth_in_internet"]
    ran = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=900)
    if "unshare" in ran.stderr and ran.returncode:
        pytest.skip("this machine lets nobody make a network of its own")
    assert ran.returncode == 0, ran.stderr[-3000:]
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("how", WAYS)
def test_nothing_inside_is_reached(how: str, attempts: list[dict[str, Any]]) -> None:
    mine = [attempt for attempt in attempts if attempt["how"] == how]
    assert len(mine) >= FEWEST
    for attempt in mine:
        inside = [place for place in attempt["reached"] if place[0] not in PUBLIC or place[1] not in PORTS]
        assert inside == [], attempt


@pytest.mark.parametrize("how", [how for how in WAYS if how not in ("redirect", "authorize")])
def test_the_public_web_is_reached_in_the_same_network(how: str, attempts: list[dict[str, Any]]) -> None:
    (control,) = [attempt for attempt in attempts if attempt["how"] == how and attempt["url"] == CONTROL]
    assert control["reached"]


def test_nobody_is_sent_to_an_address_inside_to_sign_in(attempts: list[dict[str, Any]]) -> None:
    """Nobody is sent to an address inside the network to sign in: such IP addresses and local names are refused. Other
    names are resolved by the browser only."""
    sent = [attempt for attempt in attempts if attempt["how"] == "authorize" and "127.0.0.1" in attempt["url"][:20]]
    assert any(attempt["words"].startswith("failed: names an address that cannot be used") for attempt in sent)
    assert not [attempt for attempt in sent if attempt["words"].startswith("authorize: ") and "127" in where(attempt)]


def where(attempt: dict[str, Any]) -> str:
    """Return the host of the first URL in the result of a sign-in attempt, which is where a person would be sent to
    sign in."""
    words: str = attempt["words"]
    return words.partition("://")[2].partition("/")[0]
