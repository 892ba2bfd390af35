"""Rules and grants match a command after options that do not change its effect, such as `--silent`, are removed."""

from pathlib import PurePosixPath

import pytest

from tools_app.permission.shell import ShellAnalysis, analyze

ROOT = PurePosixPath("/workspace")


def look(command: str) -> ShellAnalysis:
    return analyze(command, cwd=ROOT, root=ROOT, home=PurePosixPath("/home/agent"))


@pytest.mark.parametrize(
    ("written", "usual"),
    [
        ("npm run --silent build", "npm run build"),
        ("npm --prefix web run -s build", "npm run build"),
        ("pnpm -r --filter web test", "pnpm test"),
        ("yarn workspace web test", "yarn test"),
        ("./mvnw -q -o test", "./mvnw test"),
        ("make -C src -j4 test V=1", "make test"),
        ("python3 -u -W ignore -m pytest -q", "python3 -m pytest -q"),
        ("python -m pip list", "pip list"),
        ("pytest -q -p no:cacheprovider", "pytest -q"),
        ("vitest run --reporter=dot", "vitest run"),
        ("cmake -S . -DCMAKE_BUILD_TYPE=Debug", "cmake -S ."),
    ],
)
def test_a_command_is_matched_in_its_usual_form(written: str, usual: str) -> None:
    found = look(written)
    assert (found.patterns, found.complete) == ((usual,), True)
    assert written in found.spellings  # so a rule about what is written applies, too


@pytest.mark.parametrize(
    "command", ["npm test", "python3 -u src/app.py", "python3 -u", "cargo test -q", "mvn -X test", "make -f x test"]
)
def test_other_commands_are_matched_as_they_are_written(command: str) -> None:
    assert look(command).patterns == (command,)


def test_the_folder_is_entered_before_the_command_runs() -> None:
    paths = {use.path for use in look("make -C web test").paths}
    assert "/workspace/web" in paths
    assert look("npm --prefix ../x test").external_directories == ("/x/*",)


def test_only_one_folder_is_left_out() -> None:
    assert look("make -C src -C .. test").patterns != ("make test",)


def test_always_fits_the_next_variation() -> None:
    assert look("npm --prefix web run --silent build").always == look("npm run build").always == ("npm run build *",)
