"""The demo shows a refused and an allowed download only on a site that it started, and fails if the download that a
rule refuses succeeds."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from deploy import demo_network
from deploy.demo_network import PLACE, NetworkShownWrong, show_network
from tests.support.running_site import free_port


@contextmanager
def no_rules(*_: str) -> Iterator[None]:
    yield


def result(output: str) -> Any:
    return SimpleNamespace(calls={"call_1": SimpleNamespace(tool="bash", output=output)})


@pytest.fixture
def _place(monkeypatch: pytest.MonkeyPatch) -> None:
    found = f"127.0.0.1:{free_port()}"
    monkeypatch.setenv(PLACE, found)
    monkeypatch.setattr(demo_network, "_rules", no_rules)


def run_as(refused: str) -> Any:
    """Return a function that runs a prompt. A download from example.org outputs `refused`; any other download is really
    made."""

    def run(prompt: str) -> Any:
        url = prompt.strip("`").rpartition(" ")[2]
        return result(refused if "example.org" in url else httpx.get(url, trust_env=False).text)

    return run


@pytest.mark.usefixtures("_place")
def test_a_refused_and_an_allowed_download_are_shown() -> None:
    said: list[str] = []
    show_network("", "", "prj_1", run_as("It is refused by a rule."), said.append)
    assert len(said) == 2


@pytest.mark.usefixtures("_place")
def test_a_download_that_should_have_been_refused_fails_the_demo() -> None:
    with pytest.raises(NetworkShownWrong, match="is refused by a rule"):
        show_network("", "", "prj_1", run_as("tea,price"), lambda _: None)


def test_nothing_is_shown_on_a_site_that_somebody_else_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PLACE, raising=False)
    said: list[str] = []
    show_network("", "", "prj_1", lambda _: pytest.fail("no prompt is sent"), said.append)
    assert len(said) == 1
