"""A name is judged in the folders that a program enters, or in which it looks for files, wherever these stand."""

import pytest

from tests.support.command_bench import NO_INTERNAL, Bench, bench, shared_bench

__all__ = ["bench", "shared_bench"]
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    "command",
    [
        "sudo -D internal cat token.txt",
        "sudo --chdir=internal cat token.txt",
        "go -C internal vet token.txt",
        "bun --cwd internal run token.txt",
        "composer --working-dir=internal exec cat token.txt",
    ],
)
async def test_tools_with_a_table_enter_folders(bench: Bench, command: str) -> None:
    bench.write("internal/token.txt")
    assert await bench.action(command, NO_INTERNAL, preset="autonomous") == "deny"
    assert await bench.action(command.replace("token.txt", "x"), preset="autonomous") == "allow"


async def test_a_preprocessor_with_a_folder_reads_its_input(bench: Bench) -> None:
    bench.write("config/prod.env")
    command = "echo '#include <prod.env>' | cpp -isystem config"
    assert await bench.action(command, preset="contained") == "ask"


ENTERING = [
    "printf '.cd config\\n.read prod.env\\n' | sqlite3",
    "psql <<'E'\n\\cd config\n\\i prod.env\nE",
    "echo 'lcd config; !cat prod.env' | lftp",
    "printf 'cd config\\nshell cat prod.env' > a.gdb && gdb -batch -x a.gdb",
    "sqlite3 <<'E'\n.cd src\n.cd ../config\n.read prod.env\nE",
    "sqlite3 <<'E'\n.cd src\n.read ../config/prod.env\nE",
    "tmux new -dc config 'cat prod.env'",
    "pwsh -wd config -c 'gc prod.env'",
    "perl -Iconfig -e 'do \"prod.env\"'",
    'lua -e \'package.path="config/?"; require("prod.env")\'',
    "AWKPATH=.:config gawk -f prod.env",
    "env PERL5LIB=config perl -e 'do \"prod.env\"'",
    "PYTHONPATH=config python3 -c 'import sys; print(open(sys.path[1]+\"/prod.env\").read())'",
    "echo '.so prod.env' | groff -Tascii -I config",
    "gcc -Bconfig -specs=prod.env a.c",
    "frob -D config -c file=prod.env",
    "tmux new -d -c config 'cat *.env'",
]


@pytest.mark.parametrize("command", ENTERING)
async def test_a_secret_is_seen_in_a_folder_named_elsewhere(bench: Bench, command: str) -> None:
    bench.write("config/app.toml", "a = 1\n")
    before = await bench.action(command, preset="contained")
    bench.write("config/prod.env")
    assert (before, await bench.action(command, preset="contained")) == ("allow", "ask")


async def test_names_that_lead_out_of_a_folder_are_ruled_by_people(bench: Bench) -> None:
    bench.write("internal/token.txt")
    command = "sqlite3 <<'E'\n.cd src\n.read ../internal/token.txt\nE"
    assert await bench.action(command, NO_INTERNAL, preset="contained") == "deny"
    assert await bench.action(command, preset="contained") == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "AWKPATH=config gawk -f sum.awk",
        "tmux new -d -c config 'cat app.toml'",
        "perl -Iconfig -e 'print 1'",
        "sqlite3 -cmd '.cd config' :memory: 'select 1'",
        'python3 -c \'print("config", "staging.env")\'',
        "NODE_PATH=config node -e 'require(\"prod.env.example\")'",
        "cd config && ls",
    ],
)
async def test_other_names_beside_a_secret_are_not_asked(bench: Bench, command: str) -> None:
    bench.write("config/prod.env")
    assert await bench.action(command, preset="contained") == "allow"


@pytest.mark.parametrize("option", ["-iquoteconfig", "-iquote config", "-idirafterconfig", "-Iconfig"])
async def test_a_compiler_finds_files_in_the_folder_of_an_option(bench: Bench, option: str) -> None:
    bench.write("config/prod.env")
    command = f"echo '#include \"prod.env\"' | gcc -E {option} -"
    assert await bench.action(command, preset="contained") == "ask"
    assert await bench.action(command.replace("prod.env", "prod.h"), preset="contained") == "allow"
