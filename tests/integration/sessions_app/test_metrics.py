"""Numbers for operators: who gets them, and that they say what happened."""

import subprocess
import sys
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from agentsite import metrics
from agentsite.environment import REPOSITORY
from sessions_app.models import Workspace
from tests.support.builders import make_project, make_team

pytestmark = pytest.mark.django_db
TOKEN = "a-token-for-metrics"


def scrape(settings: Settings, **headers: str) -> Any:
    settings.METRICS_TOKEN = TOKEN
    return Client().get("/api/v1/metrics", headers=headers or {"authorization": f"Bearer {TOKEN}"})


def test_a_site_without_a_token_gives_no_metrics() -> None:
    answer = Client().get("/api/v1/metrics", headers={"authorization": "Bearer "})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "metrics_off")


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", TOKEN, f"bearer  {TOKEN}", "Bearer \xff"])
def test_metrics_want_exactly_the_token(settings: Settings, given: str) -> None:
    assert scrape(settings, authorization=given).status_code == 401


def test_every_state_of_workspaces_has_a_line_and_the_rows_are_counted(settings: Settings) -> None:
    project = make_project(make_team("red"))
    Workspace.objects.create(project=project, name="one", state="running")
    lines = scrape(settings).content.decode().splitlines()
    assert 'agentsite_workspaces{state="running"} 1.0' in lines
    assert {line.split("{")[1].split("}")[0] for line in lines if line.startswith("agentsite_workspaces{")} == {
        f'state="{state}"' for state in Workspace.State.values
    }


def test_what_another_process_of_the_machine_counted_is_in_the_answer(settings: Settings) -> None:
    program = "import django; django.setup(); from agentsite import metrics; metrics.LIMITS_HIT.labels('memory').inc(3)"
    environment = {"AGENTSITE_ROLE": "sandbox", "AGENTSITE_STATE": str(settings.STATE_DIR), "PATH": "/usr/bin:/bin"}
    environment |= {
        "DJANGO_SETTINGS_MODULE": "agentsite.settings",
        "PROMETHEUS_MULTIPROC_DIR": str(metrics.METRICS_DIR),
    }
    subprocess.run([sys.executable, "-c", program], env=environment, cwd=REPOSITORY, check=True, timeout=60)

    assert 'agentsite_limits_hit_total{limit="memory"} 3.0' in scrape(settings).content.decode().splitlines()

    metrics.forget_old()
    assert 'limit="memory"' not in scrape(settings).content.decode()
