"""bare_commands(): commands in code whose words are no literals, such as atoms of Prolog and symbols of Lisp.

In the languages of other shells, an expression behind a program may give its action, as in `git (echo push)`.
Such an action may be each word of the code.
"""

import re
from collections.abc import Iterator
from typing import Final

from tools_app.permission.names import names

_ATOM: Final = re.compile(
    r"(?:[(\[]\s*(?:external\s+|['`:])?|(?<=[\s,])['`:])(?P<program>[a-z][\w-]{1,20})(?=[\s,.)\]])"
    r"|(?<!\w)%(?P<magic>[a-z][\w-]{1,20})(?=[\s(])"
)
"""A program that is no literal: `[git,push]`, `path(git)`, `'git`, `:git`, `(external git)`, `%git("push")`."""
_NEAR: Final = 60  # characters behind a program in which its action is looked for
_MAX_ATOMS: Final = 40
_MAX_NEAR: Final = 8  # words behind one
_SHELL_COMMAND: Final = re.compile(
    r"(?:^|[;|&({\n\[!]|->)[ \t]*[\^&@]?(?P<program>[a-z][\w.-]{1,20})[ \t]+(?:\.{3}|[@$=]{0,2})(?:[(\[{$]|@(?=\w))"
)
"""A program in front of an expression."""
_KEYWORDS: Final = names(
    "if elif else for foreach while until unless switch case when match return yield await let var const def fn func"
    " function in not and or print printf echo puts say put do with assert new typeof catch raise throw delete lambda"
)
_MAX_PROGRAMS: Final = 4
_MAX_WORDS: Final = 80
_WORD: Final = re.compile(r"(?<![\w./@$-])[a-z]\w{1,20}(?:[:-]\w{1,20}){0,3}(?![\w/-])")
_SLASHES: Final = re.compile(r"(?<![\w/.)\]])/([a-z][\w.-]{0,30} [^/\n]{1,200})/(?=\.\w)")
"""A text of Groovy that gets a method: `/git push/.execute()`."""


def bare_commands(code: str) -> Iterator[str]:
    """Yield each program that stands in code without quotes, followed by each word that may be its action."""
    for found in list(_ATOM.finditer(code))[:_MAX_ATOMS]:
        near = _WORD.findall(code[found.end() : found.end() + _NEAR])[:_MAX_NEAR]
        yield from (f"{found['program'] or found['magic']} {word}" for word in near)
    programs = dict.fromkeys(each["program"] for each in _SHELL_COMMAND.finditer(code))
    words = list(dict.fromkeys(_WORD.findall(code)))[:_MAX_WORDS] if programs else ()
    for program in [each for each in programs if each not in _KEYWORDS][:_MAX_PROGRAMS]:
        yield from (f"{program} {word}" for word in words if word != program)
    yield from _SLASHES.findall(code)
