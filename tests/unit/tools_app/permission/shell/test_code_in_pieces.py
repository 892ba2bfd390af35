"""Paths and commands are found in code that composes them from pieces."""

import pytest

from tools_app.permission.shell.code_commands import commands_in_code
from tools_app.permission.shell.code_places import MAX_LITERALS, names_home, places_in_code, unnamed_files
from tools_app.permission.shell.named import named_files


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ('chdir("config"); open("prod.env")', "config/prod.env"),
        ('Path("config").glob("*.env")', "config/*.env"),
        ('run(["cat", "prod.env"], cwd="config")', "config/prod.env"),
        ('run("cat prod.env", cwd="config")', "config/prod.env"),
        ('for d in ["config"]: open(d + "/prod.env")', "config/prod.env"),
        ('open("$d/prod.env"); $d = "config"', "config/prod.env"),
    ],
)
def test_a_folder_and_a_name_make_a_path(code: str, place: str) -> None:
    assert place in set(places_in_code(code))


def test_a_glob_is_no_folder() -> None:
    assert set(places_in_code('f("*.py", "a")')) == {"a/*.py"}


def test_the_number_of_paths_is_limited() -> None:
    code = ",".join(f'"a{number}"' for number in range(500))
    assert len(list(places_in_code(code))) == MAX_LITERALS * (MAX_LITERALS - 1)


@pytest.mark.parametrize(
    "code",
    [
        "Path.home()", "os.homedir()", "$ENV{HOME}", "Dir.home", 'expanduser("~/a")', "process.env.HOME",
        'System.getProperty("user.home")', "chdir;", 'f("a", "~")', "os.UserHomeDir()", "cd ~ | w .vimrc", "lcd! ~",
    ],
)  # fmt: skip
def test_languages_name_the_home_directory(code: str) -> None:
    assert names_home(code)


@pytest.mark.parametrize("code", ["print(1)", 'chdir("a")', "f(homepage)", 'f("~a")'])
def test_other_code_does_not_name_the_home_directory(code: str) -> None:
    assert not names_home(code)


def test_commands_of_editors_write_files_that_they_do_not_name() -> None:
    texts = ("cd ~ | mkvimrc! | q", "mkex", "open a.mkv")
    assert [name for text in texts for name in unnamed_files(text)] == [".vimrc", ".exrc"]


def test_pieces_may_be_files_below_the_home_directory() -> None:
    code = 'open(os.environ["HOME"] + "/.ssh/id_rsa")'
    assert "/home/agent/.ssh/id_rsa" in set(named_files([code], ["/workspace"], "/home/agent"))


@pytest.mark.parametrize(
    ("code", "command"),
    [
        ('for a in ["fetch", "push"]: run(["git", a])', "git push"),
        ('G = "git"\nx = 1\nrun([G, "status"])\nrun([G, "push"])', "git push"),
        ("from sh import git\ngit.push()", "git push"),
        ('spawnSync("git", Object.keys({push: 1}))', "git push"),
        ('function push() { execFile("git", [push.name]) }', "git push"),
        ("Op = Enum('Op', 'fetch push')\nrun(['git', Op.push.name])", "git push"),
        ('class G:\n  def __getattr__(s, n): run(["git", n])\nG().push()', "git push"),
        ('system("git", :push.to_s)', "git push"),
        ("system(git => push => origin)", "git push"),
        ('os.execute("git " .. k, {push=1})', "git push"),
        ('import git\ngit.Repo(".").remote().push()', "git push"),
        ("use git2::Repository;\nremote.push(&[x], None)", "git push"),
    ],
)
def test_a_program_and_an_action_make_a_command(code: str, command: str) -> None:
    assert command in set(commands_in_code(code))


@pytest.mark.parametrize("code", ['a = ["git"]; a.push("push")', 'print("git", "push")'])
def test_code_that_runs_nothing_has_no_commands(code: str) -> None:
    assert list(commands_in_code(code)) == []


def test_the_name_of_a_method_that_is_called_is_no_action() -> None:
    code = 'const out = []; out.push(execFileSync("git", ["log"]))'
    assert "git push" not in set(commands_in_code(code))
