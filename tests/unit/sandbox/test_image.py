import json
from pathlib import Path

import pytest

from sandbox.image import base, recipe
from sandbox.image.developer import DEVELOPER
from sandbox.image.languages import LANGUAGES
from sandbox.image.toolsets import Toolset


def test_the_tag_follows_every_part_of_the_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    before = recipe.image_tag(["tools"])
    files = dict(recipe.context_files())
    monkeypatch.setattr(recipe, "context_files", lambda *_: {**files, "runner/calls.py": b"# changed"})

    assert recipe.image_tag(["tools"]) != before
    assert {"Dockerfile", "become.c", "packages.txt", "runner/__main__.py"} <= set(files)


def test_an_image_with_other_tools_has_another_tag() -> None:
    assert len({recipe.image_tag(tools) for tools in ([], ["one"], ["two"], ["one", "two"])}) == 4


def test_an_image_with_a_browser_is_another_one_on_another_base() -> None:
    packages = recipe.browser_packages()
    assert "chromium-headless-shell" in packages
    assert recipe.image_tag([], further=packages) != recipe.image_tag([])
    assert recipe.base_tag(packages) != recipe.base_tag()


@pytest.mark.parametrize("toolset", [DEVELOPER, LANGUAGES], ids=lambda toolset: toolset.name)
def test_tools_follow_every_version_in_their_locks(toolset: Toolset, monkeypatch: pytest.MonkeyPatch) -> None:
    before, files = toolset.digest(), dict(toolset.context_files())
    assert {"Dockerfile", "package.json", "package-lock.json", "wheels.lock"} <= set(files)

    for name in files:
        monkeypatch.setattr(Toolset, "context_files", lambda _, name=name: {**files, name: b"changed"})
        assert toolset.digest() != before


@pytest.mark.parametrize("toolset", [DEVELOPER, LANGUAGES], ids=lambda toolset: toolset.name)
def test_locks_name_hashes_and_no_registry(toolset: Toolset) -> None:
    packages = json.loads((toolset.folder / "package-lock.json").read_text())["packages"]

    assert all("integrity" in package for path, package in packages.items() if path)
    assert all(b"https://" not in content for name, content in toolset.context_files().items() if "wheels" in name)
    assert not any("resolved" in package for package in packages.values())


def test_sources_are_read_in_both_styles_and_foreign_ones_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "codename", lambda: "bookworm")
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list").write_text(
        "# deb http://old bookworm main\ndeb [arch=amd64 signed-by=/k] http://mirror/debian bookworm main contrib\n"
        "deb http://vendor/apt stable main\ndeb-src http://mirror/debian bookworm main\n"
    )
    (tmp_path / "sources.list.d" / "debian.sources").write_text(
        "Types: deb\n# a comment: here\nURIs: http://mirror/security\nSuites: bookworm-security\nComponents: main\n"
        "\nTypes: deb\nURIs: http://vendor/node\nSuites: nodistro\nComponents: main\n"
    )

    assert list(base.debian_sources(tmp_path)) == [
        "deb http://mirror/debian bookworm main",
        "deb http://mirror/security bookworm-security main",
    ]
