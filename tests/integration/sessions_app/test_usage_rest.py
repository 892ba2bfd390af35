"""Usage over REST: the sums that each person may see, their groupings, and a bounded number of queries."""

import csv
import io
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.db.models import Model
from django.test import AsyncClient
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agentsite.tenancy.models import Project, Team, User
from agentsite.tenancy.roles import Role
from sessions_app.models import ModelCall, Session, Workspace
from sessions_app.spending.usage_csv import escape_formula
from tests.support.builders import bearer, make_member, make_project, make_team
from tests.support.lanes import fewer
from tests.support.rest_api import RestApi

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
MARCH = "since=2026-03-01&until=2026-03-31"


class House:
    """A team with an owner and a member, and their model calls."""

    def __init__(self) -> None:
        self.team: Team = make_team()
        self.owner: User = make_member(self.team, Role.OWNER)
        self.member: User = make_member(self.team)
        self.project: Project = make_project(self.team)
        self.workspace = Workspace.objects.create(project=self.project, name="main")

    def session(self, title: str = "A session", **fields: Any) -> Session:
        fields = {"created_by": self.member, **fields}
        return Session.objects.create(project=self.project, workspace=self.workspace, title=title, **fields)

    def call(self, session: Session | None = None, **fields: Any) -> ModelCall:
        session = session or self.session()
        usual: dict[str, Any] = {
            "user": self.member, "purpose": "step", "model": "demo", "state": "settled", "cost": Decimal("0.25"),
            "input_tokens": 100, "output_tokens": 10, "at": NOON,
        }  # fmt: skip
        return ModelCall.objects.create(
            team=self.team, project=self.project, session=session, session_public_id=session.public_id, **usual | fields
        )

    def usage(self, user: User, query: str = MARCH) -> Any:
        return RestApi(user)("get", f"/teams/{self.team.public_id}/usage?{query}")


@pytest.fixture
def house() -> House:
    return House()


def test_sums_tell_what_is_known_and_count_what_is_not(house: House) -> None:
    house.call()
    house.call(cost=None, is_priced=False)
    house.call(state="reserved", cost=None)
    house.call(state="released", cost=Decimal(0))
    total = house.usage(house.owner)["total"]
    assert (total["calls"], total["cost"], total["unknown"]) == (2, "0.250000", 1)
    assert total["tokens"]["input"] == 200


@pytest.mark.parametrize(
    ("group_by", "keys"),
    [
        ("day", ["2026-03-02", "2026-03-03"]),
        ("model", ["large", "demo"]),
        ("provider", ["site"]),
        ("purpose", ["step", "title"]),
    ],
)
def test_usage_is_grouped(house: House, group_by: str, keys: list[str]) -> None:
    house.call()
    house.call(model="large", cost=Decimal(2), at=NOON + timedelta(days=1))
    house.call(purpose="title", cost=Decimal("0.01"))
    found = house.usage(house.owner, f"{MARCH}&group_by={group_by}")
    assert [item["key"] for item in found["items"]] == keys
    assert sum(Decimal(item["cost"]) for item in found["items"]) == Decimal("2.26")


def test_a_member_sees_what_is_their_own_and_no_more(house: House) -> None:
    house.call()
    house.call(user=house.owner)
    mine, all_of_it = house.usage(house.member), house.usage(house.owner)
    assert (mine["total"]["calls"], mine["everybody"]) == (1, False)
    assert (all_of_it["total"]["calls"], all_of_it["everybody"]) == (2, True)
    assert RestApi(house.member)("get", f"/me/usage?{MARCH}")["total"]["calls"] == 1


def test_a_private_session_counts_without_its_name(house: House) -> None:
    secret = house.session("Something secret", shared_with="private")
    house.call(secret)
    house.call(house.session("In the open"))
    found = house.usage(house.owner, f"{MARCH}&group_by=session")
    assert found["total"]["calls"] == 2
    assert sorted(item["label"] for item in found["items"]) == ["In the open", "Private sessions"]
    assert secret.public_id not in str(found)
    assert "Something secret" in str(house.usage(house.member, f"{MARCH}&group_by=session"))


def test_days_are_whole_days_and_both_included(house: House) -> None:
    house.call(at=datetime(2026, 3, 1, tzinfo=UTC))
    house.call(at=datetime(2026, 3, 31, 23, 59, 59, tzinfo=UTC))
    house.call(at=datetime(2026, 4, 1, tzinfo=UTC))
    assert house.usage(house.owner)["total"]["calls"] == 2


@pytest.mark.parametrize(
    "query",
    ["since=2026-03-02&until=2026-03-01", "since=1999-01-01", "until=9999-12-31", "since=x", "group_by=soul"],
)
def test_days_that_cannot_be_are_refused(house: House, query: str) -> None:
    path = f"/teams/{house.team.public_id}/usage?{query}"
    assert RestApi(house.owner).error("get", path, expect=400)["code"] == "bad_input"


def test_a_session_has_the_cost_of_its_sub_agents_too(house: House) -> None:
    parent = house.session()
    child = house.session(parent=parent, root=parent)
    house.call(parent)
    house.call(child, root_session=parent, model="small")
    found = RestApi(house.owner)("get", f"/sessions/{parent.public_id}/usage")
    assert (found["total"]["calls"], len(found["items"])) == (2, 2)


@pytest.mark.django_db(transaction=True)
async def test_the_table_has_a_line_for_each_call_and_no_formula(house: House) -> None:
    from asgiref.sync import sync_to_async

    await sync_to_async(Project.objects.filter(pk=house.project.pk).update)(name="=HYPERLINK(evil)")
    await sync_to_async(house.call)()
    await sync_to_async(house.call)(cost=None)
    headers = await sync_to_async(bearer)(house.owner)
    path = f"/api/v1/teams/{house.team.public_id}/usage.csv?{MARCH}"
    answer: Any = await AsyncClient().get(path, headers=headers)
    text = b"".join([piece async for piece in answer.streaming_content]).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert answer.headers["Content-Type"].startswith("text/csv")
    assert {row["project"] for row in rows} == {"'=HYPERLINK(evil)"}
    assert sorted((row["cost_usd"], row["price"]) for row in rows) == [("", "unknown"), ("0.250000", "known")]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", " =1", "\r=1", "|x", "%x"])
def test_no_cell_begins_as_a_formula(text: str) -> None:
    assert escape_formula(text).startswith("'")


def double(model: type[Model]) -> None:
    """Duplicate each row with one fast SQL statement."""
    columns = ", ".join(str(field.column) for field in model._meta.concrete_fields if not field.primary_key)
    new_id = "gen_random_uuid()" if connection.vendor == "postgresql" else "lower(hex(randomblob(16)))"
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} (id, {columns}) SELECT {new_id}, {columns} FROM {table}")


def test_many_calls_are_summed_in_few_queries_over_an_index(house: House) -> None:
    doublings = fewer(5, default=3)
    sessions = [house.session(f"Session {number}") for number in range(20)]
    rows = (
        ModelCall(
            team=house.team, project=house.project, session=sessions[number % 20], user=house.member, purpose="step",
            session_public_id=sessions[number % 20].public_id, model=f"model-{number % 5}", state="settled",
            cost=Decimal("0.001"), input_tokens=100, at=NOON + timedelta(minutes=number * 12),
        )
        for number in range(3_125)
    )  # fmt: skip
    ModelCall.objects.bulk_create(rows, batch_size=2_000)
    for _ in range(doublings):
        double(ModelCall)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        found = house.usage(house.owner, f"{MARCH}&group_by=day")
    assert found["total"]["calls"] == 3_125 * 2**doublings
    sums = [query["sql"] for query in asked.captured_queries if "SUM(" in query["sql"]]
    assert len(sums) == 2
    recent = ModelCall.objects.filter(team=house.team, at__gte=timezone.now()).values("cost")
    assert "index" in recent.explain().lower()
