"""Allowed and refused names of variables."""

import pytest

from sandbox.runner.command_environment import BASE_ENVIRONMENT
from sandbox.runner.door import FEW_RETRIES
from sessions_app.variables.rules import name_problem
from tools_app.network.environment import environment


@pytest.mark.parametrize(
    "name",
    [
        "DATABASE_URL", "GITHUB_TOKEN", "NPM_TOKEN", "NODE_AUTH_TOKEN", "API_KEY", "_private", "lower_case", "NODE_ENV",
        "AWS_SECRET_ACCESS_KEY", "DJANGO_SETTINGS_MODULE", "PYTHONDONTWRITEBYTECODE", "TEST_1",
        "GITLAB_URL", "DEBUG", "PORT", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX",
        "UV_INDEX_INTERNAL_PASSWORD", "npm_config_registry", "NPM_CONFIG_REGISTRY", "YARN_NPM_REGISTRY_SERVER",
        "GOPROXY", "GOPRIVATE", "GONOSUMDB", "CARGO_REGISTRIES_INTERNAL_INDEX", "CARGO_REGISTRIES_INTERNAL_TOKEN",
    ],
)  # fmt: skip
def test_usual_names_are_allowed(name: str) -> None:
    assert name_problem(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        "PATH", "HOME", "IFS", "ENV", "BASH_ENV", "BASH_FUNC_ls", "PROMPT_COMMAND", "PS4", "LD_PRELOAD",
        "LD_LIBRARY_PATH", "GIT_SSH_COMMAND", "GIT_DIR", "SHELLOPTS", "PYTHONPATH", "NODE_OPTIONS", "EDITOR", "PAGER",
        "MAVEN_OPTS", "GRADLE_OPTS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "PIP_TRUSTED_HOST", "PIP_CONFIG_FILE",
        "UV_PYTHON", "npm_config_script_shell", "NPM_CONFIG_USERCONFIG", "CARGO_BUILD_RUSTC", "GOFLAGS",
        "BUNDLE_GEMFILE", "UV_CONFIG_FILE",
        "AGENTSITE_CALL", "SANDBOX_LIMITS", "Http_Proxy", "RSYNC_PROXY", "UID", "_", "",
        "ÄPFEL", "WITH SPACE", "WITH-DASH", "9", "X" * 101, "A\n",
    ],
)  # fmt: skip
def test_names_that_control_the_shell_or_the_sandbox_are_refused(name: str) -> None:
    assert name_problem(name)


@pytest.mark.parametrize(
    "name", sorted({*environment(3128), *BASE_ENVIRONMENT} - FEW_RETRIES.keys() - {"PYTHONUNBUFFERED"})
)
def test_names_that_the_site_sets_are_refused(name: str) -> None:
    assert name_problem(name)
