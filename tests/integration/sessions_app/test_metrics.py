"""Metrics for operators: access to them, and their values."""

import subprocess
import sys
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from agentsite.base import metrics
from agentsite.base.environment import REPOSITORY
from sessions_app.models import Workspace
from tests.support.builders import make_project, make_team
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

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
    program = (
        "import prometheus_client, django; django.setup(); from agentsite.base import metrics;"
        "metrics.LIMITS_HIT.labels('memory').inc(3)"
    )
    environment = {"AGENTSITE_ROLE": "sandbox", "AGENTSITE_STATE": str(settings.STATE_DIR), "PATH": "/usr/bin:/bin"}
    environment |= {
        "DJANGO_SETTINGS_MODULE": "agentsite.settings",
        "PROMETHEUS_MULTIPROC_DIR": "/nonexistent",  # as if another site had started it
    }
    subprocess.run([sys.executable, "-c", program], env=environment, cwd=REPOSITORY, check=True, timeout=60)

    assert 'agentsite_limits_hit_total{limit="memory"} 3.0' in scrape(settings).content.decode().splitlines()

    metrics.delete_stale_metrics()
    assert 'limit="memory"' not in scrape(settings).content.decode()


def test_what_calls_did_is_counted(site: SessionSite, settings: Settings) -> None:
    lines = scrape(settings).content.decode().splitlines
    before = _value(lines(), 'agentsite_tool_call_seconds_count{outcome="completed",tool="bash"}')
    kills = _value(lines(), 'agentsite_command_kills_total{reason="timeout"}')
    site.script(calls(tool_call("bash", command="sleep 30", timeout=100)), text("Done."))

    site.run_prompt(session=site.open_session(allow=("bash",)))

    lines = scrape(settings).content.decode().splitlines
    assert _value(lines(), 'agentsite_tool_call_seconds_count{outcome="completed",tool="bash"}') == before + 1
    assert _value(lines(), 'agentsite_command_kills_total{reason="timeout"}') == kills + 1


def _value(lines: list[str], name: str) -> float:
    return next((float(line.rpartition(" ")[2]) for line in lines if line.startswith(name)), 0.0)
