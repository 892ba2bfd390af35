"""A migration converts rules in a project's settings to its policy."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps

from agentsite.tenancy.models import Project
from tests.support.builders import make_project, make_team
from tools_app.models import PolicyVersion, place_of

pytestmark = pytest.mark.django_db

migration = import_module("tools_app.migrations.0002_project_rules_become_policies")


def project_with(config: Any) -> Project:
    project = make_project(make_team())
    project.config = config
    project.save()
    return project


def test_the_rules_become_the_first_version_and_leave_the_settings() -> None:
    block = {"edit": "ask", "bash": {"rm *": "deny"}}
    project = project_with({"permission": block, "theme": "dark"})
    migration.move_rules(apps, None)
    row = PolicyVersion.objects.get()
    assert (row.place, row.version, row.project, row.author) == (place_of(project), 1, project, None)
    in_some_order = sorted(row.rules, key=lambda rule: rule["permission"])  # PostgreSQL had lost the order of keys
    assert in_some_order == [
        {"permission": "bash", "pattern": "rm *", "action": "deny"},
        {"permission": "edit", "pattern": "*", "action": "ask"},
    ]
    project.refresh_from_db()
    assert project.config == {"theme": "dark"}
    migration.move_rules(apps, None)
    assert PolicyVersion.objects.count() == 1


@pytest.mark.parametrize(
    "config", [{}, [], None, {"permission": 3}, {"permission": {}}, {"permission": {"bash": {"x": "perhaps"}}}]
)
def test_settings_without_rules_stay_as_they_are(config: Any) -> None:
    project = project_with(config or {})
    Project.objects.filter(pk=project.pk).update(config=config if config is not None else {})
    migration.move_rules(apps, None)
    project.refresh_from_db()
    assert project.config == (config if config is not None else {})
    assert not PolicyVersion.objects.exists()


def test_one_action_for_everything_is_taken_over_too() -> None:
    project_with({"permission": "deny"})
    migration.move_rules(apps, None)
    assert PolicyVersion.objects.get().rules == [{"permission": "*", "pattern": "*", "action": "deny"}]
