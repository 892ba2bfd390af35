"""References in the strings of configuration files."""

import pytest

from sessions_app.configuration.references import (
    Reference,
    path_of,
    references_in,
    refusals_in_words,
    with_references,
)

X, FILE = Reference("env", "X"), Reference("file", "a.txt")


def test_every_string_can_have_references() -> None:
    values = {
        "instructions": ["{env:X}/b.md"],
        "command": {"a": {"template": "{file: a.txt }{env:X}"}},
        "model": "{env:X}",
    }
    assert references_in(values) == [X, FILE]
    assert with_references(values, {X: "one", FILE: 'two", "share": "auto'}) == {
        "instructions": ["one/b.md"],
        "command": {"a": {"template": 'two", "share": "autoone'}},
        "model": "one",
    }


def test_refused_ones_stay_and_replaced_texts_are_not_read_again() -> None:
    assert with_references({"a": "{env:X} {env:Y}"}, {X: "{file:a.txt} {env:Y}"}) == {
        "a": "{file:a.txt} {env:Y} {env:Y}"
    }


@pytest.mark.parametrize(
    "values",
    [
        {"provider": {"x": {"options": {"apiKey": "{env:X}", "baseURL": "{env:X}"}}}},
        {"providers": {"x": {"name": "{file:a.txt}"}}},
        {"mcp": {"x": {"headers": {"A": "{env:X}"}}}},
        {"agent": {"x": {"prompt": "{file:a.txt}"}}, "agents": {"x": {"system": "{file:a.txt}"}}},
        {"a": ["{env:}", "{env:X", "{other:X}", "{env:{env}}", 3, None]},
    ],
)
def test_keys_servers_and_files_in_prompts_are_left_alone(values: dict[str, object]) -> None:
    assert references_in(values) == []
    assert with_references(values, {X: "secret", FILE: "secret"}) == values


def test_prompts_of_agents_have_variables() -> None:
    assert references_in({"agent": {"x": {"prompt": "{env:X} {file:a.txt}"}}}) == [X]


@pytest.mark.parametrize(
    ("document", "name", "path"),
    [
        ("opencode.json", "./a.txt", "a.txt"),
        (".opencode/opencode.json", "a.txt", ".opencode/a.txt"),
        (".opencode/opencode.json", "../docs/a.txt", "docs/a.txt"),
        ("opencode.json", "../a.txt", ""),
        ("opencode.json", "/etc/passwd", ""),
        ("opencode.json", "~/x", ""),
        ("opencode.json", "..", ""),
    ],
)
def test_files_are_relative_to_their_document_and_inside_the_workspace(document: str, name: str, path: str) -> None:
    assert path_of(document, Reference("file", name)) == path


def test_a_few_of_many_refused_ones_are_named() -> None:
    refused = {Reference("env", f"V{number}"): "It is a secret." for number in range(9)}
    assert refusals_in_words(refused).startswith("`{env:V0}` was not replaced: It is a secret. `{env:V1}`")
    assert refusals_in_words(refused).endswith("4 others were not replaced either.")
    assert refusals_in_words({}) == ""
