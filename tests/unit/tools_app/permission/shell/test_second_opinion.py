import subprocess
import sys

from tests.support.lanes import EVERYTHING
from tools_app.permission.shell.parse import second_opinion

PROCESSES = 8 if EVERYTHING else 2
LOOK_AT_MANY = """
import random
from tools_app.permission.shell.parse import second_opinion
for number in range(3000):
    chosen = random.Random(number)
    rare = [chr(chosen.randint(0x10000, 0x10FFFF)) for _ in range(10)]
    second_opinion("".join(chosen.choice([*rare, *"a $<>~?*={}|0"]) for _ in range(40)))
"""
"""A program that analyses random rare characters. The grammar's C code reads beyond a table for some of them. Whether
that crashes the process depends on the table's address, so several processes are needed to detect it."""


def test_no_character_ends_the_process() -> None:
    running = [subprocess.Popen([sys.executable, "-c", LOOK_AT_MANY]) for _ in range(PROCESSES)]
    assert [process.wait() for process in running] == [0] * PROCESSES


def test_positions_are_those_of_characters_and_commands_are_listed_as_they_are_written() -> None:
    opinion = second_opinion("echo 🎉é; ls ü")
    assert opinion.marks == {("command", 0), ("word", 5), ("command", 9), ("word", 12)}
    assert opinion.commands == ("echo 🎉é", "ls ü")
    assert not opinion.broken
