"""typed_texts(): what commands type into terminals, key by key or as a text: `tmux send-keys git Space push Enter`.

Keys of several commands follow each other, so all commands of a shell text are read together. Control characters, such
as the one that empties the line, end a text. Sources: the manuals of the programs.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.escapes import unescaped
from tools_app.permission.shell.model import Command

MAX_TEXTS: Final = 40
_MAX_CHARS: Final = 4_000  # of all keys together
_MAX_WORDS: Final = 300  # of a command
_MAX_KEYS: Final = 2_000
_END: Final = "\n"
_KEYS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("space", "spc"), " "),
    **dict.fromkeys(("enter", "return", "kpenter", "kp_enter", "linefeed", "cr", "c-m", "c-j"), _END),
    **dict.fromkeys(("tab", "bspace", "btab", "escape", "esc", "up", "down", "left", "right"), _END),
    **dict.fromkeys(("ctrl", "alt", "logo"), _END),
    "minus": "-", "period": ".", "slash": "/", "underscore": "_", "colon": ":", "semicolon": ";", "equal": "=",
    "at": "@", "comma": ",", "plus": "+", "quotedbl": '"', "apostrophe": "'", "dollar": "$", "bar": "|",
    "ampersand": "&", "tilde": "~", "lt": "<", "exclam": "!",
}  # fmt: skip
"""Names of keys in lower case, and what they type."""
_WITH_CONTROL: Final = re.compile(r"(?i:(?:ctrl|control|alt|meta|super|[cms])[-+])+\S+|\^\S")
_TO_TMUX: Final = re.compile(r"send(?:-k?e?y?s?)?")
_TMUX_VALUES: Final = names("-t -N -c")
_CARET: Final = re.compile(r"\^[@-_a-z?]")
_STUFFS: Final = re.compile(r"\s*stuff\s+(.*)", re.DOTALL)
_SENDS: Final = re.compile(r"\bsend\w*\s+(?:-[\w-]+\s+)*(?:\"((?:[^\"\\]|\\.)*)\"|\{([^{}]*)\}|([^\s\"{};]+))")
"""The command `send` of expect, with its text."""
_ANGLE: Final = re.compile(r"<([A-Za-z][\w-]{0,10})>")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]+")
_OPTION: Final = re.compile(r"--?[A-Za-z][\w-]*(?:=.*)?")
_LAUNCH: Final = re.compile(r"^[\s:]*(?:\w{1,5}!|!)")
"""What an editor has in front of a command of the shell: `:!`, `:term!`."""


def typed_texts(commands: Iterable[Command]) -> list[str]:
    """Return the lines that the commands of a shell text type into terminals."""
    keys = ""
    for each in islice((text for command in commands for text in _typed(command.words)), _MAX_KEYS):
        keys += each
        if len(keys) > _MAX_CHARS:
            break
    lines = (_LAUNCH.sub("", line).strip() for line in _CONTROL.split(keys[:_MAX_CHARS]))
    return list(islice(dict.fromkeys(filter(None, lines)), MAX_TEXTS)) if keys else []


def _typed(words: Sequence[str]) -> Iterator[str]:
    read = _READERS.get(words[0].rpartition("/")[2]) if words else None
    return read([each[:_MAX_CHARS] for each in words[1:_MAX_WORDS]]) if read else iter(())


def _key(word: str, literal: str = "") -> str:
    """Return what a key of this name types; for any other word, the word itself or `literal`."""
    known = _KEYS.get(word.lower())
    if known is None:
        return _END if _WITH_CONTROL.fullmatch(word) else literal or word
    return known


def _numbers(words: Iterable[str], base: int) -> str:
    try:
        return "".join(chr(int(each, base) & 0xFF) for each in words)
    except ValueError:
        return ""


def _of_tmux(words: Sequence[str]) -> Iterator[str]:
    """Read `send-keys` and its abbreviations. A word `;` ends the command."""
    starts = [index for index, each in enumerate(words) if _TO_TMUX.fullmatch(each)]
    for start in starts:
        rest = list(words[start + 1 :])
        flags = ""
        while rest and rest[0][:1] == "-" and rest[0] != "--":
            flags += rest[0]
            rest = rest[2:] if rest[0] in _TMUX_VALUES else rest[1:]
        end = next((index for index, each in enumerate(rest) if each in {";", "\\;"}), len(rest))
        keys = [each for each in rest[:end] if each != "--"]
        if "H" in flags:
            yield _numbers(keys, 16)
        else:
            yield from keys if "l" in flags else map(_key, keys)
    for index, each in enumerate(words):
        if each.startswith(("setb", "set-b")):
            yield f"{_END}{' '.join(words[index + 1 :][-1:])}{_END}"


def _of_screen(words: Sequence[str]) -> Iterator[str]:
    """Read the texts of `stuff` and `register`, in which `^M` and `\\015` mean control characters."""
    given = [text[1] for each in words if (text := _STUFFS.fullmatch(each))]
    given += [after for before, after in pairwise(words) if before == "stuff"]
    given += [words[index + 2] for index, each in enumerate(words[:-2]) if each == "register"]
    for each in given:
        yield _CARET.sub(_END, unescaped(each.strip("\"'")))


def _last_text(words: Sequence[str]) -> Iterator[str]:
    """Read the last word of a command as a text."""
    yield unescaped(words[-1]) if words else ""


def _of_zellij(words: Sequence[str]) -> Iterator[str]:
    if "write" in words:
        yield _numbers((each for each in words[words.index("write") + 1 :] if each.isdigit()), 10)
    elif "write-chars" in words:
        yield unescaped(words[-1])


def _of_keyboard(words: Sequence[str]) -> Iterator[str]:
    """Read the keys and texts that tools for automation type: each word behind an action or an option may be one."""
    literal = "type" in words
    for each in words[1:] if words and words[0] in {"key", "type"} else words:
        if not _OPTION.fullmatch(each):
            yield unescaped(each) if literal else _key(each, unescaped(each))


def _of_editor(words: Sequence[str]) -> Iterator[str]:
    """Read the keys in angle brackets that an editor gets for another one: `:!git<Space>push<CR>`."""
    for each in words:
        if "<" in each:
            yield f"{_END}{_ANGLE.sub(lambda found: _KEYS.get(found[1].lower(), _END), each)}{_END}"


def _of_expect(words: Sequence[str]) -> Iterator[str]:
    for each in words:
        yield from (unescaped("".join(filter(None, found.groups()))) for found in _SENDS.finditer(each))


_READERS: Final[Mapping[str, Callable[[Sequence[str]], Iterator[str]]]] = {
    **dict.fromkeys(("tmux", "byobu", "byobu-tmux", "tmate", "psmux"), _of_tmux),
    **dict.fromkeys(("screen", "byobu-screen"), _of_screen),
    "zellij": _of_zellij,
    **dict.fromkeys(("kitty", "kitten", "wezterm", "qdbus"), _last_text),
    **dict.fromkeys(("xdotool", "ydotool", "wtype", "xte", "xvkbd"), _of_keyboard),
    **dict.fromkeys(("vim", "nvim", "gvim", "vi", "neovide"), _of_editor),
    "expect": _of_expect,
}
"""Programs that type into terminals or editors, and how their arguments are read."""
