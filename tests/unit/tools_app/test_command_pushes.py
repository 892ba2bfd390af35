"""The push that a command makes, as far as its text shows it."""

from pathlib import PurePosixPath

import pytest

from tools_app.command_needs import pushed_to
from tools_app.gate import judge
from tools_app.permission.model import Layer, Rule
from tools_app.permission.shell import analyze
from tools_app.spec import PermissionNeed

ALONG = PermissionNeed("git_push", ("agentsite/1",), (), {"along": True})
COMMAND = PermissionNeed("bash", ("git push",), (), {})


@pytest.mark.parametrize(
    ("command", "branch"),
    [
        ("git push", ""), ("git push -q -u origin HEAD", ""), ("git push origin agentsite/1", "agentsite/1"),
        ("git push origin HEAD:refs/heads/main", "main"), ("git push --force", None), ("git push origin :x", None),
        ("git push origin +x", None), ("git push https://x.example/a.git", None), ("git push origin a b", None),
        ("git status", None), ("git -C shop push --no-verify", ""), ("git -c a.b=c push", None),
        ("git push origin $(git branch --show-current)", ""), ("git push origin HEAD:$B", ""),
        ("git push $REMOTE", None), ("git push --all", None),
    ],
)  # fmt: skip
def test_where_a_command_pushes_to(command: str, branch: str | None) -> None:
    here = PurePosixPath("/workspace")
    commands = analyze(command, cwd=here, root=here, home=PurePosixPath("/home/agent")).commands
    assert pushed_to(commands[-1].words) == branch


@pytest.mark.parametrize(
    ("rules", "asked"),
    [
        ([], ["bash", "git_push"]),
        ([Rule("bash", "*", "allow")], []),
        ([Rule("git_push", "agentsite/*", "deny")], ["bash"]),
        ([Rule("git_push", "agentsite/*", "allow")], ["bash"]),
    ],
)
def test_a_push_is_asked_about_together_with_its_command_only(rules: list[Rule], asked: list[str]) -> None:
    verdict = judge([ALONG, COMMAND], [Layer("team", rules)])
    assert [need.permission for need in verdict.asked] == asked
    assert verdict.action == ("ask" if asked else "allow")
