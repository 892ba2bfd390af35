"""Rules of Cursor: reading their front matter as Cursor writes it, and matching their patterns with paths."""

import time

import pytest

from tools_app.cursor_rules import matches, read_rule, rules_for
from tools_app.front_matter import BadFrontMatter


@pytest.mark.parametrize(
    ("fields", "globs"),
    [
        ("globs: src/**/*.ts", ("src/**/*.ts",)),
        ("globs: *.ts, **/*.tsx", ("*.ts", "**/*.tsx")),
        ('globs: ["a/*.py", "b/*.py"]', ("a/*.py", "b/*.py")),
        ("globs:\n  - a/*.py\n  - ./b.py", ("a/*.py", "b.py")),
        ("globs: '*.{js,ts},x.md'", ("*.{js,ts}", "x.md")),
        ("globs:", ()),
        ("globs: 3", ()),
    ],
)
def test_patterns_are_read_from_lists_and_texts(fields: str, globs: tuple[str, ...]) -> None:
    rule = read_rule("x.mdc", f"---\ndescription: About\n{fields}\nalwaysApply: false\n---\nText.\n")
    assert (rule.globs, rule.description, rule.always, rule.text) == (globs, "About", False, "Text.")
    assert rule.is_on_request is not bool(globs)


def test_a_rule_without_front_matter_is_for_people() -> None:
    rule = read_rule("x.mdc", "Text.")
    assert (rule.globs, rule.always, rule.is_on_request, rule.text) == ((), False, False, "Text.")


@pytest.mark.parametrize("fields", ['alwaysApply: "true"', "a: [", "alwaysApply: 1.5", "&a [*a]"])
def test_front_matter_that_is_not_understood_is_refused(fields: str) -> None:
    with pytest.raises(BadFrontMatter):
        read_rule("x.mdc", f"---\n{fields}\n---\nText.")


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("*.ts", "a.ts"), ("*.ts", "src/deep/a.ts"), ("src/*.ts", "src/a.ts"), ("src/**", "src/a/b.c"),
        ("src/**/*.ts", "src/a.ts"), ("**/test_*.py", "a/b/test_x.py"), ("/src/*.ts", "src/a.ts"),
        ("*.{js,ts}", "x/y.js"), ("{a,b}/{c,d}.py", "b/c.py"), ("Makefile", "sub/Makefile"), ("a/**/b/**/c", "a/x/b/c"),
    ],
)  # fmt: skip
def test_a_pattern_matches(glob: str, path: str) -> None:
    assert matches([glob], path)


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("src/*.ts", "src/a/b.ts"), ("src/*.ts", "a.ts"), ("src/**/*.ts", "lib/a.ts"), ("*.{js,ts}", "a.py"),
        ("src", "src/a.ts"), ("a/b", "a/b/c"), ("", "a"), ("**/x/**", "a/b"),
    ],
)  # fmt: skip
def test_a_pattern_does_not_match(glob: str, path: str) -> None:
    assert not matches([glob], path)


@pytest.mark.parametrize(
    "glob", ["/".join(["**"] * 140), "*a" * 150, "{a,b}" * 60, "{" * 300, "**/" * 29 + "x", "{,}" * 100]
)
def test_hostile_patterns_take_bounded_time(glob: str) -> None:
    began = time.process_time()
    matches([glob] * 50, "/".join(["a" * 200] * 29) + "/b")
    assert time.process_time() - began < 2


def test_patterns_are_relative_to_the_folder_of_their_rule() -> None:
    rules = [
        {"path": ".cursor/rules/a.mdc", "globs": ["src/*.py"]},
        {"path": "pkg/.cursor/rules/b.mdc", "globs": ["src/*.py"], "in_folder": "pkg"},
    ]
    assert rules_for(rules, "src/x.py") == [".cursor/rules/a.mdc"]
    assert rules_for(rules, "pkg/src/x.py") == ["pkg/.cursor/rules/b.mdc"]
