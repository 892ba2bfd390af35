import pytest

from tools_app.permission.shell.mentions import mentioned


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
