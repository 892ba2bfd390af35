"""commands_in_code(): commands whose program and action are separate literals in code, and pushes by git libraries."""

import re
from collections.abc import Iterator
from typing import Final

_PROGRAM: Final = re.compile(r"[(\[,={]\s*(['\"`])([a-z][\w.-]{1,20})\1")
"""A literal that may be the first word of a command: it begins a list, an argument or a value."""
_WORD: Final = re.compile(r"(['\"`])([a-z][\w:-]{1,20})\1")
_RUNS: Final = re.compile(r"run|exec|spawn|system|popen|call|command|cmd|proc|shell|check_output", re.IGNORECASE)
"""Usual names of functions that run commands."""
_MAX_PROGRAMS: Final = 4
_MAX_WORDS: Final = 24
_GIT_LIBRARY: Final = re.compile(
    r"\b(?:import|require|from|use|using|include)\b[^\n;]{0,80}(?:\bgit\b|git2|\bsh\b|dulwich|gitpython|rugged|nodegit|go-git"
    r"|simple-git|isomorphic-git|libgit2|jgit)",
    re.IGNORECASE,
)
_PUSHES: Final = re.compile(
    r"(?:\.|::|->)push(?:_\w+|All)?\s*[!(]|\bgit\b[^\n;]{0,80}['\"]push\b|\.push\(\)|\.git\.push\b"
)


def commands_in_code(code: str) -> Iterator[str]:
    """Yield commands that code may run: each literal that may be a program, combined with each other literal as its
    action."""
    if _PUSHES.search(code) and _GIT_LIBRARY.search(code):
        yield "git push"
    if not _RUNS.search(code):
        return
    programs = list(dict.fromkeys(each[2] for each in _PROGRAM.finditer(code)))[:_MAX_PROGRAMS]
    words = list(dict.fromkeys(each[2] for each in _WORD.finditer(code)))[:_MAX_WORDS] if programs else ()
    yield from (f"{program} {word}" for program in programs for word in words if word != program)
