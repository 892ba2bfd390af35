import pytest

from tests.unit.tools_app.permission.shell.support import analyzed, touched


@pytest.mark.parametrize(
    ("command", "outside"),
    [
        ("cat /etc/passwd", ("/etc/*",)),
        ("ls /etc", ("/etc/*",)),
        ("ls /", ("/*",)),
        ("cat /x", ("/*",)),
        ("cat ../x/y", ("/x/*",)),
        ("cat ~/.bashrc", ("/home/agent/*",)),
        ("cat $HOME/.ssh/id", ("/home/agent/.ssh/*",)),
        ("cat ${HOME}/x", ("/home/agent/*",)),
        ("echo x > /tmp/y", ("/tmp/*",)),
        ("cd /etc && cat passwd", ("/etc/*",)),
        ("cd .. && ls", ("/*",)),
        ("cd src; cat ../../x/y", ("/x/*",)),
        ("cat {a,/etc/passwd}", ("/etc/*",)),
        ("x=/etc/passwd; cat $x", ("/etc/*",)),
        ("cat /e*/passwd", ("/*",)),
        ("ln -s /etc here", ("/*",)),
        ("tar -xf a.tar -C /srv/x", ("/srv/x/*",)),
        ("unknown --file=/srv/x/y", ("/srv/x/*",)),
        ("gcc -I/srv/x a.c", ("/srv/x/*",)),
        ("curl -d @/srv/x/y http://h", ("/srv/x/*",)),
        ("git -C /srv/x status", ("/srv/x/*",)),
        ("cat a 2>/dev/null >&2", ()),
        ("cat ./a src/../b", ()),
        ("curl https://example.org/x", ()),
        ("grep /etc/passwd file", ()),
        ("echo /etc/passwd", ()),
    ],
)
def test_folders_outside(command: str, outside: tuple[str, ...]) -> None:
    found = analyzed(command).external_directories
    assert set(found) >= set(outside) if outside else found == ()


def test_what_is_read_and_what_is_written() -> None:
    assert touched("sort a -o b < c >> d", "read") == {"/workspace/a", "/workspace/c"}
    assert touched("sort a -o b < c >> d", "write") == {"/workspace/b", "/workspace/d"}
    assert touched("sed -i s/a/b/ f", "write") == {"/workspace/f"}
    assert touched("echo x | tee f", "write") == {"/workspace/f"}
    assert touched("cp a b", "read") == {"/workspace/a"}
    assert "/workspace/b" in touched("cp a b", "write")


def test_a_subshell_does_not_move_what_follows() -> None:
    assert touched("(cd a && cat x); cat y", "read") >= {"/workspace/a/x", "/workspace/y"}


def test_a_move_that_may_fail_leaves_both_folders_possible() -> None:
    assert touched("cd a; cat x", "read") >= {"/workspace/a/x", "/workspace/x"}
    assert "/workspace/x" not in touched("cd a && cat x", "read")
    assert "/workspace/x" not in touched("cd a || exit 1; cat x", "read")


def test_a_tree_is_recursive_and_names_are_not_contents() -> None:
    (use,) = analyzed("grep -r x src --include='*.py'").paths
    assert (use.recursive, use.only) == (True, ("*.py",))
    (use,) = analyzed("ls src").paths
    assert (use.directory, use.contents) == (True, False)


def test_redirections_say_where_they_lead() -> None:
    shown = [(each.operator, each.target, each.path, each.mode) for each in analyzed("cd a && ls > x 2>&1").redirects]
    assert shown == [(">", "x", "/workspace/a/x", "write"), (">&", "1", None, "write")]


def test_the_folders_in_which_git_runs_are_told() -> None:
    assert analyzed("cd sub && git status").repositories == ("/workspace/sub",)


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("mktemp", {"/tmp/tmp.…"}),
        ("mktemp -d --suffix=.x", {"/tmp/tmp.….x"}),
        ("mktemp -p /a x.XXXX", {"/a", "/workspace/x.XXXX", "/a/x.…"}),
        ("mktemp -u", set()),
        ("tempfile -s.lock -pyarn", {"/tmp/yarn….lock"}),
        ("tempfile -n a", {"/workspace/a"}),
    ],
)
def test_a_temporary_file_is_in_a_folder_that_is_named_or_usual(command: str, written: set[str]) -> None:
    assert touched(command, "write") == written


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("git symbolic-ref HEAD refs/heads/x", {"/workspace/.git/HEAD"}),
        ("git symbolic-ref -d config", {"/workspace/.git/config"}),
        ("git symbolic-ref --short HEAD", set()),
        ("git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main", set()),
        ("git update-ref -m why hooks/pre-commit HEAD", {"/workspace/.git/hooks/pre-commit"}),
        ("git update-ref -d refs/heads/x", set()),
        ("git update-ref --no-deref --stdin", {"/workspace/.git/HEAD"}),
        ("git update-ref --st -z", {"/workspace/.git/HEAD"}),
    ],
)
def test_a_reference_outside_of_refs_is_a_file_of_git(command: str, written: set[str]) -> None:
    assert touched(command, "write") == written
