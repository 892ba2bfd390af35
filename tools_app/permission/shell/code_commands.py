"""commands_in_code(): commands whose program and action are separate words in code, and pushes with git libraries.

An action may be a literal, a word in a longer literal, or the name of something in the code: a key, a function, a
member of an enumeration.
"""

import re
from collections.abc import Iterator
from typing import Final

_PROGRAM: Final = re.compile(
    r"[(\[,={]\s*(?:[rbfu]#{0,3})?(['\"`])(?:/[\w./-]{0,40}/)?([a-z][\w.-]{1,20})(?:\1|\s+\1|\s+[$#]?[{$])"
)
"""A literal that may be the first word of a command: it begins a list, an argument or a value."""
_BARE_PROGRAM: Final = re.compile(r"\b(?:system|exec)\w?[\s(]+(?:\w+[\s,]+)?(['\"]?)([a-z][\w.-]{1,20})\1\s*(?:,|=>)")
"""What perl and similar languages run, without brackets or quotes: `system "git", ...`, `system(git => ...)`."""
_WORD: Final = re.compile(r"(?<![\w./@$-])[a-z]\w{1,20}(?:[:-]\w{1,20}){0,3}(?![\w/-])")
_METHOD: Final = re.compile(r"(?<=[\w)\]]\.)[a-z]\w{1,20}|(?<=->)[a-z]\w{1,20}")
_CALLED: Final = re.compile(r"\s*[(!]")
_ANY_METHOD: Final = re.compile(
    r"__getattr|\bgetattr\b|method_missing|\bProxy\b|__call\b|AUTOLOAD|__index\b|respond_to_missing"
)
"""How code may define methods of any name. Otherwise the name of a method that is called is no action."""
_RUNS: Final = re.compile(r"run|exec|spawn|system|popen|call|command|cmd|proc|shell|check_output", re.IGNORECASE)
"""Usual names of functions that run commands."""
_MAX_PROGRAMS: Final = 4
_MAX_WORDS: Final = 100
_GIT_LIBRARY: Final = re.compile(
    r"\b(?:import|require|from|use|using|include)\b[^\n;]{0,80}(?:\bgit\b|git2|\bsh\b|dulwich|gitpython|rugged|nodegit|go-git"
    r"|simple-git|isomorphic-git|libgit2|jgit)",
    re.IGNORECASE,
)
_PUSHES: Final = re.compile(
    r"(?:\.|::|->)push(?:_\w+|All)?\s*[!(]|\bgit\b[^\n;]{0,80}['\"]push\b|\.push\(\)|\.git\.push\b"
)


def commands_in_code(code: str) -> Iterator[str]:
    """Yield the commands that code may run: each literal that may be a program, followed by each other word of the
    code."""
    if _PUSHES.search(code) and _GIT_LIBRARY.search(code):
        yield "git push"
    if not _RUNS.search(code):
        return
    found = (each for pattern in (_PROGRAM, _BARE_PROGRAM) for each in pattern.finditer(code))
    programs = list(dict.fromkeys(each[2] for each in found))[:_MAX_PROGRAMS]
    words = list(dict.fromkeys(_words(code)))[:_MAX_WORDS] if programs else ()
    yield from (f"{program} {word}" for program in programs for word in words if word != program)


def _words(code: str) -> Iterator[str]:
    """Yield every word of the code, inside and outside of literals. Names of called methods are skipped, unless the
    code defines methods dynamically, such as with `__getattr__`."""
    yield from (each[0] for each in _WORD.finditer(code))
    any_method = _ANY_METHOD.search(code)
    for each in _METHOD.finditer(code):
        if any_method or not _CALLED.match(code, each.end()):
            yield each[0]
