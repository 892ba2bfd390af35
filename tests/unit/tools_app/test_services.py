"""Declarations of a workspace's services: their values, and the reasons why invalid ones are refused."""

import pytest

from tools_app.services import BadServices, declaration, parse_services, variables_of

KNOWN = "[postgres]\n[redis]\nport = 7000\n"


def test_known_programs_need_no_command_and_give_variables() -> None:
    postgres, redis = parse_services(KNOWN)
    assert (postgres.place, redis.place) == ("127.0.0.1:5432", "127.0.0.1:7000")
    found = variables_of((postgres, redis))
    assert found["DATABASE_URL"] == "postgresql://postgres:postgres@127.0.0.1:5432/app"
    assert (found["PGHOST"], found["PGPORT"], found["REDIS_URL"]) == ("127.0.0.1", "5432", "redis://127.0.0.1:7000/0")


def test_the_first_of_two_databases_gives_the_address() -> None:
    found = variables_of(parse_services('[mariadb]\ndatabase = "shop"\n[postgres]\n'))
    assert found["DATABASE_URL"] == "mysql://root@127.0.0.1:3306/shop"
    assert found["PGDATABASE"] == "app"


def test_any_other_program_has_a_command() -> None:
    (mail,) = parse_services('[mail]\ncommand = "mailpit --port 1"\nready = "true"\nport = 8025\n')
    assert (mail.program, mail.place, mail.variables) == ("mailpit", "127.0.0.1:8025", {})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[postgres", "not valid TOML"),
        ("postgres = 1", "not a table"),
        ("[mail]", "needs 'command'"),
        ("[mail]\ncommand = ' '", "needs 'command'"),
        ("[postgres]\nport = 80", "1024"),
        ("[postgres]\nport = true", "1024"),
        ('[postgres]\ndatabase = "a\'; rm -rf ~"', "lower-case"),
        ("[postgres]\nuser = 'me'", "unknown field 'user'"),
        ("['../x']\ncommand = 'y'", "not a name"),
        ("[redis]\n[valkey]", "same port"),
        ("\n".join(f"[a{each}]\ncommand='x'" for each in range(7)), "7 services"),
        ("#" * 20_000, "16,384"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(BadServices, match=reason):
        parse_services(text)
    assert reason in declaration("settings", text).problem


def test_the_digest_identifies_the_text() -> None:
    assert declaration("settings", "[redis]").digest != declaration("settings", "[redis]\n").digest
