"""Commands that are typed into terminals, key by key or as a text."""

import time

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.model import Command
from tools_app.permission.shell.typed_keys import MAX_TEXTS, typed_texts

PUSHING = [
    "tmux send -t a git Space push Enter",
    "tmux send-keys -t a C-u g i t Space pu sh C-m",
    "tmux -L x send-k -N 1 -t a -- git Space push KPEnter",
    "tmux send -H 67 69 74 20 70 75 73 68 0d",
    "tmux send-keys -l 'git '; tmux send push Enter",
    "tmux new -d \\; send git Space push Enter",
    "tmux setb $'\\x15git push\\n'; tmux pasteb",
    "byobu send-keys git Space push Enter",
    "screen -S a -X stuff $'\\x15git push\\r'",
    "screen -X stuff '^Ugit push^M'",
    "screen -X at 0 stuff '\\025git push\\015'",
    "screen -X eval 'stuff \"git push\\015\"'",
    "screen -X register p $'\\003git push\\n'; screen -X paste p",
    "zellij action write-chars $'\\x15git push\\n'",
    "zellij action write 103 105 116 32 112 117 115 104 10",
    "kitty @ send-text '\\x03git push\\r'",
    "wezterm cli send-text --no-paste $'git push\\r'",
    "xdotool key g i t space p u s h Return",
    "xdotool type --delay 1 $'\\x15git push\\n'",
    "wtype -M ctrl 'git push' -k Return",
    "nvim --server a --remote-send '<Esc>:!git<Space>push<CR>'",
    'expect -c \'spawn sh; send "\\x15git "; send -- "push\\r"\'',
]


@pytest.mark.parametrize("command", PUSHING)
def test_typed_commands_are_found(command: str) -> None:
    assert any(each.startswith("git push") for each in analyzed(command).patterns)


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        ("tmux send -t a ls Enter", ["ls"]),
        ("tmux send Up Enter C-c", []),
        ("tmux send -H zz", []),
        ("tmux ls", []),
        ("screen -ls", []),
        ("xdotool key ctrl+c", []),
        ("echo git push", []),
    ],
)
def test_keys_become_lines(words: str, typed: list[str]) -> None:
    assert typed_texts([Command(tuple(words.split()), words)]) == typed


def test_few_lines_are_read_in_little_time() -> None:
    began = time.process_time()
    words = ("screen", *("stuff", "^Ua b^M" * 100) * 5_000)
    expect = ("expect", "-c", 'send "' * 50_000)
    commands = [Command(each, "x") for each in (words, expect, ("tmux", *("send", "-t") * 2_000))]
    assert len(typed_texts([Command(("screen", "-X", "stuff", "^M".join(map(str, range(500)))), "x")])) == MAX_TEXTS
    typed_texts(commands)
    assert time.process_time() - began < 1
