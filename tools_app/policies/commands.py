"""What a bash command would need, without a container: its text alone, as it would run at the workspace's root."""

import importlib
from pathlib import PurePosixPath
from typing import Any, Final

from sandbox.ports import WORKSPACE_ROOT
from tools_app.permission.presets import HOME
from tools_app.spec import PermissionNeed

_ROOT: Final = PurePosixPath(WORKSPACE_ROOT)


def analyze_command(command: str) -> Any:
    """None as long as there is no analysis: then nothing but the whole text is known."""
    analyze = getattr(importlib.import_module("tools_app.permission.shell"), "analyze", None)
    return analyze and analyze(command, cwd=_ROOT, root=_ROOT, home=PurePosixPath(HOME))


def needs_of_command(command: str) -> list[PermissionNeed]:
    """The needs that the bash tool would have for it. Links are unknown here, so a session's answer may be stricter."""
    analysis = analyze_command(command)
    if analysis is None:
        return [PermissionNeed("bash", (command,), metadata={"command": command, "complete": False})]
    own = PermissionNeed(
        "bash", analysis.patterns, always=analysis.always, metadata={"command": command, "complete": analysis.complete}
    )
    outside = tuple(analysis.external_directories)
    return [PermissionNeed("external_directory", outside), own] if outside else [own]
