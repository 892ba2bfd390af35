"""The hand-written option tables agree with the options of the programs in the sandbox image."""

from tools_app.permission.harmless import READ_ONLY, WRAPPERS
from tools_app.permission.shell import tables_changes as changes
from tools_app.permission.shell import tables_files as files
from tools_app.permission.shell import tables_git as git
from tools_app.permission.shell import tables_git_changes as git_changes
from tools_app.permission.shell import tables_wrappers as wrappers
from tools_app.permission.shell.specs import ArgumentSpec
from tools_app.permission.shell.specs_of_image import ImageProgram, image_programs

BUILTIN_OR_KEYWORD = {
    "[", "[[", "break", "builtin", "command", "continue", "declare", "echo", "exit", "export", "false", "local", "popd",
    "printf", "pushd", "pwd", "read", "readonly", "return", "set", "shift", "test", "time", "trap", "true", "type",
    "typeset", "umask", "unset", "wait", "cd", ":",
}  # fmt: skip
NOT_IN_THE_IMAGE = {"bc", "cal", "column", "fd", "gawk", "hexdump", "lsof", "netstat", "ss", "tree", "xxd"}
SCRIPTS_WITHOUT_OPTIONS = {"egrep", "fgrep", "which"}
"""Scripts in the image without option tables of their own: the first two call grep; `which` has only `-a`."""


Table = tuple[str, ArgumentSpec, ImageProgram]


def tables() -> list[Table]:
    """Return each hand-written table with the program of the image that it describes."""
    found: dict[str, ArgumentSpec] = {**files.JUDGED, **changes.JUDGED, "git": git.GLOBAL_JUDGED}
    found |= {name: table for name, (table, _) in wrappers.JUDGED.items()}
    found |= {f"git {name}": table for name, table in {**git.JUDGED, **git_changes.JUDGED}.items()}
    return [(name, table, image_programs()[name]) for name, table in found.items() if name in image_programs()]


def test_what_people_judged_takes_what_the_program_says() -> None:
    wrong = [
        f"{name} {option}: {table.options[option].takes}, but the program says {each.takes}"
        for name, table, program in tables()
        for each in program.options
        for option in each.names
        if option in table.options and table.options[option].known and each.takes is not None
        if table.options[option].takes != each.takes
        and not (table.options[option].runs and table.options[option].takes == "nothing")
    ]
    assert wrong == []


def test_names_that_mean_the_same_are_judged_alike() -> None:
    wrong = [
        (name, each.names)
        for name, table, program in tables()
        for each in program.options
        if len({table.options[option] for option in each.names if option in table.options}) > 1
    ]
    assert wrong == []


def test_every_harmless_command_is_described_by_the_image_or_known_to_be_elsewhere() -> None:
    names = {pattern.split()[0] for pattern in (*READ_ONLY, *WRAPPERS)}
    elsewhere = BUILTIN_OR_KEYWORD | NOT_IN_THE_IMAGE | SCRIPTS_WITHOUT_OPTIONS
    assert sorted(names - elsewhere - set(image_programs())) == []
    assert sorted(NOT_IN_THE_IMAGE & set(image_programs())) == []


def test_the_programs_have_versions() -> None:
    assert [name for name, program in image_programs().items() if not program.version] == []
