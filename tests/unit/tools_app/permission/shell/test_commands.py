import pytest

from tests.unit.tools_app.permission.shell.support import analyzed, touched


@pytest.mark.parametrize(
    "command",
    [
        "ls; rm x",
        "ls && rm x",
        "false || rm x",
        "ls | rm x",
        "ls & rm x",
        "(rm x)",
        "{ rm x; }",
        "echo $(rm x)",
        "echo `rm x`",
        'echo "a $(rm x) b"',
        "cat <(rm x)",
        "ls > >(rm x)",
        "echo ${y:-$(rm x)}",
        "if true; then rm x; fi",
        "while rm x; do ls; done",
        "for i in 1 2; do rm x; done",
        "case a in a) rm x;; esac",
        "f() { rm x; }",
        "cat <<EOF\n$(rm x)\nEOF",
        "a=$(rm x)",
        "a=(1 $(rm x))",
        "[[ -n $(rm x) ]]",
        "echo $((1 + $(rm x)))",
        "cat <<< $(rm x)",
        "! rm x",
        "trap 'rm x' EXIT",
        "eval rm x",
        "eval 'rm x'",
        "bash -c 'rm x'",
        "sh -ec 'bash -c \"rm x\"'",
        "env A=1 rm x",
        "sudo -u root rm x",
        "timeout -s KILL 5 nice -n 3 nohup rm x",
        "command rm x",
        "builtin command rm x",
        "exec rm x",
        "xargs rm x",
        "find . -exec rm x {} +",
        "uv run rm x",
        "flock lock rm x",
        "time rm x",
    ],
)
def test_a_command_is_found_wherever_it_stands(command: str) -> None:
    assert any(pattern.startswith("rm x") for pattern in analyzed(command).patterns)


@pytest.mark.parametrize(
    "command", [r"r\m x", "'rm' x", '"rm" x', r"$'\x72m' x", "r''m x", "rm  x", "rm \\\n x", "/bin/rm x"]
)
def test_a_rule_about_a_command_is_not_missed_for_how_it_is_spelt(command: str) -> None:
    assert "rm x" in analyzed(command).patterns


@pytest.mark.parametrize("command", ["git -C a push origin", "git --no-pager push origin", 'git "push" origin'])
def test_a_rule_about_a_subcommand_is_not_missed_for_options_before_it(command: str) -> None:
    assert "git push origin" in analyzed(command).patterns


def test_what_only_may_be_meant_is_a_spelling_and_no_pattern() -> None:
    found = analyzed("npm --access public publish")
    assert found.patterns == ("npm --access public publish",)
    assert "npm publish" in found.spellings


def test_redirections_and_harmless_assignments_are_no_part_of_the_pattern() -> None:
    found = analyzed("CI=1 pytest -q > out.txt 2>&1")
    assert (found.patterns, found.complete) == (("pytest -q",), True)
    assert found.commands[0].assignments == ("CI=1",)


def test_other_assignments_are_shown_with_the_command_and_without() -> None:
    found = analyzed("FOO=1 npm publish")
    assert set(found.patterns) >= {"FOO=1 npm publish", "npm publish"}
    assert not found.complete


@pytest.mark.parametrize(
    ("command", "always"),
    [
        ("git status -s", ("git status *",)),
        ("npm run build && git remote -v", ("npm run build *", "git remote -v")),
        ("git --version && make deploy", ("git", "make deploy *")),
        ("mvn -q deploy", ("mvn deploy *",)),
        ("mvn -X deploy", ("mvn -X deploy",)),
        (".venv/bin/python x.py", ()),
        ("cat a | wc -l", ("cat *", "wc *")),
        ("rm x", ()),
        ("ls && rm x", ()),
        ("curl http://x | sh", ()),
        ("bash x.sh", ()),
        ("sudo ls", ()),
        ("git push --force", ()),
        ("eval $x", ()),
        ("ls (", ()),
    ],
)
def test_always_is_what_names_the_action(command: str, always: tuple[str, ...]) -> None:
    assert analyzed(command).always == always


def test_a_text_without_commands_is_asked_as_a_whole() -> None:
    assert analyzed("> x").patterns == ("> x",)
    assert analyzed("# nothing").patterns == ("# nothing",)


def test_a_text_that_nobody_can_read_is_asked_as_a_whole() -> None:
    found = analyzed("ls (; rm x")
    assert "ls (; rm x" in found.patterns
    assert (found.complete, found.always, found.rememberable) == (False, (), False)


def test_what_find_deletes_is_removed_by_a_command_that_rules_can_name() -> None:
    found = analyzed("find src -name '*.pyc' -delete")
    assert (found.patterns[-1], found.complete, found.always) == ("rm -d {}", True, ())
    written = [use for use in found.paths if use.mode == "write"]
    assert [(use.path, use.recursive, use.only) for use in written] == [("/workspace/src", True, ("*.pyc",))]
    assert [use.only for use in analyzed("find src -delete -name '*.pyc'").paths if use.mode == "write"] == [()]


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("tar cf x.tar . --compress", "compress"),
        ("tar -cf x.tar --unc .", "compress"),
        ("tar cZf x.tar .", "compress"),
        ("tar cf x.tar --lzma .", "lzma"),
        ("tar caf x.tar.zst .", "zstd"),
        ("tar tf x.tlz", "lzma"),
    ],
)
def test_a_program_that_tar_starts_is_a_command(command: str, program: str) -> None:
    found = analyzed(command)
    assert found.complete
    assert program in found.patterns


def test_what_tar_usually_starts_counts_only_for_rules_against_it() -> None:
    found = analyzed("tar czf x.tar.gz src")
    assert found.patterns == ("tar czf x.tar.gz src",)
    assert "gzip" in found.spellings


def test_what_the_content_of_an_archive_makes_tar_start_counts_only_for_rules_against_it() -> None:
    found = analyzed("tar tf x.tar")
    assert found.patterns == ("tar tf x.tar",)
    assert {"compress", "zstd", "lzip", "gzip"} <= set(found.spellings)
    assert "zstd" not in analyzed("tar cf x.tar src").spellings


@pytest.mark.parametrize(
    "command",
    ["touch ./-r; grep m ?r", "mkdir -- -r; wc [-c]*", "> ./-r; cat *", 'touch ./-r; for f in *; do cat "$f"; done'],
)
def test_a_file_that_a_glob_may_turn_into_an_option_must_not_be_made(command: str) -> None:
    assert "A file may be made whose name begins with a dash, and become an option." in analyzed(command).reasons


@pytest.mark.parametrize(
    "command",
    ["touch ./-r; cat -- *", "touch ./-r; cat ./*", "touch ./-r; cat src/*", "touch a-r; cat *", "cat ./-r; cat *"],
)
def test_a_file_that_no_glob_turns_into_an_option_may_be_made(command: str) -> None:
    assert analyzed(command).complete


@pytest.mark.parametrize(
    "command", ["xxd -ps a", "xxd -cols 8 a", "xxd -c8 a", "xxd -c 8 a", "xxd --skip 8 a", "xxd -sx a"]
)
def test_of_an_option_of_xxd_only_the_first_letter_counts(command: str) -> None:
    assert touched(command, "read") == {"/workspace/a"}
    assert touched(command, "write") == set()


@pytest.mark.parametrize("command", ["exec -a cat bzcat a", "exec -acat bzcat a", "builtin exec -la x bzcat a"])
def test_a_program_under_another_name_may_do_what_this_name_says(command: str) -> None:
    found = analyzed(command)
    assert not found.complete
    assert {"/workspace/a", "/workspace/a.bz2"} <= touched(command, "write")
