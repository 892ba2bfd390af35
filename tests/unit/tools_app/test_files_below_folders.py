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
