"""Helpers that the tests of the shell analysis share."""

from pathlib import PurePosixPath

from tools_app.permission.shell import ShellAnalysis, analyze


def analyzed(command: str, *, cwd: str = "/workspace") -> ShellAnalysis:
    return analyze(command, cwd=PurePosixPath(cwd), root=PurePosixPath("/workspace"), home=PurePosixPath("/home/agent"))


def touched(command: str, mode: str) -> set[str]:
    return {use.path for use in analyzed(command).paths if use.mode == mode}
