from pathlib import Path

import pytest

from sandbox.image import base, languages, recipe


def test_the_tag_follows_every_part_of_the_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    before = recipe.image_tag()
    files = dict(recipe.context_files())
    monkeypatch.setattr(recipe, "context_files", lambda _certificates: {**files, "runner/calls.py": b"# changed"})

    assert recipe.image_tag() != before
    assert {"Dockerfile", "become.c", "packages.txt", "runner/__main__.py"} <= set(files)


def test_an_image_with_language_tools_is_another_one_with_every_version_in_their_locks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, files = languages.digest(), dict(languages.context_files())
    assert {"Dockerfile", "package.json", "package-lock.json", "wheels.lock"} <= set(files)
    assert recipe.image_tag(before) not in {recipe.image_tag(), recipe.image_tag("other")}

    for name in files:
        monkeypatch.setattr(languages, "context_files", lambda name=name: {**files, name: b"changed"})
        assert languages.digest() != before


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
