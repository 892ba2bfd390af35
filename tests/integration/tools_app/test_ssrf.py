"""Requests for addresses of the SSRF corpus reach only the public web, in a test network where every address
answers."""

import json
import os
import subprocess
import sys
import tomllib
from typing import Any

import pytest

from agentsite.base.environment import REPOSITORY
from tests.support.whole_internet import CORPUS, TRIED_IN_A_PROCESS, cases
from tools_app.web.rules import PORTS

DATA = tomllib.loads(CORPUS.read_text())
ALL = list(cases(DATA))
IN_A_PROCESS = {why: url for why, url in reversed(ALL) if why in TRIED_IN_A_PROCESS}
REDIRECTING = ("redirect", "two redirects", "rebinding")
FEWEST = 200

Attempts = dict[tuple[str, str], dict[str, Any]]


@pytest.fixture(scope="module")
def attempts() -> Attempts:
    """Try every address once, in separate namespaces. Return the attempts by method and address."""
    alone = ["unshare", "--net", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    command = [*alone, sys.executable, "-m", "tests.support.whole_internet"]
    ran = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=120)
    if "unshare" in ran.stderr and ran.returncode:
        pytest.skip("this machine lets nobody make a network of its own")
    assert ran.returncode == 0, ran.stderr[-3000:]
    lines = (json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{"))
    return {(line["how"], line["url"]): line for line in lines}


def test_the_corpus_is_as_large_as_was_promised() -> None:
    refused = {url for why, url in ALL if why != "reached"}
    assert len(refused) >= FEWEST


def test_what_is_not_the_public_web_is_refused_and_not_reached(attempts: Attempts) -> None:
    for why, url in ALL:
        if why != "reached":
            attempt = attempts["here", url]
            assert (attempt["outcome"], inside(attempt)) == ("refused", []), (why, url, attempt["words"])


@pytest.mark.parametrize("url", [url for why, url in ALL if why == "reached"])
def test_the_public_web_is_reached_in_the_same_network(url: str, attempts: Attempts) -> None:
    attempt = attempts["here", url]
    assert (attempt["outcome"], attempt["words"]) == ("page", "reached")
    assert len(attempt["reached"]) == 1


@pytest.mark.parametrize(("why", "url"), IN_A_PROCESS.items())
def test_the_process_that_fetches_for_tools_is_as_strict(why: str, url: str, attempts: Attempts) -> None:
    attempt = attempts["process", url]
    assert attempt["outcome"] == ("page" if why == "reached" else "refused"), attempt["words"]
    assert inside(attempt) == []


@pytest.mark.parametrize("how", ["door", "tunnel"])
def test_programs_reach_nothing_else_through_the_door(how: str, attempts: Attempts) -> None:
    for why, url in ALL:
        if why != "reached":
            attempt = attempts[how, url]
            is_public = how == "tunnel" and why in REDIRECTING  # a tunnel goes to the first host only
            assert attempt["outcome"] == ("page" if is_public else "refused"), (why, url, attempt["words"])
            assert inside(attempt) == [], (why, url)


@pytest.mark.parametrize("url", [url for why, url in ALL if why == "reached"])
def test_programs_reach_the_public_web_through_the_door(url: str, attempts: Attempts) -> None:
    attempt = attempts["door", url]
    assert attempt["words"].endswith("\r\n\r\nreached")
    assert len(attempt["reached"]) == 1


def inside(attempt: dict[str, Any]) -> list[Any]:
    """Return the addresses that an attempt reached although the corpus does not list them as public."""
    public = DATA["reached"]["addresses"]
    return [place for place in attempt["reached"] if place[0] not in public or place[1] not in PORTS]
