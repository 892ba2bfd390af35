import socket
from pathlib import Path

import pytest

from agentsite.tenancy.encryption import public_of
from deploy.launcher.plan import LaunchError, SitePlan, database_fingerprint, make_plan, require_free_port

SECRETS = {
    "MODEL_API_KEY": "hunter2-key",
    "SEALING_PRIVATE_KEYS": "hunter2-private",
    "SEALING_PUBLIC_KEY": "public",
    "VARIABLES_PRIVATE_KEYS": "hunter2-variables",
    "VARIABLES_PUBLIC_KEY": "public too",
    "DOOR_PRIVATE_KEYS": "hunter2-door",
    "DOOR_PUBLIC_KEY": "the third",
    "DOCKER_HOST": "unix:///hunter2.sock",
}


def _plan(tmp_path: Path, **environ: str) -> SitePlan:
    return make_plan({"PATH": "/usr/bin", "AGENTSITE_STATE": str(tmp_path), **environ})


def test_the_default_site_has_every_process(tmp_path: Path) -> None:
    assert set(_plan(tmp_path).commands) == {"valkey", "model", "web", "preview", "agent", "sandbox", "door", "beat"}


def test_a_valkey_and_a_model_of_ones_own_replace_ours(tmp_path: Path) -> None:
    plan = _plan(tmp_path, REDIS_URL="redis://valkey.example", MODEL_NAME="some-model")
    assert set(plan.commands) == {"web", "preview", "agent", "sandbox", "door", "beat"}


def test_the_preview_server_gets_the_port_after_the_sites(tmp_path: Path) -> None:
    plan = _plan(tmp_path, AGENTSITE_PORT="39000")
    assert plan.environment_of("web")["AGENTSITE_PREVIEW_PORT"] == "39001"
    with socket.create_server(("127.0.0.1", 39001)):
        other = _plan(tmp_path, AGENTSITE_PORT="39000").environment_of("preview")["AGENTSITE_PREVIEW_PORT"]
    assert other not in ("39000", "39001")


@pytest.mark.parametrize(
    "environ", [{"AGENTSITE_PREVIEW_URL": "none"}, {"AGENTSITE_URL": "https://agents.example.org"}]
)
def test_a_site_without_addresses_for_previews_has_no_preview_server(tmp_path: Path, environ: dict[str, str]) -> None:
    assert "preview" not in _plan(tmp_path, **environ).commands


@pytest.mark.parametrize(
    ("name", "secrets"),
    [
        ("web", set()),
        ("valkey", set()),
        ("model", set()),
        ("beat", set()),
        ("preview", set()),
        ("door", {"DOOR_PRIVATE_KEYS"}),
        ("agent", {"MODEL_API_KEY", "SEALING_PRIVATE_KEYS"}),
        ("manage", {"SEALING_PRIVATE_KEYS", "VARIABLES_PRIVATE_KEYS", "DOOR_PRIVATE_KEYS"}),
        ("sandbox", {"DOCKER_HOST", "VARIABLES_PRIVATE_KEYS"}),
    ],
)
def test_each_process_is_given_its_own_secrets_only(name: str, secrets: set[str], tmp_path: Path) -> None:
    environment = _plan(tmp_path, **SECRETS).environment_of(name)
    assert {secret for secret in SECRETS if secret in environment} == secrets | {
        "SEALING_PUBLIC_KEY",
        "VARIABLES_PUBLIC_KEY",
        "DOOR_PUBLIC_KEY",
    }


@pytest.mark.parametrize(
    ("pair", "reader", "name"),
    [("SEALING", "agent", "sealing-keys"), ("VARIABLES", "sandbox", "variable-keys"), ("DOOR", "door", "door-keys")],
)
def test_a_site_on_one_machine_makes_its_key_pairs_once(pair: str, reader: str, name: str, tmp_path: Path) -> None:
    first, second = _plan(tmp_path), _plan(tmp_path)
    private = first.environment_of(reader)[f"{pair}_PRIVATE_KEYS"]
    assert second.environment_of(reader)[f"{pair}_PRIVATE_KEYS"] == private
    assert public_of(private) == first.environment_of("web")[f"{pair}_PUBLIC_KEY"]
    file = tmp_path / "keys" / name
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_process_knows_its_role(tmp_path: Path) -> None:
    plan = _plan(tmp_path)
    assert plan.environment_of("agent")["AGENTSITE_ROLE"] == "agent"
    assert plan.environment_of("valkey")["AGENTSITE_ROLE"] == "manage"


@pytest.mark.parametrize("name", ["valkey", "model"])
def test_what_is_started_beside_the_site_gets_none_of_its_secrets(name: str, tmp_path: Path) -> None:
    given = {"SECRET_KEY": "hunter2-key", "DATABASE_URL": "postgres://a:hunter2@db/a", "MODEL_API_KEY": "hunter2"}
    environment = _plan(tmp_path, **given).environment_of(name)
    assert not [value for value in environment.values() if "hunter2" in value]


def test_a_port_that_is_taken_is_named_with_a_way_out(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(LaunchError, match=f"AGENTSITE_PORT={port + 1} make run"):
            require_free_port(_plan(tmp_path, AGENTSITE_PORT=str(port)))


def test_the_fingerprint_changes_with_the_database_and_the_demo_mode(tmp_path: Path) -> None:
    plain = database_fingerprint(_plan(tmp_path))
    assert plain == database_fingerprint(_plan(tmp_path))
    assert plain != database_fingerprint(_plan(tmp_path, DATABASE_URL="postgres://db.example/site"))
    assert plain != database_fingerprint(_plan(tmp_path, AGENTSITE_DEMO="false"))


def test_two_sites_get_demo_models_of_their_own(tmp_path: Path) -> None:
    assert _plan(tmp_path).base["DEMO_MODEL_URL"] != "http://127.0.0.1:8009/v1"
    assert _plan(tmp_path, DEMO_MODEL_URL="http://127.0.0.1:7/v1").base["DEMO_MODEL_PORT"] == "7"
