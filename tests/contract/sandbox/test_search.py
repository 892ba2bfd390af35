"""Searches with glob and grep, on every runtime."""

import pytest

from sandbox.errors import NotFound, PathOutside, SandboxRefused
from tests.contract.sandbox.conftest import Sandbox


@pytest.fixture
async def project(sandbox: Sandbox) -> Sandbox:
    """Create a repository with an ignored file, a hidden file, and a file older than the others."""
    await sandbox.shell(
        "git init -q . && mkdir -p src/deep docs && echo 'alpha = 1' > src/a.py && echo 'alpha = 2' > src/deep/b.py "
        "&& echo 'ALPHA beta' > docs/c.md && echo 'alpha secret' > .env && echo 'alpha' > x.log "
        "&& echo '*.log' > .gitignore "
        "&& touch -d '2001-01-01' src/a.py"
    )
    return sandbox


async def test_a_pattern_without_slash_matches_at_any_depth_newest_first(project: Sandbox) -> None:
    found = await project.runtime.glob("*.py")

    assert found.paths == ("src/deep/b.py", "src/a.py")
    assert not found.capped


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("src/*.py", {"src/a.py"}),
        ("src/**/*.py", {"src/a.py", "src/deep/b.py"}),
        ("**/*.{md,py}", {"src/a.py", "src/deep/b.py", "docs/c.md"}),
        ("[ab].py", {"src/a.py", "src/deep/b.py"}),
        ("?.md", {"docs/c.md"}),
        ("*.log", set()),
        (".env", {".env"}),
    ],
)
async def test_globs_mean_what_gitignore_means(project: Sandbox, pattern: str, expected: set[str]) -> None:
    assert set((await project.runtime.glob(pattern)).paths) == expected


async def test_a_glob_below_a_directory_gives_paths_from_the_workspace(project: Sandbox) -> None:
    assert (await project.runtime.glob("*.py", path="/workspace/src/deep")).paths == ("src/deep/b.py",)


async def test_the_limit_of_a_glob_is_said(project: Sandbox) -> None:
    found = await project.runtime.glob("*", limit=2)

    assert (len(found.paths), found.capped) == (2, True)


async def test_grep_gives_path_line_and_text(project: Sandbox) -> None:
    result = await project.runtime.grep(r"alpha\s*=")

    assert [(match.path, match.line, match.text) for match in result.matches] == [
        ("src/a.py", 1, "alpha = 1"),
        ("src/deep/b.py", 1, "alpha = 2"),
    ]


@pytest.mark.parametrize(
    ("include", "expected"),
    [("*.md", ["docs/c.md"]), ("src/*.py", ["src/a.py"]), ("*.log", []), ("*.{md,py}", None)],
)
async def test_grep_can_be_narrowed(project: Sandbox, include: str, expected: list[str] | None) -> None:
    result = await project.runtime.grep("(?i)alpha", include=include)

    assert [match.path for match in result.matches] == (expected or [] if expected is not None else [
        "docs/c.md", "src/a.py", "src/deep/b.py"
    ])  # fmt: skip


async def test_one_file_can_be_searched(project: Sandbox) -> None:
    result = await project.runtime.grep("alpha", path="src/a.py")

    assert [(match.path, match.line) for match in result.matches] == [("src/a.py", 1)]


async def test_the_limit_of_grep_is_said(project: Sandbox) -> None:
    await project.shell("yes needle | head -500 > many.txt")

    result = await project.runtime.grep("needle", limit=10)

    assert (len(result.matches), result.capped) == (10, True)


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "(?P<x"])
async def test_a_bad_expression_is_refused_with_the_reason(project: Sandbox, pattern: str) -> None:
    with pytest.raises(SandboxRefused, match="regex parse error"):
        await project.runtime.grep(pattern)


@pytest.mark.parametrize("pattern", ["{a,b", "[z-a]"])
async def test_a_bad_glob_is_refused(project: Sandbox, pattern: str) -> None:
    with pytest.raises(SandboxRefused):
        await project.runtime.glob(pattern)


async def test_patterns_that_look_like_options_are_patterns(project: Sandbox) -> None:
    assert (await project.runtime.grep("--files")).matches == ()
    assert (await project.runtime.glob("--version")).paths == ()


async def test_searching_elsewhere_is_refused_unless_named(project: Sandbox) -> None:
    await project.shell("ln -s /etc outside")

    with pytest.raises(PathOutside):
        await project.runtime.grep("root", path="outside")
    with pytest.raises(NotFound):
        await project.runtime.glob("*", path="nowhere")
    assert "/etc/passwd" in (await project.runtime.glob("passwd", path="/etc")).paths
