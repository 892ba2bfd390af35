"""An incomplete analysis still names the paths that a command may touch: folders that it enters, and words that may
be file names."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


def named(command: str) -> set[str]:
    return {use.path for use in analyzed(command).paths}


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cd a; cd ../b; cd -; cat c", "/workspace/a/c"),
        ('cd a && cd "$OLDPWD/b" && cat c', "/workspace/b/c"),
        ("cd a[b]/; cat c", "/workspace/a[b]/c"),
        ("find a -execdir cat c \\;", "/workspace/a"),
        ("GLOBIGNORE=x; cat *", "/workspace/.*"),
        ("shopt -s dotglob; cat ?nv", "/workspace/.nv"),
        ("cat .[[:alpha:]]nv", "/workspace/.?nv"),
        ("gcc -MFx -c a.c", "/workspace/x"),
        ("gcc -Wl,-o,x a.c", "/workspace/x"),
        ("unzip -l 'a*'", "/workspace/a*"),
        ("unzip -lx 'a*' b", "/workspace/a*"),
        ("unzip -l -x 'a*' b", "/workspace/a*"),
        ("zipinfo 'a*'", "/workspace/a*"),
        ("zip a b -x @c", "/workspace/c"),
        ("zip a b -i@c", "/workspace/c"),
        ("zipinfo -x 'a*' b", "/workspace/a*"),
    ],
)
def test_paths_of_texts_that_are_not_complete(command: str, path: str) -> None:
    assert path in named(command)


@pytest.mark.parametrize("command", ["pushd -n a; cat ~1/c", "gcc -Ia -include c -E b.c", "cd a; x=$(date); cat $x/c"])
def test_code_may_name_files_in_each_folder_of_the_text(command: str) -> None:
    assert "/workspace/a" in analyzed(command).code_folders


@pytest.mark.parametrize(
    "command", ["ss --unknown .env", "POSIXLY_CORRECT=1 head a -n .env", "export POSIXLY_CORRECT=; head a -n .env"]
)
def test_a_word_may_be_a_file_where_an_option_is_not_judged(command: str) -> None:
    assert "/workspace/.env" in analyzed(command).possible
    assert "/workspace/.env" not in analyzed("head -n .env").possible


@pytest.mark.parametrize(
    ("command", "only"),
    [
        ("pytest --doctest-glob='*' a", ()),
        ("pytest --doctest-glob=*.py a", ("*.py", "*.pyi", "*.ipynb")),
        ("isort --supported-extension txt a", ()),
        ("eslint --ext .ts,.js a", ("*.js",)),
        ("pytest --ignore-glob='x*' a", ("*.py", "*.pyi", "*.ipynb")),
    ],
)
def test_an_option_may_add_files_of_other_kinds(command: str, only: tuple[str, ...]) -> None:
    found = [use.only for use in analyzed(command).paths if use.path == "/workspace/a" and use.recursive]
    assert all(set(only) <= set(each) if only else each == () for each in found)
    assert found


def test_a_source_that_a_text_writes_may_include_any_file() -> None:
    assert "/workspace/q.c is written and then run." in analyzed("printf x > q.c; gcc -E q.c").reasons
    assert analyzed("gcc -E q.c").complete


def test_files_that_git_does_not_track_are_looked_for_among_all_files() -> None:
    assert [use.known for use in analyzed("git ls-files -o").paths if use.recursive] == ["files"]
    assert [use.known for use in analyzed("git ls-files").paths if use.recursive] == ["worktree"]


@pytest.mark.parametrize("code", [r"f(\"a/b\")", "f(`a/b`)", r"f(a\/b)", r"{ f \"a/b\" }"])
def test_a_name_in_code_may_stand_between_other_signs(code: str) -> None:
    found = analyzed(f"unknown-tool '{code}'")
    assert "/workspace/a/b" in {*found.words, *found.possible}
