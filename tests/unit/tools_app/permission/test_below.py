"""Finding a path below a folder that matches a pattern, compared with trying all short paths."""

import itertools
import time
from fnmatch import fnmatchcase
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_app.permission.below import TooComplex, path_below
from tools_app.permission.wildcard import match

FOLDERS: Final = (".", "a", "b/a", "/a")
PATTERNS = st.text(alphabet="ab*?./ ", min_size=1, max_size=5)
NAMES = st.one_of(st.just("*"), st.text(alphabet="ab*?.", min_size=1, max_size=3))


def is_below(path: str, folder: str) -> bool:
    start = "" if folder == "." else f"{folder}/"
    parts = path.removeprefix(start).split("/")
    return path.startswith(start) and not any(part in {"", ".", ".."} for part in parts)


SHORT: Final = tuple("".join(each) for length in range(1, 6) for each in itertools.product("ab./ ", repeat=length))
PATHS: Final = {
    folder: tuple(path for text in SHORT if is_below(path := ("" if folder == "." else f"{folder}/") + text, folder))
    for folder in FOLDERS
}


@given(PATTERNS, st.sampled_from(FOLDERS), st.lists(PATTERNS, max_size=2), NAMES)
def test_no_path_is_missed_and_none_is_invented(pattern: str, folder: str, unless: list[str], name: str) -> None:
    def fits(path: str) -> bool:
        wanted = match(path, pattern) and fnmatchcase(path.rpartition("/")[2], name)
        return wanted and not any(match(path, other) for other in unless)

    found = path_below(pattern, folder, unless=unless, name=name)
    if found is None:
        assert not [path for path in PATHS[folder] if fits(path)]
    else:
        assert is_below(found, folder)
        assert fits(found)


@pytest.mark.parametrize(
    ("pattern", "folder", "possible"),
    [
        ("internal/*", ".", True),
        ("internal/*", "internal", True),
        ("internal/*", "internal/deep", True),
        ("internal/*", "src", False),
        ("internal", ".", True),
        ("internal", "internal", False),
        ("*.lock", "src", True),
        ("secrets/**", "secrets", True),
        ("/etc/*", ".", False),
        ("/etc/*", "/", True),
        ("src//x", ".", False),
        ("../*", ".", False),
        ("a *", ".", True),
    ],
)
def test_patterns_that_people_write(pattern: str, folder: str, possible: bool) -> None:
    assert (path_below(pattern, folder) is not None) is possible


@pytest.mark.parametrize(
    ("pattern", "unless", "possible"),
    [
        ("internal/*", ["*"], False),
        ("internal/*", ["internal/*"], False),
        ("internal/*", ["int*"], False),
        ("internal/*", ["internal/public/*"], True),
        ("*.lock", ["src/*", "docs/*"], True),
        ("src/*.lock", ["src/?*.lock", "src/.lock"], False),
    ],
)
def test_what_other_patterns_cover_does_not_count(pattern: str, unless: list[str], possible: bool) -> None:
    assert (path_below(pattern, ".", unless=unless) is not None) is possible


@pytest.mark.parametrize(
    ("pattern", "name", "possible"),
    [
        ("*.lock", "*.py", False),
        ("*.lock", "uv.*", True),
        (".git/*", "config", True),
        (".git/config", "*.toml", False),
        ("internal/*", "*.py", True),
    ],
)
def test_only_names_that_match_a_glob_count(pattern: str, name: str, possible: bool) -> None:
    assert (path_below(pattern, ".", name=name) is not None) is possible


def test_patterns_that_are_too_complex_are_given_up_soon() -> None:
    hard = [f"*{'?' * length}a{'?' * (11 - length)}" for length in range(12)]
    began = time.process_time()
    with pytest.raises(TooComplex):
        path_below("*b*a*b*a*b*a*c??", ".", unless=[*hard, "*c*"])
    assert time.process_time() - began < 5


@pytest.mark.parametrize("name", ["*a" * 20 + "*", "?" * 30, "*" + "?" * 20])
def test_a_name_of_many_wildcards_is_given_up_at_once(name: str) -> None:
    with pytest.raises(TooComplex):
        path_below("*/.git/config*", ".", name=name)
    assert path_below("*.env", ".", name=f"{name}.py") is None
