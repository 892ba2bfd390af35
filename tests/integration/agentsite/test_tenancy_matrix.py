"""The API reveals nothing about other teams: every route is requested by all kinds of callers without a right to it.

The routes come from the API document and the rows from `tests/support/tenancy_matrix.py`. The responses for a row of
another team and for a row that never existed must have equal status, headers and body, except for the requested id.
"""

from typing import Any, Final

import pytest
from django.test import Client

from agentsite.tenancy.roles import Act, may
from sessions_app.transport.ws.session_consumer import HANDLERS
from tests.support.builders import browser_of, make_project
from tests.support.frame_check import type_of
from tests.support.lanes import sampled
from tests.support.tenancy_callers import Caller
from tests.support.tenancy_exceptions import PLAIN, WITHOUT_ROW
from tests.support.tenancy_frames import FRAMES
from tests.support.tenancy_matrix import ROUTES
from tests.support.tenancy_requests import Operation, seen
from tests.support.tenancy_route import Open
from tests.support.tenancy_site import (
    ALL,
    AUDIT,
    KNOWN,
    LISTS,
    OF_ROWS,
    OF_TEAMS,
    PRIVATE,
    World,
    changing_nothing,
    look,
    look_at_both,
    undone,
    world,
)
from tests.support.tenancy_world import CANARY, FIXED, our_models

__all__ = ["world"]
pytestmark = pytest.mark.django_db

WRITING: Final = [operation for operation in PRIVATE if not operation.reads]
REFERRING: Final = [(operation, name) for operation in PRIVATE for name in operation.row.refers]
NESTED: Final = [(operation, name) for operation in OF_ROWS for name in operation.row_ids if len(operation.row_ids) > 1]
REFERRERS: Final = (
    "the owner of another team", "a program of the owner of another team", "an operator", "a token for another team",
    "a service account of another team",
)  # fmt: skip
NUMBERS: Final = {operation.name: number for number, operation in enumerate(PRIVATE)}
"""Numbers of the routes, which select the callers in `make test`. `make test-all` requests each route as every
caller."""
JUNK: Final = ("x", "ses_", "ses_" + "g" * 32, "0" * 300, "..%2f..", "%00", "ses_%F0%9F%8D%B5", "ses_nonsense")


# --- the table is whole -------------------------------------------------------------------------------------------
def test_every_route_has_a_row() -> None:
    assert {operation.name for operation in ALL} == set(ROUTES)


def test_every_id_in_a_path_has_a_row_to_point_at(world: World) -> None:
    assert {name for operation in ALL for name in operation.path_ids} <= set(world.foreign.ids)


def test_every_text_that_a_route_reads_is_known_to_name_a_row_or_none() -> None:
    for operation in KNOWN:
        unknown = operation.texts() - PLAIN - set(operation.row.refers) - set(operation.row.query)
        assert not unknown, f"say in `refers` of {operation} what they name, or that they are PLAIN"


def test_every_frame_of_a_sessions_socket_has_a_row() -> None:
    assert set(FRAMES) == set(map(type_of, HANDLERS))


def test_every_model_has_a_row_in_the_foreign_team(world: World) -> None:
    bare = {model.__name__ for model in our_models() if not model._base_manager.exists()}
    assert bare <= set(WITHOUT_ROW), "add a kind of row, or say why there is none"


# --- what is public --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("operation", [one for one in KNOWN if one.row.needs is Open.PUBLIC], ids=str)
def test_what_is_public_tells_nothing_of_any_team(operation: Operation, world: World) -> None:
    answer = operation.ask(Caller(Client()), world.foreign.ids)
    text = seen(answer, asked={}, instead={})[1]
    assert CANARY not in text
    assert not [value for value in world.foreign.ids.values() if len(value) > 8 and value in text]


# --- who is not signed in -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("operation", PRIVATE, ids=str)
def test_nobody_gets_in_without_signing_in(operation: Operation, world: World) -> None:
    for who, caller in sampled([*world.unknown.items()], every=6, start=NUMBERS[operation.name]):
        foreign, missing = look_at_both(operation, caller, world.foreign.ids, world.missing, world.rows)
        assert foreign[0] == 401, who
        assert '"not_signed_in"' in foreign[1], who
        assert foreign == missing, who


# --- who is signed in, and belongs elsewhere ----------------------------------------------------------------------
@pytest.mark.parametrize("operation", OF_ROWS, ids=str)
def test_another_teams_row_looks_like_one_that_never_was(operation: Operation, world: World) -> None:
    for who, caller in sampled([*world.outside.items()], every=9, start=NUMBERS[operation.name]):
        foreign, missing = look_at_both(operation, caller, world.foreign.ids, world.missing, world.rows)
        assert foreign[0] == 404 or '"not_with_token"' in foreign[1], (who, foreign)
        assert foreign == missing, who
        assert CANARY not in foreign[1], who


@pytest.mark.parametrize("operation", LISTS, ids=str)
def test_a_list_is_the_same_whether_there_is_another_team_or_not(operation: Operation, world: World) -> None:
    ids = [value for value in world.foreign.ids.values() if len(value) > 8]
    for who, caller in sampled([*world.outside.items()], every=3, start=NUMBERS[operation.name]):
        status, text = look(operation, caller, world.home)
        assert CANARY not in text, who
        assert not [value for value in ids if value in text], who
        assert world.before.get((str(operation), who), (status, text)) == (status, text), who


@pytest.mark.parametrize(("operation", "name"), sampled(NESTED, every=2), ids=str)
def test_one_foreign_id_in_a_path_is_enough_to_find_nothing(operation: Operation, name: str, world: World) -> None:
    caller = world.outside["the owner of another team"]
    for own, strange in ((world.home.ids, world.foreign.ids), (world.foreign.ids, world.home.ids)):
        answer = operation.ask(caller, {**own, name: strange[name]})
        assert answer.status_code == 404
        assert CANARY not in answer.content.decode()


@pytest.mark.parametrize(("operation", "name"), REFERRING, ids=str)
def test_a_foreign_id_in_a_query_or_body_is_one_that_never_was(operation: Operation, name: str, world: World) -> None:
    given = operation.row.refers[name]
    for who in sampled(REFERRERS, every=5, start=NUMBERS[operation.name]):
        answers = []
        for ids in (world.foreign.ids, world.missing):
            with changing_nothing(world.rows, but=AUDIT if operation.reads else ()):
                answer = operation.ask(world.outside[who], world.home.ids, **{name: _filled(given, ids)})
            answers.append(seen(answer, asked=ids, instead=world.foreign.ids))
        assert answers[0] == answers[1], who
        assert CANARY not in answers[0][1], who


def _filled(given: Any, ids: dict[str, str]) -> Any:
    if isinstance(given, list):
        return [_filled(item, ids) for item in given]
    return given.format(**ids) if isinstance(given, str) else given


@pytest.mark.parametrize("operation", sampled(OF_ROWS, every=3), ids=str)
def test_an_id_that_is_none_is_missing_and_no_failure(operation: Operation, world: World) -> None:
    caller = world.outside["the owner of another team"]
    for junk in sampled(JUNK, every=8, start=NUMBERS[operation.name]):
        ids = {**dict.fromkeys(world.home.ids, junk), **FIXED}
        assert operation.ask(caller, ids).status_code == 404, junk


# --- who belongs to the team --------------------------------------------------------------------------------------
@pytest.mark.parametrize("operation", OF_TEAMS, ids=str)
def test_each_role_does_what_the_table_of_roles_permits_and_nothing_else(operation: Operation, world: World) -> None:
    needs = operation.row.needs
    assert isinstance(needs, Act)
    members = sampled([*world.members.items()], every=2, start=NUMBERS[operation.name])
    for who, (role, may_approve, caller) in members:
        permitted = may(role, needs, may_approve=may_approve)
        if permitted and (operation.row.asks or operation.row.stricter):
            continue
        with undone():
            answer = operation.ask(caller, world.home.ids)
        if permitted:
            assert answer.status_code not in (401, 403, 404, 500), (who, answer.content)
        else:
            assert answer.status_code == 403, (who, role)
            assert answer.json()["error"]["code"] == "not_allowed", who


@pytest.mark.parametrize("operation", [one for one in LISTS + OF_TEAMS if one.row.needs is Act.VIEW], ids=str)
def test_a_viewer_sees_all_that_there_is_of_the_team(operation: Operation, world: World) -> None:
    if not operation.reads or operation.row.asks or operation.row.stricter:
        return
    _, _, viewer = world.members["viewer"]
    answer = operation.ask(viewer, world.home.ids)
    assert answer.status_code == 200
    if "json" in answer.headers["Content-Type"] and "items" in answer.json():
        assert answer.json()["items"]


def test_a_workspace_of_another_project_of_the_same_team_is_none_of_this_one(world: World) -> None:
    other = make_project(world.home.team)
    answer = browser_of(world.home.owner).post(
        f"/api/v1/projects/{other.public_id}/sessions",
        {"workspace_id": world.home.ids["workspace_id"]},
        content_type="application/json",
    )
    assert answer.status_code == 404


@pytest.mark.parametrize("operation", [one for one in OF_ROWS if one.row.needs is Open.OWN], ids=str)
def test_what_belongs_to_one_person_is_missing_for_the_rest_of_the_team(operation: Operation, world: World) -> None:
    for who, (_, _, caller) in world.members.items():
        assert operation.ask(caller, world.home.ids).status_code == 404, who


@pytest.mark.parametrize("operation", [one for one in PRIVATE if one.row.needs is Open.OPERATOR], ids=str)
def test_what_operators_do_nobody_else_does(operation: Operation, world: World) -> None:
    for who, caller in world.outside.items():
        answer = operation.ask(caller, world.home.ids)
        assert (answer.status_code == 403) == (who != "an operator"), (who, answer.content)


# --- cross-site requests ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("operation", sampled(WRITING, every=3), ids=str)
def test_a_signed_in_browser_must_send_the_csrf_token(operation: Operation, world: World) -> None:
    browser = browser_of(world.home.owner, csrf=True)
    with changing_nothing(world.rows):
        answer = operation.ask(Caller(browser), world.home.ids)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "csrf_failed")
