"""Files and programs that the arguments of test runners, linters, build tools and package managers name."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed, touched
from tools_app.network.environment import environment
from tools_app.permission.shell import PathUse, touching
from tools_app.permission.shell.assignments import is_powerful
from tools_app.permission.shell.path_like import name_parts
from tools_app.permission.shell.words import Field


def trees(command: str, mode: str) -> list[PathUse]:
    return [use for use in analyzed(command).paths if use.recursive and use.mode == mode]


@pytest.mark.parametrize(
    ("command", "tree"),
    [
        ("ruff check", "/workspace/."),
        ("ruff check src", "/workspace/src"),
        ("cd web && npx eslint .", "/workspace/web/."),
        ("prettier --check 'src/**/*.ts'", "/workspace/src/"),
        ("go vet ./api/...", "/workspace/./api/"),
        ("cargo clippy -- -D warnings", "/workspace/."),
        ("coverage run -m pytest tests", "/workspace/tests"),
    ],
)
def test_linters_and_test_runners_read_trees(command: str, tree: str) -> None:
    assert tree in {use.path for use in trees(command, "read")}
    assert trees(command, "write") == []


@pytest.mark.parametrize("command", ["ruff --version", "ruff rule E501", "cargo tree", "go list ./...", "mypy --help"])
def test_what_goes_through_no_files_reads_no_tree(command: str) -> None:
    assert trees(command, "read") == []


@pytest.mark.parametrize(
    "command",
    ["ruff format", "ruff check --fix src", "black src", "isort src check", "gofmt -w .", "gofmt --w .", "go fmt ./...",
     "cargo fmt", "npx prettier --write .", "biome check --write src", "golangci-lint run --fix"],
)  # fmt: skip
def test_formatters_change_trees(command: str) -> None:
    assert trees(command, "write")


@pytest.mark.parametrize("command", ["ruff format --check", "black --diff src", "isort -c src", "cargo fmt -- --check"])
def test_formatters_that_only_look_change_nothing(command: str) -> None:
    assert trees(command, "write") == []


def test_a_tool_takes_only_files_of_its_kind() -> None:
    (use,) = trees("ruff check src", "read")
    assert use.only == ("*.py", "*.pyi", "*.ipynb")


@pytest.mark.parametrize(
    ("command", "only"),
    [
        ("prettier --check '*.yml'", ("*.yml",)),
        ("eslint 'src/**/*.{js,env}'", ("*.js", "*.env")),
        ("eslint '**'", ()),
        ("eslint '*.?(c)js'", ()),
    ],
)
def test_a_glob_that_a_tool_expands_chooses_files_of_any_kind(command: str, only: tuple[str, ...]) -> None:
    assert {use.only for use in trees(command, "read")} == {only}


@pytest.mark.parametrize(
    "command",
    [
        "pytest --basetemp=out",
        "vitest run --coverage.reports-directory out",
        "jest --clearCache --cacheDirectory=out",
        "vite build --outDir out",
        "npm run build -- --outDir=out",
        "webpack -oout",
    ],
)
def test_an_option_that_empties_a_folder_takes_all_of_its_files(command: str) -> None:
    uses = [each for each in trees(command, "write") if each.path.endswith("/out") and each.known == "files"]
    assert [use.only for use in uses] == [()]


@pytest.mark.parametrize("command", ["vite build --outDir .", "esbuild --outfile=out", 'vite build --outDir "$x"'])
def test_other_options_empty_no_folder(command: str) -> None:
    assert not [each for each in trees(command, "write") if each.known == "files"]


@pytest.mark.parametrize(
    ("command", "patterns"),
    [
        ("make test deploy", ["make test deploy", "make test", "make deploy"]),
        ("make test", ["make test"]),
        ("make -n test deploy", ["make -n test deploy"]),
        ("gradle test clean", ["gradle test clean"]),
        ("gradle test --tests a.B pTML", ["gradle test --tests a.B pTML", "gradle pTML"]),
        ("turbo run test deploy", ["turbo run test deploy", "turbo run test", "turbo run deploy"]),
    ],
)
def test_each_of_several_tasks_must_be_allowed(command: str, patterns: list[str]) -> None:
    assert list(analyzed(command).patterns) == patterns


@pytest.mark.parametrize(
    ("command", "complete"),
    [
        ("cmake --build build --target all", True),
        ("cmake --build build --target install", False),
        ("cmake --build build -t test deploy", False),
        ("dotnet build -t:Clean", True),
        ("dotnet build -t:Publish", False),
        ("cargo nextest run", True),
        ("cargo nextest self update", False),
        ("uv run --python 3.12 pytest", True),
        ("uv run --python ./x pytest", False),
        ("node --test --test-reporter=spec", True),
        ("node --test --test-reporter=./x.js", False),
        ("node --test-reporter=./x.js a.js", False),
    ],
)
def test_words_that_do_more_than_test_and_build_are_incomplete(command: str, complete: bool) -> None:
    assert analyzed(command).complete is complete


def test_files_of_a_node_test_are_read() -> None:
    assert {"/workspace/a", "/workspace/b"} <= touched("node --test a b", "read")


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("--log=a:HEAD", {"a": True, "HEAD": True}),
        ("HEAD", {"HEAD": False}),
        ("-xHEAD", {"xHEAD": False, "HEAD": False}),
        ("x=@.env,b", {"x": False, ".env": True, "b": True}),
    ],
)
def test_each_part_of_a_word_may_name_a_file(word: str, parts: dict[str, bool]) -> None:
    found = dict(name_parts(Field(word)))
    assert {part: found[part] for part in parts} == parts


@pytest.mark.parametrize(
    ("command", "possible"),
    [
        ("pytest --any=HEAD", "/workspace/HEAD"),
        ("ruff check id_rsa", "/workspace/id_rsa"),
        ("cd a && tool --x .env", "/workspace/a/.env"),
        ("cd .git && pylint -f text:hooks/x src", "/workspace/.git/hooks/x"),
    ],
)
def test_a_part_of_a_word_that_may_be_protected_is_recorded(command: str, possible: str) -> None:
    assert possible in analyzed(command).possible


@pytest.mark.parametrize("command", ["npm test", "make build", "pytest -k HEAD", "pre-commit run --to-ref HEAD"])
def test_plain_words_name_no_files(command: str) -> None:
    assert analyzed(command).possible == ()


def test_variables_that_the_sandbox_exports_change_what_runs() -> None:
    assert [name for name in environment(1) if not is_powerful(name)] == []


@pytest.mark.parametrize(
    "command",
    ["npx -c 'rm x'", "npx --call='rm x'", "npm exec -c 'rm x'", "conda run -n base rm x", "pipx run rm x",
     "tox exec -- rm x", "nix-shell --run 'rm x'", "docker run -v .:/w i rm x",
     "/lib64/ld-linux-x86-64.so.2 /bin/rm x"],
)  # fmt: skip
def test_denies_hold_for_commands_that_others_run(command: str) -> None:
    found = analyzed(command)
    assert "rm x" in (*found.patterns, *found.spellings)
    assert not found.complete


def test_parts_of_words_that_stand_twice_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def look(word: Field) -> list[tuple[str, bool]]:
        looked.append(word.text)
        return []

    monkeypatch.setattr(touching, "name_parts", look)
    analyzed("tool a=b a=b c a=b")
    assert looked == ["a=b", "c"]


@pytest.mark.parametrize("command", ["cpp notes", "as 'a b' -o x.o", "ld notes", "rustc notes", "nasm notes"])
def test_compilers_read_each_operand_whatever_its_name(command: str) -> None:
    name = "a b" if "a b" in command else "notes"
    assert f"/workspace/{name}" in touched(command, "read")
