"""Lines of the tracer are parsed and compared with an analysis, without a container."""

import pytest

from tests.contract.shell.compare import differences, resolved
from tests.contract.shell.proof import analyze
from tests.contract.shell.traces import Started, Touched, read

FIRST = "1\texec\t/usr/bin/bash\t/workspace\t/bin/bash\t-c\tx"


def kept_back(command: str, *lines: str) -> list[str]:
    return differences(read("x", [FIRST, *lines], 0.1), analyze(command))


def test_the_launcher_of_a_program_is_who_forked_it_even_when_the_child_is_quicker() -> None:
    lines = [FIRST, "2\texec\t/usr/bin/cat\t/workspace\tcat\ta", "1\tfork\t2", "1\texec\t/usr/bin/ls\t/workspace\tls"]
    assert read("x", lines, 0.1).deeds == (
        Started("/usr/bin/cat", "/usr/bin/bash", "/workspace", ("cat", "a")),
        Started("/usr/bin/ls", "/usr/bin/bash", "/workspace", ("ls",)),
    )


def test_a_script_of_the_system_is_the_program_that_was_asked_for() -> None:
    lines = [FIRST, "1\tfile\t/usr/bin/egrep", "1\texec\t/usr/bin/dash\t/workspace\t/bin/sh\t/usr/bin/egrep\ta"]
    assert read("x", lines, 0.1).deeds == (
        Started("/usr/bin/egrep", "/usr/bin/bash", "/workspace", ("/usr/bin/egrep", "a")),
    )


def test_a_program_that_gets_the_path_of_another_one_is_itself() -> None:
    lines = [FIRST, "1\tfile\t/bin/sh", "1\texec\t/usr/bin/dash\t/workspace\t/bin/sh\t/bin/shx"]
    assert read("x", lines, 0.1).deeds == (
        Started("/usr/bin/dash", "/usr/bin/bash", "/workspace", ("/bin/sh", "/bin/shx")),
    )
    assert kept_back("/bin/sh{,x}", *lines[1:]) == []


def test_bytes_that_would_break_a_line_come_back() -> None:
    (deed,) = read("x", [FIRST, r"1" + "\topen\t0\t/workspace/a\\x0ab\\x5cc"], 0.1).deeds
    assert isinstance(deed, Touched)
    assert deed.path == "/workspace/a\nb\\c"


def test_a_program_with_other_words_is_not_the_one_that_was_named() -> None:
    assert kept_back("git status", "1\texec\t/usr/bin/git\t/workspace\tgit\tstatus") == []
    assert len(kept_back("git status", "1\texec\t/usr/bin/git\t/workspace\tgit\tpush")) == 1
    assert len(kept_back("git status", "1\texec\t/usr/bin/rm\t/workspace\tgit\tstatus")) == 1


def test_wildcards_stand_for_what_they_find_and_nothing_else() -> None:
    assert kept_back("ls *.md", "1\texec\t/usr/bin/ls\t/workspace\tls\tREADME.md\tnotes.md") == []
    assert len(kept_back("ls *.md", "1\texec\t/usr/bin/ls\t/workspace\tls\tsrc/app.py")) == 1


def test_what_a_wrapper_starts_has_to_be_named_and_what_git_starts_is_its_own() -> None:
    wrapped = ["1\texec\t/usr/bin/env\t/workspace\tenv\trm\tx", "1\texec\t/usr/bin/rm\t/workspace\trm\tx"]
    assert len(kept_back("env cat x", *wrapped)) == 2
    own = ["1\texec\t/usr/bin/git\t/workspace\tgit\tstatus", "1\tfork\t2", "2\texec\t/usr/bin/git\t/workspace\tgit\tx"]
    assert kept_back("git status", *own) == []


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("cat README.md", "1\topen\t0\t/etc/passwd"),
        ("cat README.md", "1\topen\t0\t/workspace/out/passwd"),
        ("cat README.md", "1\topen\t0\t/workspace/src/../../etc/passwd"),
        ("cat README.md", "1\topen\t0\t/workspace/.env"),
        ("cat README.md", "1\topen\t577\t/workspace/README.md"),
        ("cat README.md", "1\tunlink\t/workspace/README.md"),
        ("cat README.md", "1\trename\t/workspace/README.md\t/workspace/x"),
        ("cat README.md", "1\tconnect\t2"),
        ("cat README.md", "1\tchdir\t/etc"),
    ],
)
def test_what_was_not_named_is_told(command: str, line: str) -> None:
    assert len(kept_back(command, line)) >= 1


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("cat /etc/passwd", "1\topen\t0\t/etc/passwd"),
        ("cat out/passwd", "1\topen\t0\t/workspace/out/passwd"),
        ("echo x > new.txt", "1\topen\t577\t/workspace/new.txt"),
        ("cat README.md", "1\topen\t524288\t/etc/ld.so.cache"),
        ("cat README.md", "1\topen\t0\t/workspace/src/app.py"),
        ("rm x", "1\tunlink\t/workspace/x"),
    ],
)
def test_what_was_named_and_what_everybody_does_is_not(command: str, line: str) -> None:
    assert kept_back(command, line) == []


def test_an_incomplete_analysis_promises_nothing() -> None:
    assert kept_back('eval "$x"', "1\texec\t/usr/bin/rm\t/workspace\trm\tx") == []


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/workspace/out/../x", "/x"),
        ("/workspace/self/self/out", "/etc"),
        ("/workspace/home/../../x", "/x"),
        ("//etc//./x", "/etc/x"),
        ("/workspace/src/../notes.md", "/workspace/notes.md"),
    ],
)
def test_links_and_dots_lead_where_the_kernel_goes(path: str, place: str) -> None:
    assert resolved(path) == place


@pytest.mark.parametrize(
    ("command", "path"),
    [("cat o*/passwd", "/etc/passwd"), ("grep -r x o*", "/etc/ssl/x"), ("cat deep/o*/passwd", "/etc/passwd")],
)
def test_a_pattern_that_matches_a_link_names_what_is_behind_it(command: str, path: str) -> None:
    assert kept_back(command, f"1\topen\t0\t{path}") == []
    assert len(kept_back(command, "1\topen\t0\t/root/x")) == 1


def test_what_a_script_does_is_its_own_and_what_stands_beside_it_is_not() -> None:
    one = ["2\texec\t/usr/bin/dash\t/workspace\tsh\twords.txt", "2\texec\t/stubs/one\t/workspace\tone"]
    assert kept_back("sh words.txt", *one) == []
    assert len(kept_back("cat words.txt", "1\texec\t/stubs/one\t/workspace\tone")) == 1


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("find . -exec sh {} ;", "sh\t./words.txt"),
        ("bash -eo pipefail -- words.txt", "bash\t-eo\tpipefail\t--\twords.txt"),
        ("cd src && sh ../words.txt", "sh\t../words.txt"),
    ],
)
def test_a_script_is_known_by_the_process_that_reads_it(command: str, words: str) -> None:
    shell = words.partition("\t")[0]
    file = {"sh": "dash"}.get(shell, shell)
    lines = [
        "1\texec\t/usr/bin/find\t/workspace\tfind\t.\t-exec\tsh\t{}\t;" if "find" in command else "1\tfork\t2",
        f"1\texec\t/usr/bin/{file}\t/workspace/src\t{words}",
        "1\topen\t577\t/workspace/one",
        "1\tfork\t3",
        "3\texec\t/usr/bin/rm\t/workspace\trm\tx",
    ]
    beside = "2\texec\t/usr/bin/rm\t/workspace\trm\tx"
    assert kept_back(command.replace(" ;", " \\;"), *lines) == []
    assert len(kept_back(command.replace(" ;", " \\;"), "1\tfork\t2", *lines[1:], beside)) >= 1


@pytest.mark.parametrize(
    "lines",
    [
        ["1\topen\t577\t/workspace/f", "2\texec\t/usr/bin/bash\t/workspace\tbash\tf"],
        ["2\texec\t/usr/bin/bash\t/workspace\tbash\t/dev/fd/63"],
        ["2\texec\t/usr/bin/bash\t/workspace\tbash\t-ec\trm x"],
        ["2\texec\t/usr/bin/bash\t/workspace\tbash\t-x"],
    ],
)
def test_a_text_that_the_command_made_is_no_script(lines: list[str]) -> None:
    deeds = read("x", [FIRST, *lines, "2\texec\t/usr/bin/rm\t/workspace\trm\tx"], 0.1).deeds
    assert not deeds[-1].by_script


def test_reading_a_script_is_not_the_work_of_the_script() -> None:
    opened = "1\topen\t0\t/workspace/.env"
    assert kept_back("sh x", "1\texec\t/usr/bin/dash\t/workspace\tsh\tx", opened) == []
    assert len(kept_back("sh x", "1\texec\t/usr/bin/dash\t/workspace\tsh\t.env", opened)) == 2


def test_what_find_adds_words_to_is_also_behind_a_wrapper() -> None:
    found = [
        "1\texec\t/usr/bin/find\t/workspace\tfind\t.\t-exec\tenv\tcat\t{}\t;",
        "1\texec\t/usr/bin/env\t/workspace\tenv\tcat\t./src/app.py",
        "1\texec\t/usr/bin/cat\t/workspace\tcat\t./src/app.py",
    ]
    assert kept_back("find . -exec env cat {} \\;", *found) == []
    shell = "1\texec\t/usr/bin/bash\t/workspace\tbash\t-c\tcat x"
    assert not any(isinstance(each, Started) and each.listed for each in read("x", [FIRST, shell, found[2]], 0.1).deeds)
