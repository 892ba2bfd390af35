"""The modules and settings of each kind of process, checked in a process of that kind."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from agentsite.base.environment import REPOSITORY
from agentsite.tenancy.encryption import seal

_PROGRAM = """
import json, os, sys
import {module}
from django.conf import settings
heavy = sorted(set(sys.modules) & {{"litellm", "openai", "mcp", "docker", "tree_sitter", "ninja", "allauth"}})
secrets = [value for value in os.environ.values() if "hunter2" in value]
from agentsite.tenancy.encryption import CannotUnseal, unseal
try:
    unsealed = unseal({sealed!r})
except CannotUnseal:
    unsealed = ""
seen = {{"heavy": heavy, "secrets": secrets, "key": settings.MODEL_API_KEY, "docker": settings.DOCKER_HOST}}
print(json.dumps({{**seen, "unsealed": unsealed}}))
"""


def _look_into(role: str, module: str, state: Path) -> dict[str, object]:
    environment = {
        "PATH": "/usr/bin:/bin",
        "DJANGO_SETTINGS_MODULE": "agentsite.settings",
        "AGENTSITE_ROLE": role,
        "AGENTSITE_STATE": str(state),
        "MODEL_NAME": "some-model",
        "MODEL_API_KEY": "hunter2-key",
        "DOCKER_HOST": "unix:///hunter2.sock",
        "SEALING_PUBLIC_KEY": settings.SEALING_PUBLIC_KEY,
        "SEALING_PRIVATE_KEYS": settings.SEALING_PRIVATE_KEYS[0],
    }
    answer = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(module=module, sealed=seal("a canary"))],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert answer.returncode == 0, answer.stderr
    seen: dict[str, object] = json.loads(answer.stdout.splitlines()[-1])
    return seen


def test_the_web_server_loads_no_model_library_no_docker_and_knows_no_secret(tmp_path: Path) -> None:
    seen = _look_into("web", "agentsite.asgi", tmp_path)
    assert seen["heavy"] == ["allauth", "ninja"]
    assert (seen["secrets"], seen["key"], seen["docker"], seen["unsealed"]) == ([], "", "", "")


@pytest.mark.parametrize(
    ("role", "key", "docker", "unsealed"),
    [("agent", "hunter2-key", "", "a canary"), ("sandbox", "", "unix:///hunter2.sock", ""), ("beat", "", "", "")],
)
def test_a_worker_loads_nothing_heavy_at_start_and_knows_its_own_secret_only(
    role: str, key: str, docker: str, unsealed: str, tmp_path: Path
) -> None:
    seen = _look_into(role, "agentsite.celery", tmp_path)
    assert seen["heavy"] == []
    assert (seen["key"], seen["docker"], seen["unsealed"]) == (key, docker, unsealed)
    assert seen["secrets"] == [value for value in (key, docker) if value]


def test_production_does_not_start_with_development_settings(tmp_path: Path) -> None:
    environment = {
        "PATH": "/usr/bin:/bin",
        "DJANGO_SETTINGS_MODULE": "agentsite.settings",
        "AGENTSITE_ROLE": "web",
        "AGENTSITE_STATE": str(tmp_path),
        "AGENTSITE_ENV": "production",
    }
    answer = subprocess.run(
        [sys.executable, "-c", "import django; django.setup()"],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert answer.returncode != 0
    assert "Production refuses to start" in answer.stderr
    assert "Set SECRET_KEY to at least 50 random characters." in answer.stderr


@pytest.mark.parametrize(("secure", "prefix"), [("true", "__Host-"), ("false", "")])
def test_secure_cookies_have_names_that_bind_them_to_the_host(secure: str, prefix: str, tmp_path: Path) -> None:
    program = "from django.conf import settings as s; print(s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME)"
    answer = subprocess.run(
        [sys.executable, "-c", program],
        cwd=REPOSITORY,
        env={
            "PATH": "/usr/bin:/bin",
            "DJANGO_SETTINGS_MODULE": "agentsite.settings",
            "AGENTSITE_STATE": str(tmp_path),
            "SECURE_COOKIES": secure,
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert answer.stdout.split() == [f"{prefix}agentsite_session", f"{prefix}csrftoken"]
