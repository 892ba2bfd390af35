"""Tools that load `.env` by default are judged as if the command named this file."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.env_files import loads_env_files

ENV = "/workspace/.env"


@pytest.mark.parametrize(
    "command",
    [
        "dotenv list",
        "dotenvx get",
        "forego run printenv KEY",
        "npx nf run env",
        "bunx printenv KEY",
        "npx dotenv-cli env",
        "docker compose -f a.yml config",
        "docker-compose config",
        "bun -e 'f()'",
        "deno run --env-file a.ts",
        "flask shell",
        "php artisan tinker",
        "pipenv run python -c 'f()'",
        "pipenv run env",
    ],
)
def test_a_tool_may_show_the_file(command: str) -> None:
    assert ENV in analyzed(command).possible


@pytest.mark.parametrize("command", ["npm run dev", "docker compose up", "flask run", "pipenv run python a.py"])
def test_a_tool_that_only_runs_the_project_does_not(command: str) -> None:
    assert ENV not in analyzed(command).possible


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("process.loadEnvFile()", True),
        ("import dotenv", True),
        ('require "dotenv/load"', True),
        ("Dotenv.parse", True),
        ('require("@next/env").loadEnvConfig(".")', True),
        ('require("vite").loadEnv("", ".", "")', True),
        ("print(os.environ)", False),
        ("download_environment()", False),
    ],
)
def test_a_library_loads_the_file(code: str, expected: bool) -> None:
    assert loads_env_files(code) is expected
