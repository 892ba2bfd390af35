"""Skills at addresses in the configuration: fetched by guarded processes, and stored by their content."""

import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any

import pytest
from django.test import TestCase
from django.utils import timezone

from agentsite.base.background import background
from agentsite.tenancy.models import AuditEntry
from sessions_app.actions import configurations, fetched_skills
from sessions_app.configured import configuration_of, stored_skills
from sessions_app.models import Configuration, SkillPackage, SkillVersion
from sessions_app.workers.door import fetched_skills as door
from tests.integration.sessions_app.test_configurations import Office
from tests.support.web_server import WebServer, page, serving

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


def skill(name: str = "tea", about: str = "How tea is made") -> bytes:
    return page(f"---\nname: {name}\ndescription: {about}\n---\nBoil water.\n", "text/markdown")


def index(*skills: dict[str, Any]) -> bytes:
    return page(json.dumps({"skills": [*skills]}), "application/json")


TEA = {"name": "tea", "files": ["SKILL.md", "brew.py"]}
PAGES = {"/s/index.json": index(TEA), "/s/tea/SKILL.md": skill(), "/s/tea/brew.py": page("print(1)\n", "text/plain")}


class Kitchen(Office):
    """An `Office` whose team configuration names an address with skills."""

    def __init__(self, server: WebServer) -> None:
        super().__init__()
        self.server, self.base = server, 0
        self.address = f"http://{server.place}/s"

    def name(self, *addresses: str) -> None:
        document = {"skills": {"urls": [*addresses]}}
        self.base = self.save(self.team.public_id, base=self.base, document=document)["version"]
        self.read()

    def read(self) -> None:
        door.refresh_skills(Configuration.objects.get(place=self.team.public_id).pk)

    def sources(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.api("get", f"/configurations/{self.team.public_id}")["skill_sources"]
        return found

    def shown(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.api("get", f"/configurations/{self.team.public_id}/skills")["items"]
        return found


@pytest.fixture
def kitchen(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kitchen]:
    monkeypatch.setattr(door, "is_first", lambda *_: True)
    stack = AsyncExitStack()
    server = background.run(stack.enter_async_context(serving(dict(PAGES))))
    settings.WEB_ALLOW = [server.place]
    yield Kitchen(server)
    background.run(stack.aclose())


def test_skills_of_an_address_are_those_of_the_team_until_it_is_removed(kitchen: Kitchen) -> None:
    kitchen.name(kitchen.address)
    (source,) = kitchen.sources()
    assert (source["address"], source["skills"], source["problem"]) == (kitchen.address, ["tea"], "")
    (shown,) = kitchen.shown()
    assert (shown["name"], shown["address"], shown["in_force"]) == ("tea", kitchen.address, 1)
    assert [file["path"] for file in shown["versions"][0]["files"]] == ["SKILL.md", "brew.py"]
    assert [(origin, each["name"]) for origin, each in stored_skills(kitchen.open_session())] == [("team", "tea")]
    entry = AuditEntry.objects.get(action="skill.fetched")
    assert (entry.data["address"], entry.data["version"]) == (kitchen.address, 1)
    kitchen.name()
    assert (kitchen.shown(), kitchen.sources()) == ([], [])


def test_the_same_content_makes_no_version_and_another_one_does(kitchen: Kitchen) -> None:
    kitchen.name(kitchen.address)
    kitchen.read()
    assert SkillVersion.objects.count() == 1
    kitchen.server.pages = {**PAGES, "/s/tea/SKILL.md": skill(about="Other tea")}
    kitchen.read()
    (shown,) = kitchen.shown()
    assert (shown["in_force"], shown["versions"][0]["description"]) == (2, "Other tea")
    kitchen.api("patch", f"/skill-packages/{shown['id']}", {"in_force": 1})
    kitchen.server.pages = {**PAGES, "/s/tea/SKILL.md": skill(about="Third tea")}
    kitchen.read()
    assert [kitchen.shown()[0][key] for key in ("in_force",)] == [1]  # the version that people chose stays
    assert SkillVersion.objects.count() == 3


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        ({"/s/index.json": page("", status="500 Broken")}, "answered 500"),
        ({"/s/index.json": page("<html></html>")}, "not an index of skills"),
        ({"/s/index.json": index({"name": "tea", "files": ["SKILL.md", "../../x"]})}, "leads out"),
        ({"/s/index.json": index({"name": "../tea", "files": ["SKILL.md"]})}, "cannot be the name"),
        ({"/s/index.json": index({"name": "tea", "files": ["brew.py"]})}, "lists no SKILL.md"),
        ({"/s/index.json": index(TEA, TEA)}, "two skills with the same name"),
        ({"/s/tea/SKILL.md": skill(name="coffee")}, "names another skill"),
        ({"/s/tea/SKILL.md": page("no description", "text/markdown")}, "has no description"),
        ({"/s/tea/brew.py": page("gone", status="404 Not Found")}, "answered 404"),
        ({"/s/tea/brew.py": page("", status="302 Found", Location="http://169.254.169.254/x")}, "refused"),
    ],
)
def test_an_address_that_fails_changes_nothing_and_says_why(
    kitchen: Kitchen, pages: dict[str, bytes], words: str
) -> None:
    kitchen.name(kitchen.address)
    kitchen.server.pages = {**PAGES, **pages}
    kitchen.read()
    (source,) = kitchen.sources()
    assert words in source["problem"]
    assert source["problem"].endswith("The skills that were read before still apply.")
    assert [each["in_force"] for each in kitchen.shown()] == [1]


def test_an_uploaded_skill_of_the_same_name_stays(kitchen: Kitchen) -> None:
    SkillPackage.objects.create(
        place=kitchen.team.public_id, team=kitchen.team, name="tea", changed_at=kitchen.team.created_at
    )
    kitchen.name(kitchen.address)
    assert "another skill here has this name, and stays" in kitchen.sources()[0]["problem"]
    assert SkillPackage.objects.get().address == ""


def test_no_address_of_a_file_or_a_person_is_asked(kitchen: Kitchen) -> None:
    kitchen.save(kitchen.owner.public_id, document={"skills": {"urls": [kitchen.address]}})
    door.refresh_skills(Configuration.objects.get(place=kitchen.owner.public_id).pk)
    session = kitchen.open_session()
    document = json.dumps({"skills": {"urls": [kitchen.address]}})
    session.workspace.configuration = {"documents": [{"path": "opencode.json", "text": document, "problem": ""}]}
    problems = {each.key: each.reason for each in configuration_of(session).unapplied}
    assert "everybody who can push would decide" in problems["skills.urls"]
    assert kitchen.server.asked == []


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://skills.example.org/s", "must begin with https://"),
        ("https://169.254.169.254/s", "refused"),
        ("nowhere", ""),
    ],
)
def test_an_address_that_cannot_be_used_is_named(kitchen: Kitchen, address: str, words: str) -> None:
    kitchen.name(address)
    (source,) = kitchen.sources()
    assert source["problem"]
    assert words in source["problem"]
    assert kitchen.server.asked == []


def test_only_a_few_addresses_are_read(kitchen: Kitchen) -> None:
    kitchen.server.pages = {f"/{number}/index.json": index() for number in range(7)}
    kitchen.name(*(f"http://{kitchen.server.place}/{number}" for number in range(7)))
    assert len(kitchen.server.asked) == 5
    assert [each["problem"] for each in kitchen.sources()][5:] == 2 * ["Only 5 addresses are read."]


def test_they_are_read_after_each_saving_and_every_six_hours(kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(configurations, "enqueue_skill_addresses", asked.append)
    monkeypatch.setattr(fetched_skills, "enqueue_skill_addresses", asked.append)
    monkeypatch.setattr(fetched_skills, "has_room", lambda _: True)
    with TestCase.captureOnCommitCallbacks(execute=True):
        kitchen.save(kitchen.project.public_id, document={"share": "disabled"})
        kitchen.name(kitchen.address)
    row = Configuration.objects.get(place=kitchen.team.public_id)
    assert asked == [row.pk]
    fetched_skills.enqueue_due_skills(timezone.now() + timedelta(hours=5))
    assert asked == [row.pk]
    fetched_skills.enqueue_due_skills(timezone.now() + timedelta(hours=7))
    assert asked == [row.pk, row.pk]
