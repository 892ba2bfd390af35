from pathlib import Path

import pytest

from agentsite.base.environment import (
    REPOSITORY,
    VARIABLES,
    Environment,
    ProcessRole,
    address_here,
    read_environment,
    withheld,
)
from agentsite.environment_page import render_table

EVERYTHING = {
    "MODEL_API_KEY": "sk-secret",
    "SEALING_PRIVATE_KEYS": "cHJpdmF0ZQ==",
    "VARIABLES_PRIVATE_KEYS": "b3RoZXI=",
    "DOOR_PRIVATE_KEYS": "dGhpcmQ=",
    "DOCKER_HOST": "unix:///engine.sock",
}


def test_the_configuration_page_shows_the_table_as_it_is() -> None:
    page = (REPOSITORY / "docs" / "configuration.md").read_text()
    assert render_table() in page, "run: .venv/bin/python -m agentsite.environment_page"


def test_no_module_but_the_table_and_the_entry_points_reads_the_environment() -> None:
    allowed = {
        "environment.py",
        "celery.py",
        "asgi.py",
        "litellm_adapter.py",
        "metrics.py",
    }  # all but the first set, not read
    readers = {
        path.name
        for app in ("agentsite", "sessions_app", "tools_app")
        for path in (REPOSITORY / app).rglob("*.py")
        if "os.environ" in path.read_text() or "os.getenv" in path.read_text()
    }
    assert readers <= allowed


def test_every_variable_is_there_once_and_explained() -> None:
    assert len({variable.name for variable in VARIABLES}) == len(VARIABLES)
    assert all(variable.meaning for variable in VARIABLES)


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("web", set()),
        ("beat", set()),
        ("door", {"DOOR_PRIVATE_KEYS"}),
        ("manage", {"SEALING_PRIVATE_KEYS", "VARIABLES_PRIVATE_KEYS", "DOOR_PRIVATE_KEYS"}),
        ("agent", {"MODEL_API_KEY", "SEALING_PRIVATE_KEYS"}),
        ("sandbox", {"DOCKER_HOST", "VARIABLES_PRIVATE_KEYS"}),
    ],
)
def test_a_process_keeps_only_the_secrets_of_its_role(role: str, expected: set[str]) -> None:
    source = {**EVERYTHING, "AGENTSITE_ROLE": role}

    environment = read_environment(source)

    assert {name for name in EVERYTHING if name in source} == expected
    assert {name for name in EVERYTHING if environment.has(name)} == expected


def test_asking_for_a_withheld_variable_is_an_error_and_not_an_empty_answer() -> None:
    environment = Environment({**EVERYTHING, "AGENTSITE_ROLE": "web"})
    with pytest.raises(KeyError):
        environment.text("MODEL_API_KEY")


def test_the_agent_worker_never_sees_docker_and_the_sandbox_worker_never_a_key() -> None:
    assert "DOCKER_HOST" in withheld(ProcessRole.AGENT)
    assert "MODEL_API_KEY" in withheld(ProcessRole.SANDBOX)


def test_values_are_read_as_their_kind() -> None:
    environment = Environment(
        {"AGENTSITE_PORT": "9000", "DEBUG": "Yes", "ALLOWED_HOSTS": "a.org, b.org,", "AGENTSITE_STATE": "/tmp/x"}
    )
    assert environment.number("AGENTSITE_PORT") == 9000
    assert environment.flag("DEBUG")
    assert environment.words("ALLOWED_HOSTS") == ["a.org", "b.org"]
    assert environment.path("AGENTSITE_STATE") == Path("/tmp/x")


def test_a_relative_state_directory_starts_at_the_repository() -> None:
    assert Environment({}).path("AGENTSITE_STATE") == REPOSITORY / "var" / "site"


def test_a_port_that_is_no_number_ends_with_a_sentence() -> None:
    with pytest.raises(SystemExit, match="AGENTSITE_PORT must be a whole number"):
        Environment({"AGENTSITE_PORT": "eighty"}).number("AGENTSITE_PORT")


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(ValueError, match="root"):
        Environment({"AGENTSITE_ROLE": "root"})


def test_hosts_are_exact_and_have_a_port() -> None:
    written = "mirror.example:8081, [fd00::1]:80"
    assert Environment({"WEB_ALLOW": written}).hosts("WEB_ALLOW") == ["mirror.example:8081", "[fd00::1]:80"]


@pytest.mark.parametrize("entry", ["mirror.example", "*.example:80", "http://mirror.example:80", "a:0", "a:65536"])
def test_a_host_without_a_port_or_with_a_wildcard_ends_with_a_sentence(entry: str) -> None:
    with pytest.raises(SystemExit, match="WEB_ALLOW must be a comma-separated list of host:port"):
        Environment({"WEB_ALLOW": entry}).hosts("WEB_ALLOW")


def test_only_the_sandbox_worker_knows_the_key_of_the_search_server() -> None:
    assert [role.value for role in ProcessRole if "SEARCH_KEY" not in withheld(role)] == ["sandbox", "test"]


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://localhost:8000"),
        ("0.0.0.0", "http://localhost:8000"),
        ("10.0.0.5", "http://10.0.0.5:8000"),
        ("fd00::5", "http://[fd00::5]:8000"),
    ],
)
def test_letters_and_the_launcher_name_the_address_that_people_here_type(host: str, address: str) -> None:
    assert address_here(host, 8000) == address
