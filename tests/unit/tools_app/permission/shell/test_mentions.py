import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.mentions import MAX_MENTIONS, mentioned


@pytest.mark.parametrize(
    "text",
    [
        "cd src; git -C .. push",
        "x=$(git --exec-path)/git-push",
        "git -c a.b=c push",
        "s/true/git push/ package.json",
        "exec qw/git push/",
        "Z2l0IHB1c2g=",
        '"git p" "ush"',
        "nu -c '^git push'",
        "elvish -c 'e:git push'",
        "pwsh -c '&git push'",
    ],
)
def test_a_command_in_a_text_is_found(text: str) -> None:
    assert "git push" in mentioned(text, ())


@pytest.mark.parametrize(
    "code",
    [
        'run(["git"] + ["push"])',
        'Command::new("git").arg("push")',
        '"git {}".format("push")',
        'c = "git"; system("$c push")',
        'execFile("git", ["-C", ".", "push"])',
    ],
)
def test_literals_that_follow_each_other_in_code_are_joined(code: str) -> None:
    assert "git push" in mentioned("", (), [code])


def test_plain_code_mentions_no_command() -> None:
    assert "git push" not in mentioned("print('ok')", (), ["print('ok')"])


def test_a_command_at_the_end_of_a_text_with_too_many_commands_is_mentioned() -> None:
    many = "; ".join(f"echo {number} a{number}" for number in range(450))
    assert "rm x" in analyzed(f"{many}; rm x").mentions


def test_a_path_behind_too_many_paths_is_looked_for_in_the_text_itself() -> None:
    many = " ".join(f"d{number}/x" for number in range(520))
    assert any("internal/token.txt" in code for code in analyzed(f"cat {many} internal/token.txt").codes)


def test_a_text_with_more_commands_than_are_looked_at_counts_as_too_long() -> None:
    lines = [f"x{number} = 'a{number} b{number}'\n" for number in range(MAX_MENTIONS // 2)]
    assert not analyzed(f"python3 <<'E'\n{''.join(lines[:40])}E\n").too_long
    assert analyzed(f"python3 <<'E'\n{''.join(lines)}E\n").too_long


@pytest.mark.parametrize("command", ["zsh <<< 'true; zf_rm x'", "echo 'grm x' | sh"])
def test_a_command_is_also_mentioned_under_the_usual_name_of_its_program(command: str) -> None:
    assert "rm x" in analyzed(command).mentions
