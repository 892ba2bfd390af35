"""Templates of commands: their arguments, files and shell commands."""

import pytest

from sessions_app.configuration.commands import BadCommand, name_of_file, name_problem, read_markdown
from sessions_app.configuration.templates import MAX_CALLS, fill, mentioned_paths, parts_of, words_of


@pytest.mark.parametrize(
    ("template", "arguments", "text"),
    [
        ("Review $1 in $2 steps.", "src/a.py 3", "Review src/a.py in 3 steps."),
        ("Review $1: $2", "src/a.py all of it", "Review src/a.py: all of it"),
        ("Do $ARGUMENTS now.", "this and that", "Do this and that now."),
        ("Do it.", "for x", "Do it.\n\nfor x"),
        ("Do it.", "  ", "Do it."),
        ("One $1, two $2.", "a", "One a, two ."),
        ("Say $1.", "'two words' more", "Say two words more."),
        ("Cost: $0 and $5", "a b", "Cost:  and"),
        ("$1$1", "$ARGUMENTS", "$ARGUMENTS$ARGUMENTS"),
        ("$1", "`rm` $2", "`rm` $2"),
    ],
)
def test_arguments_are_filled_in(template: str, arguments: str, text: str) -> None:
    assert fill(template, arguments).text == text


def test_commands_and_files_are_found_once_and_in_order() -> None:
    found = fill("See !`git diff $1` and !`git diff a.py` with @src/$1, @docs/ and @src/a.py.", "a.py")
    assert found.shell == ("git diff a.py",)
    assert found.files == ("src/a.py", "docs/")
    assert found.text == (
        "See `git diff a.py` (its output follows) and `git diff a.py` (its output follows) with @src/a.py, @docs/ and "
        "@src/a.py."
    )


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("@src/app.py", ["src/app.py"]),
        ("see @README.md, please", ["README.md"]),
        ("(@src/)", ["src/"]),
        ("@./a", ["./a"]),
        ("@../x/y.py", ["../x/y.py"]),
        ("mail me@example.org", []),
        ("`@app.route`", []),
        ("@explore look", []),
        ("@somebody hello", []),
        ("@.env", [".env"]),
    ],
)
def test_what_looks_like_a_path_is_one(text: str, paths: list[str]) -> None:
    assert mentioned_paths(text, ["explore"]) == paths


def test_the_number_of_files_and_commands_is_limited() -> None:
    found = parts_of(" ".join(f"!`echo {n}`" for n in range(50)) + " @a/b")
    assert (len(found.shell), found.files, found.left_out) == (MAX_CALLS, (), 31)


def test_words_of_arguments() -> None:
    assert words_of("a \"b c\" 'd' e'f'") == ["a", "b c", "d", "e", "f"]


def test_a_markdown_file_is_a_command() -> None:
    text = "---\ndescription: Looks for bugs\nagent: plan\nsubtask: true\nallowed-tools: Bash\n---\nLook at $1.\n"
    assert read_markdown(text) == {
        "template": "Look at $1.", "description": "Looks for bugs", "agent": "plan", "subtask": True,
    }  # fmt: skip
    assert name_of_file(".opencode/command", ".opencode/command/git/tidy.md") == "git/tidy"


@pytest.mark.parametrize("text", ["", "---\na: b\n---\n", "---\n: [\n---\nx", "x" * 40_000])
def test_what_is_not_a_command_says_why(text: str) -> None:
    with pytest.raises(BadCommand, match=r"\.$"):
        read_markdown(text)


@pytest.mark.parametrize("name", ["", "../x", "a b", "a/", "/a", "x" * 65, "a\nb"])
def test_names_of_commands(name: str) -> None:
    assert name_problem(name)
