"""The paths of files in which repositories keep settings for agents. Pure."""

from typing import Final

PROJECT_FILES: Final = tuple(
    f"{folder}{name}.{ending}"
    for folder in ("", ".opencode/", ".agentsite/")
    for name in ("opencode", "agentsite")
    for ending in ("json", "jsonc")
)
