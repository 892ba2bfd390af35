"""MCP servers that repositories declare, in three file formats, including hostile ones."""

import json
from typing import Any

import pytest

from tools_app.mcp.declared import DeclaredServer, chosen, read_declarations, read_skill


def only(path: str, content: Any) -> DeclaredServer:
    (server,) = read_declarations(path, content if isinstance(content, bytes) else json.dumps(content).encode())
    return server


def test_opencodes_spelling() -> None:
    entry = {
        "type": "local", "command": ["npx", "-y", "x"], "environment": {"KEY": "{env:TOKEN}"}, "timeout": 120_000,
    }  # fmt: skip
    server = only("opencode.json", {"mcp": {"files": entry}})
    assert (server.name, server.kind, server.command) == ("files", "local", ["npx", "-y", "x"])
    assert (server.environment, server.timeout_seconds, server.problem) == ({"KEY": "{env:TOKEN}"}, 120, "")
    remote = only("opencode.jsonc", b'{"mcp": {"r": {"type": "remote", "url": "https://a.example", /* x */ },}}')
    assert (remote.kind, remote.url, remote.transport) == ("remote", "https://a.example", "http")


def test_claudes_spelling() -> None:
    entry = {"command": "uvx", "args": ["db", "--path", "${workspaceFolder}/a"], "env": {"KEY": "${TOKEN}"}}
    server = only(".mcp.json", {"mcpServers": {"data base": entry}})
    assert server.name == "data_base"
    assert list(server.command) == ["uvx", "db", "--path", "/workspace/a"]
    assert server.environment == {"KEY": "{env:TOKEN}"}
    sse = only(".mcp.json", {"mcpServers": {"s": {"type": "sse", "url": "https://a.example/sse"}}})
    assert (sse.kind, sse.transport) == ("remote", "sse")


def test_vs_codes_spelling_with_inputs() -> None:
    entry = {"type": "http", "url": "https://a.example/mcp", "headers": {"Authorization": "Bearer ${input:api-key}"}}
    server = only(".vscode/mcp.json", {"inputs": [{"id": "api-key"}], "servers": {"a": entry}})
    assert server.headers == {"Authorization": "Bearer {env:API_KEY}"}


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("a text", "It must be an object"),
        ({"type": "local"}, "It has no command."),
        ({"type": "local", "command": "npx x"}, "`command` must be a list of texts."),
        ({"type": "local", "command": ["a\0b"]}, "It contains a NUL"),
        ({"type": "local", "command": ["x"], "enabled": False}, "The file disables it."),
        ({"type": "other"}, "Its type must be local or remote."),
        ({"type": "remote", "url": 7}, "`url` must be a text."),
        ({"type": "local", "command": ["x"], "environment": {"A": 1}}, "`environment` must be an object of texts."),
        ({"type": "local", "command": ["x" * 20_000]}, "It must be an object of at most 16 KiB."),
    ],
)
def test_what_cannot_be_used_says_why(entry: Any, problem: str) -> None:
    assert only("opencode.json", {"mcp": {"x": entry}}).problem.startswith(problem)


def test_a_default_for_a_missing_variable_is_refused_and_not_used() -> None:
    entry = {"command": "x", "env": {"URL": "${API:-https://evil.example}"}}
    assert "is not supported" in only(".mcp.json", {"mcpServers": {"x": entry}}).problem


def test_servers_of_a_skill_in_any_spelling() -> None:
    path = ".opencode/skills/tea/SKILL.md"
    block = {
        "tea": {"command": "npx", "args": ["tea"], "env": {"HOUSE": "${HOUSE}"}},
        "cake": {"type": "local", "command": ["cake"], "environment": {}},
        "far": {"type": "http", "url": "https://mcp.example.org/mcp"},
        "day": 2026,
    }
    tea, cake, far, day = read_skill(path, block)
    assert (tea.command, tea.environment, tea.source) == (["npx", "tea"], {"HOUSE": "{env:HOUSE}"}, path)
    assert (cake.command, far.url) == (["cake"], "https://mcp.example.org/mcp")
    assert day.problem == "It must be an object of at most 16 KiB."


@pytest.mark.parametrize("content", [b"[", b"[]", b'{"mcpServers": 7}', b"\xff\xfe", b"[" * 100_000])
def test_a_broken_file_is_named(content: bytes) -> None:
    server = only(".mcp.json", content)
    assert (server.name, server.source) == ("", ".mcp.json")
    assert server.problem.startswith("The file cannot be parsed")
    assert read_declarations("opencode.json", content) == []


def test_of_one_name_the_first_file_counts_and_the_other_is_named() -> None:
    first = DeclaredServer("a", "opencode.json", command=["x"])
    second = DeclaredServer("A", ".mcp.json", command=["y"])
    kept = chosen([first, second, DeclaredServer("b", ".mcp.json")])
    assert [each.problem for each in kept] == [
        "", "opencode.json declares a server of this name, too, and is read first.", "",
    ]  # fmt: skip


def test_more_servers_than_allowed_are_left_out_and_named() -> None:
    block = {f"s{number}": {"type": "local", "command": ["x"]} for number in range(100)}
    kept = chosen(read_declarations("opencode.json", json.dumps({"mcp": block}).encode()))
    assert len(kept) == 31
    assert "more than 30 servers" in kept[-1].problem


def test_the_digest_depends_on_all_that_decides_what_is_started() -> None:
    base = DeclaredServer("a", "opencode.json", command=["x"], environment={"A": "1"})
    others = [
        DeclaredServer("a", "opencode.json", command=["x", "y"], environment={"A": "1"}),
        DeclaredServer("a", "opencode.json", command=["x"], environment={"A": "2"}),
        DeclaredServer("a", ".mcp.json", command=["x"], environment={"A": "1"}),
        DeclaredServer("a", "opencode.json", kind="remote", url="https://a.example"),
    ]
    assert len({each.digest for each in (base, *others)}) == 5
    assert DeclaredServer.from_dict(base.as_dict()).digest == base.digest
