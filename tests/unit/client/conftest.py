"""A scripted site without a network."""

from collections.abc import Iterator

import httpx
import pytest

from agentsite.client import Client, connection, events


class ScriptedSite:
    """A site that answers each request with the next of `answers`, and records the requests in `asked`."""

    def __init__(self) -> None:
        self.answers: list[httpx.Response | Exception] = []
        self.asked: list[httpx.Request] = []
        self.client = Client(
            "http://site.test/prefix/", token="ags_secret", transport=httpx.MockTransport(self._answer)
        )

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedSite]:
    """Provide a scripted site, and switch the pauses between attempts off."""
    monkeypatch.setattr(connection, "MAX_PAUSE", 0.0)
    monkeypatch.setattr(events, "RETRY_PAUSE", 0.0)
    site = ScriptedSite()
    with site.client:
        yield site
