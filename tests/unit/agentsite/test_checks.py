from types import SimpleNamespace
from typing import Any

import pytest

from agentsite.base.environment import DEVELOPMENT_SECRET
from agentsite.checks import UNSAFE_SETTINGS, find_unsafe_settings
from agentsite.tenancy.encryption import make_pair

PRIVATE, PUBLIC = make_pair()


def _settings(**changes: Any) -> SimpleNamespace:
    """Return settings that are safe for production, with the given changes."""
    safe: dict[str, Any] = {
        "PRODUCTION": True,
        "SECRET_KEY": "r4nd0m-" * 10,
        "DEBUG": False,
        "ALLOWED_HOSTS": ["agents.example.org"],
        "EMBEDDED_DATABASE": False,
        "EMBEDDED_VALKEY": False,
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
        "DEMO_MODE": False,
        "SEALING_PUBLIC_KEY": PUBLIC,
        "SEALING_PRIVATE_KEYS": [PRIVATE],
        "VARIABLES_PUBLIC_KEY": "",
        "VARIABLES_PRIVATE_KEYS": [],
        "DOOR_PUBLIC_KEY": "",
        "DOOR_PRIVATE_KEYS": [],
    }
    return SimpleNamespace(**{**safe, **changes})


def test_safe_settings_pass() -> None:
    assert find_unsafe_settings(_settings()) == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"SECRET_KEY": DEVELOPMENT_SECRET}, "agentsite.E001"),
        ({"SECRET_KEY": "short"}, "agentsite.E001"),
        ({"DEBUG": True}, "agentsite.E002"),
        ({"ALLOWED_HOSTS": ["*"]}, "agentsite.E003"),
        ({"ALLOWED_HOSTS": [".example.org"]}, "agentsite.E003"),
        ({"ALLOWED_HOSTS": []}, "agentsite.E003"),
        ({"EMBEDDED_DATABASE": True}, "agentsite.E004"),
        ({"EMBEDDED_VALKEY": True}, "agentsite.E005"),
        ({"SESSION_COOKIE_SECURE": False}, "agentsite.E006"),
        ({"CSRF_COOKIE_SECURE": False}, "agentsite.E006"),
        ({"DEMO_MODE": True}, "agentsite.E007"),
        ({"SEALING_PUBLIC_KEY": ""}, "agentsite.E008"),
        ({"SEALING_PRIVATE_KEYS": [make_pair()[0], PRIVATE]}, "agentsite.E009"),
        ({"SEALING_PRIVATE_KEYS": ["no key"]}, "agentsite.E009"),
        ({"VARIABLES_PUBLIC_KEY": PUBLIC, "VARIABLES_PRIVATE_KEYS": [make_pair()[0]]}, "agentsite.E010"),
        ({"DOOR_PUBLIC_KEY": PUBLIC, "DOOR_PRIVATE_KEYS": [make_pair()[0]]}, "agentsite.E011"),
    ],
)
def test_production_names_each_danger(changes: dict[str, Any], found: str) -> None:
    assert [danger.id for danger in find_unsafe_settings(_settings(**changes))] == [found]


def test_development_is_left_alone() -> None:
    everything = {"SECRET_KEY": "x", "DEBUG": True, "ALLOWED_HOSTS": ["*"], "DEMO_MODE": True, "PRODUCTION": False}
    assert find_unsafe_settings(_settings(**everything)) == []


def test_each_danger_says_what_to_do() -> None:
    assert all(danger.advice.endswith(".") and danger.message.endswith(".") for danger in UNSAFE_SETTINGS)
