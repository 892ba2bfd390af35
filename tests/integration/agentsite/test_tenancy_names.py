"""Names reveal nothing about other teams, in a field or as `@name`.

The response to a name that another team uses must equal the response to a name that nobody uses, except for the name
itself and parts that differ in any two responses (ids and times).
"""

import re
from typing import Any, Final

import pytest
from django.utils.text import slugify

from sessions_app.models import Agent, Part
from sessions_app.repositories import queries
from tests.support.lanes import sampled
from tests.support.tenancy_callers import Caller
from tests.support.tenancy_requests import Operation, seen
from tests.support.tenancy_site import PRIVATE, World, undone, world
from tests.support.tenancy_world import CANARY

__all__ = ["world"]
pytestmark = pytest.mark.django_db

FIELDS: Final = frozenset({"agent", "default_agent", "tool", "text", "q"})
CALLED: Final = [
    *((one, name) for one in PRIVATE for name in sorted(one.texts() & FIELDS)),
    *((one, "name") for one in PRIVATE if one.name in {"explain_agent", "create_team"}),
]
WRITTEN: Final = ("{name}", "Ask @{name}, or (@{name}).")
WHO: Final = ("the owner of another team", "a service account of another team", "a token for another team")
OF_NO_OTHER: Final = re.compile(
    r"\b[a-z]{2,4}_[0-9a-f]{32}\b"  # ids
    r"|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)?"
    r'|"ETag": "[^,]*'  # made of both
    r'|(?<="name": ")[0-9a-f]{8}(?=")'  # of a note: the end of its id
    r"|(?<=<name>)-[0-9a-f]{6}\b"  # the end of a team's short name
    r'|"RateLimit-Limit": "\d+"'  # of several limits, the one that is nearest
)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the wait for the door (the network proxy): none runs here, and six queries would wait for it."""
    monkeypatch.setattr(queries, "TIMEOUT_WITHOUT_DOOR", 0.1)


def names_of(world: World) -> dict[str, str]:
    """Return the names of the rows and people of the team that the tests must not see (`world.foreign`)."""
    for row in (rows := world.foreign.rows).values():
        row.refresh_from_db()
    return {
        "agent": rows["agent"].name,
        "team agent": rows["team_agent"].name,
        "person": rows["user"].name,
        "address": rows["user"].email,
        "team": rows["team"].name,
        "team in addresses": rows["team"].slug,
        "project": rows["project"].slug,
        "file": rows["attachment"].name,
        "provider": rows["provider"].slug,
    }


def like(name: str) -> str:
    """Return a name that nobody uses, of the same length as `name`."""
    return re.sub(r"\w", "z", name)


def answer_to(operation: Operation, caller: Caller, world: World, field: str, text: str, name: str) -> Any:
    with undone():
        answer = operation.ask(caller, world.home.ids, **{field: text.format(name=name)})
        status, told = seen(answer, asked={}, instead={})
    for form in (name, name.title(), slugify(name)):
        told = told.replace(form, "<name>")
    return status, OF_NO_OTHER.sub("", told)


@pytest.mark.parametrize(("operation", "field"), CALLED, ids=str)
def test_a_name_of_another_team_is_as_one_that_nobody_has(operation: Operation, field: str, world: World) -> None:
    names = names_of(world)
    for who in sampled(WHO, every=3, start=CALLED.index((operation, field))):
        for what, name in sampled([*names.items()], every=3, start=CALLED.index((operation, field))):
            for text in WRITTEN if field in {"text", "q"} else WRITTEN[:1]:
                theirs, nobodys = (
                    answer_to(operation, world.outside[who], world, field, text, one) for one in (name, like(name))
                )
                assert theirs == nobodys, (who, what, text)
                assert CANARY not in theirs[1], (who, what, text)


def called_by(world: World, text: str) -> list[str]:
    [operation] = [one for one in PRIVATE if one.name == "submit_prompt"]
    before = set(Part.objects.values_list("pk", flat=True))
    with undone():
        answer = operation.ask(world.outside[WHO[0]], world.home.ids, text=text)
        assert answer.status_code == 202, answer.content
        return [part.data["agent"] for part in Part.objects.filter(type="agent").exclude(pk__in=before)]


def test_a_prompt_calls_the_agents_of_its_own_project_and_of_no_other(world: World) -> None:
    ours, theirs = world.home["agent"], names_of(world)["agent"]
    Agent.objects.filter(pk=ours.pk).update(document={"mode": "all"})
    assert called_by(world, f"Ask @{ours.name} and @{theirs}.") == [ours.name]
