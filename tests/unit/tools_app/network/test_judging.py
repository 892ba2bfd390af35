"""Decisions about connections of a workspace to a host: the network mode decides about hosts without a rule."""

import pytest

from tools_app.network.judging import (
    MODES,
    NetworkMode,
    NetworkPolicy,
    judge_connection,
    pattern_of,
    place_of,
    strictest,
)
from tools_app.network.registries import registries, registry_hosts
from tools_app.permission import presets
from tools_app.permission.model import Action, Layer, Rule
from tools_app.web.address import parse_address


def judged(host: str, mode: NetworkMode, *rules: Rule, limits: tuple[Rule, ...] = (), port: int = 443) -> Action:
    layers = (Layer("defaults", presets.rules("balanced")), Layer("team", rules))
    limiting = (Layer("team limits", limits),) if limits else ()
    return judge_connection(host, port, NetworkPolicy(mode, "team"), layers, limiting).action


def allow(pattern: str) -> Rule:
    return Rule("egress", pattern, "allow")


@pytest.mark.parametrize(
    ("mode", "registry", "other"),
    [("none", "deny", "deny"), ("allowlist", "ask", "ask"), ("packages", "allow", "ask"), ("open", "allow", "allow")],
)
def test_without_rules_the_mode_decides(mode: NetworkMode, registry: Action, other: Action) -> None:
    assert judged("pypi.org", mode) == registry
    assert judged("example.org", mode) == other


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "none"])
def test_a_rule_for_the_host_decides_in_every_mode_with_a_network(mode: NetworkMode) -> None:
    assert judged("example.org", mode, allow("example.org")) == "allow"
    assert judged("api.example.org", mode, allow("*.example.org")) == "allow"
    assert judged("pypi.org", mode, Rule("egress", "pypi.org", "deny")) == "deny"
    assert judged("pypi.org", mode, Rule("egress", "*", "ask")) == "ask"


def test_no_rule_opens_the_mode_none() -> None:
    assert judged("pypi.org", "none", allow("*")) == "deny"


def test_a_rule_for_every_permission_does_not_open_the_network() -> None:
    assert judged("example.org", "packages", Rule("*", "*", "allow")) == "ask"


def test_a_deny_for_every_permission_closes_it() -> None:
    assert judged("pypi.org", "open", Rule("*", "*", "deny")) == "deny"


def test_limits_hold_against_rules_that_allow() -> None:
    assert judged("example.org", "open", allow("*"), limits=(Rule("egress", "example.org", "deny"),)) == "deny"
    assert judged("example.org", "open", allow("*"), limits=(Rule("egress", "*", "ask"),)) == "ask"


def test_a_port_other_than_those_of_the_web_is_part_of_the_name() -> None:
    assert pattern_of("mirror.example", 8081) == "mirror.example:8081"
    assert pattern_of("fd00::1", 8081) == "[fd00::1]:8081"
    assert judged("mirror.example", "allowlist", allow("mirror.example"), port=8081) == "ask"
    assert judged("mirror.example", "allowlist", allow("mirror.example:*"), port=8081) == "allow"


def test_a_refusal_names_the_host_and_whose_policy_it_is() -> None:
    verdict = judge_connection("example.org", 443, NetworkPolicy("none", "team"), ())
    assert verdict.reason == "example.org is refused: workspaces have no network here (the policy of the team)."


def test_the_strictest_mode_is_the_one_that_allows_least() -> None:
    assert strictest("open", "packages") == "packages"
    assert strictest("packages", "allowlist", "open") == "allowlist"
    assert strictest("none", "open") == "none"


def test_registries_are_canonical_names_without_places_for_uploads() -> None:
    assert {"python", "npm", "debian", "rust", "go", "maven", "ruby", "php", "nuget"} == set(registries())
    assert all(parse_address(f"https://{host}/").host == host for host in registry_hosts())
    assert not registry_hosts() & {"upload.pypi.org", "github.com", "test.pypi.org"}


@pytest.mark.parametrize(
    ("host", "port"),
    [("pypi.org", 443), ("mirror.example", 8081), ("192.0.2.1", 8080), ("2001:db8::1", 443), ("2001:db8::1", 8080)],
)
def test_a_place_is_read_back_from_its_pattern(host: str, port: int) -> None:
    assert place_of(pattern_of(host, port)) == (host, port)
