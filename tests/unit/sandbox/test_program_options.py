"""Help texts and option tables of programs are parsed into one line with all options."""

import pytest

from sandbox.image.options.ask import as_json, described, programs
from sandbox.image.options.parse import options, version


def read(name: str, **answer: str) -> str:
    return " ".join(map(str, options(name, answer)))


def test_a_table_of_getopt_joins_letters_and_names_that_mean_the_same() -> None:
    table = "short\t+bw::j:\nlong\twidth\t2\t(nil)\t119\nlong\tskip-bytes\t1\t(nil)\t106\nlong\thelp\t0\t(nil)\t-2\n"
    assert read("od", table=table, help="") == "-w,--width[=] -j,--skip-bytes= --help -b"


def test_a_letter_and_a_name_that_mean_the_same_may_take_different_values() -> None:
    table = "short\tI:i::\nlong\treplace\t2\t(nil)\t73\n"
    assert read("xargs", table=table, help="") == "-I= --replace[=] -i[=]"


def test_a_table_of_argp_has_aliases_and_the_options_of_argp_itself() -> None:
    table = "argp\tget\t120\t0\t0\nargp\textract\t0\t0\t1\nargp\toutput\t111\t1\t0\n"
    assert read("iconv", table=table, help="") == ("-?,--help --usage -V,--version -x,--get,--extract -o,--output=")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("  -A, --catenate, --concatenate   append", "-A,--catenate,--concatenate"),
        ("      --occurrence[=NUMBER]  process", "--occurrence[=]"),
        ("    -e, --regexp <PATTERN>...    ", "-e,--regexp="),
        ("    -C[<n>]               find line copies", "-C[=]"),
        ("    -L <range>            process", "-L="),
        (" -x, --proxy [protocol://]host[:port] Use this proxy", "-x,--proxy="),
        (" -p, p, --pid <PID>   process id", "-p,--pid="),
        ("  -c   show scheduling class with -l option", "-c"),
        ("                     --not-an-option of its own", ""),
        ("-not indented", ""),
    ],
)
def test_a_line_of_help_begins_with_options(line: str, found: str) -> None:
    assert read("program", help=line) == found


def test_the_words_of_find_have_dashes_in_the_middle_of_lines() -> None:
    text = "Usage: find [-H]\n\nTests (N can be +N):\n      -amin N -anewer FILE -empty\nActions: -exec COMMAND ; -ls\n"
    assert read("find", help=text) == "-amin= -anewer= -empty -exec= -ls -H -L -P --help --version"


def test_a_negation_is_left_out_if_git_lists_what_it_negates() -> None:
    text = "    --progress            show\n    --no-index            look\n"
    assert (
        read("git x", help=text, names="--no-progress --hidden= --other --")
        == "--progress --no-index --hidden= --other?"
    )


@pytest.mark.parametrize(
    ("name", "line", "found"),
    [
        ("od", "od (GNU coreutils) 9.1", "9.1"),
        ("b2sum", "b2sum (GNU coreutils) 9.1", "9.1"),
        ("iconv", "iconv (Debian GLIBC 2.36-9+deb12u14) 2.36", "2.36"),
        ("jq", "jq-1.6", "1.6"),
        ("x", "", ""),
    ],
)
def test_the_version_is_the_number_that_is_not_in_the_name(name: str, line: str, found: str) -> None:
    assert version(name, line) == found


def test_what_is_recorded_says_whether_there_may_be_other_options() -> None:
    asked = {"version": "x 1.2", "help": "  -a  all"}
    assert described("x", asked) == {"version": "1.2", "from": "help", "options": "-a"}
    assert described("x", {**asked, "table": "short\tb"})["from"] == "table"


def test_the_file_has_one_program_a_line() -> None:
    one = {"version": "1", "from": "help", "options": "-a"}
    assert as_json({"a": one, "b": one}).count("\n") == 4


def test_the_list_of_programs_is_sorted_and_has_no_program_twice() -> None:
    assert programs() == sorted(set(programs()))
