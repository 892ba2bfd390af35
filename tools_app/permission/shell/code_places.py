"""places_in_code(): paths whose folder and name are separate literals in code, and paths below the home directory.

`Path("config").glob("*.env")`, `chdir("config")` before `open("prod.env")`, `cwd="config"`, and `Path.home() / ".ssh"`
name files in pieces. The code is not analysed further, so each literal is tried as the folder of all others.
"""

import re
from collections.abc import Iterator
from itertools import permutations
from typing import Final

from tools_app.permission.shell.default_secrets import IN_CODE
from tools_app.permission.shell.tex_code import SIGN, files_of_tex

MAX_LITERALS: Final = 24  # of one code, whose pairs are looked at
MAX_BELOW_HOME: Final = 300  # pieces of one code
_LITERAL: Final = re.compile(r"(['\"`])((?:[\w.$+@*?-]|/|~|\{\w*\})[\w.$+@/*?{}-]{0,80})\1")
_SENTENCE: Final = re.compile(r"(['\"`])((?:(?!\1)[^\\\n]){3,200})\1")
_BEHIND_SCHEME: Final = re.compile(r"\b(?:compress\.\w+|glob|phar|zip|rar|ogg)://([^'\"`\s#;]{1,200})")
"""A file behind a scheme of PHP that reads it."""
_IMPORTED: Final = re.compile(r"\b(?:import|from|require|use)\b[\s('\"]{0,3}((?:\w{1,60}\.){1,8}\w{1,60})")
_MODULE: Final = re.compile(r"(?:\w{1,60}\.){1,8}\w{1,60}")
_ENTERS: Final = re.compile(r"\b(?:chdir|cwd|workdir|current_dir|setwd|dir)\b", re.IGNORECASE)
"""Names with which languages set the folder in which a command runs."""
_INSERTED: Final = re.compile(r"[$#]?\{\w*\}|\$\w+")
_HOME: Final = re.compile(
    r"HOME\b|USERPROFILE|[hH]ome_?[dD]ir|\bhome\b|user_home|expanduser|expand_path|getpw|\bchdir\s*(?:;|\(\)|$)|['\"]~/?['\"]"
    r"|\b[lt]?cd?!?\s+~"
)
"""Names with which languages get the home directory of the user."""


def places_in_code(code: str) -> Iterator[str]:
    """Yield the relative paths that code may build from two literals, a folder and a name, and those that it names
    behind a scheme or a command of TeX, or as modules."""
    texts = [_INSERTED.sub("", each[2]).strip("/") for each in _LITERAL.finditer(code)]
    names = list(dict.fromkeys(filter(None, texts)))[:MAX_LITERALS]
    yield from (f"{folder}/{name}" for folder, name in permutations(names, 2) if _may_be_folder(folder))
    yield from (each[1] for each in _BEHIND_SCHEME.finditer(code))
    yield from (each[1].replace(".", "/") for each in _IMPORTED.finditer(code))
    if SIGN in code:
        yield from files_of_tex(code)
    if _ENTERS.search(code):
        words = [word for each in _SENTENCE.finditer(code) for word in each[2].split() if "." in word]
        yield from (f"{folder}/{word}" for folder in names if _may_be_folder(folder) for word in words[:MAX_LITERALS])


_WITHOUT_NAME: Final = {
    ".vimrc": re.compile(r"(?<![\w.])mkv(?:i|im|imr|imrc)?\b"), ".exrc": re.compile(r"(?<![\w.])mk(?:e|ex|exr|exrc)\b"),
}  # fmt: skip
"""Files that commands of vim write if they name none."""


def unnamed_files(code: str) -> Iterator[str]:
    """Yield the files that code writes or reads although it does not name them."""
    yield from (name for name, command in _WITHOUT_NAME.items() if "mk" in code and command.search(code))
    yield from (name for name, command in IN_CODE.items() if "ssh-add" in code and command.search(code))


def names_home(code: str) -> bool:
    """Return whether code may read the path of the home directory."""
    return _HOME.search(code) is not None


def place_of_module(name: str) -> str:
    """Return the path, without an ending, of the file of a module whose name has dots: `a/b` for `a.b`. Empty for any
    other text."""
    return name.replace(".", "/") if _MODULE.fullmatch(name) else ""


def _may_be_folder(text: str) -> bool:
    return not ("*" in text or "?" in text or text.startswith("-"))
