"""Every file and module that a documentation page mentions exists."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
PAGES: Final = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

# Where a path on any page may start; a page may leave out the folder that it is about.
STARTS: Final = ("", "docs", "sessions_app", "frontend", "frontend/src", "tests")
FILE: Final = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|txt|tsx?|css|c|sh|toml))`")
MODULE: Final = re.compile(r"`((?:agentsite|sandbox|sessions_app|tools_app|tests|deploy)(?:\.\w+)+)`")
SHORT_MODULE: Final = re.compile(r"`((?:actions|events|queries|workers|tasks|spending|webhooks)(?:\.[a-z_]+){2,})`")
EXAMPLES: Final = frozenset(
    {
        "src/a.py",
        ".agentsite/services.toml",
        ".agentsite/setup.sh",
        "tools_app/builtin/count_lines.py",
        "tools_app/builtin/count_lines.txt",
        "sessions_app/transport/rest/session_counts.py",
        "sessions_app/workers/shared/session_count.py",
    }
)
"""Files that pages only use as examples."""


def _named(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for name in pattern.findall(page.read_text()):
            yield page.name, name


def _has_name(name: str) -> bool:
    """Return whether the last part of a dotted name is a module, or occurs in the source of the module before it."""
    path = ROOT.joinpath(*name.split("."))
    if path.is_dir() or path.with_suffix(".py").is_file():
        return True
    before = path.parent
    sources = [before.with_suffix(".py"), before / "__init__.py"]
    return any(source.is_file() and re.search(rf"\b{path.name}\b", source.read_text()) for source in sources)


def test_every_file_that_a_page_names_exists() -> None:
    missing = [
        (page, name)
        for page, name in _named(FILE)
        if name not in EXAMPLES and not any((ROOT / start / name).exists() for start in STARTS)
    ]
    assert not missing


def test_every_module_that_a_page_names_exists() -> None:
    named = [*_named(MODULE), *((page, f"sessions_app.{name}") for page, name in _named(SHORT_MODULE))]
    assert not [(page, name) for page, name in named if not _has_name(name)]
