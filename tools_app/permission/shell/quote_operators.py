"""with_usual_quotes(): code in which texts between unusual quotes stand between usual ones.

Languages have quotes with a free delimiter (`q-a-`, `%w+a b+`, `~s|a|`), quotes of more than one character (`[[a]]`,
`$/a/$`), and words without quotes (`<a>`, `{a}`, `a."b"`). What looks for literals knows `'`, `"` and backticks only.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Final

MAX_CODES: Final = 64
_MAX_CHARS: Final = 10_000  # of one code
_CLOSING: Final[Mapping[str, str]] = {"(": ")", "[": "]", "{": "}", "<": ">"}
_BEGINS: Final = (
    r"(?:(?<![\w$@%&>.-])(?P<perl>q[qwxr]?(?::\w{1,4}){0,2}|Q[qwx]?(?=[^\w\s(]))(?:\s{0,4}(?![\w\s=])|\s{1,4}(?=\w))"
    r"|(?<![\w'\"])(?P<ruby>%[qQwWiIxsr]?)(?![\w\s=])|(?<!\w)(?P<elixir>~[sScCwW])(?![\w\s]))"
)
_OPERATOR: Final = re.compile(rf"{_BEGINS}(?P<open>.)", re.DOTALL)
_MAX_LITERAL: Final = 300  # characters
_REPLACED: Final = re.compile(
    r"(?<![\w$@%&>~\\.-])s([-~!,;:+])(?:(?!\1)[^\n]){0,100}\1(?P<text>(?:(?!\1)[^\n]){1,100})\1"
)
_OTHERS: Final = re.compile(
    r"\[(?P<level>=*)\[(?P<lua>[^\n]{1,300}?)\](?P=level)\]|\$/(?P<groovy>[^\n]{1,300}?)/\$"
    r"|(?<=[(=,\s])/(?P<slashes>(?:[^/\n\\]|\\.){0,200}\\/(?:[^/\n\\]|\\.){0,200})/|\uff62(?P<raku>[^\uff63\n]{1,300})\uff63"
    r"|\u00ab(?P<guillemets>[^\u00bb\n]{1,300})\u00bb"
    r"|<(?P<glob>[\w./*?{},~-]{1,100})>(?=\s{0,4}[,;)])|(?<=\s)\{(?P<braces>[\w./-]{1,100})\}(?=[\s\]]|$)"
    r"|(?<![\w$@%&>.'\"/-])(?P<bare>[A-Za-z_]\w{0,40})(?=\s{0,4}\.\s{0,4}['\"])|(?<!\w)v(?P<numbers>\d{2,3}(?:\.\d{2,3})+)"
)
_PRINTABLE: Final = range(32, 127)


def with_usual_quotes(codes: Iterable[str]) -> list[str]:
    """Return the codes that differ with the usual quotes, in that form, also those in a literal of another."""
    changed = ((code, usual_quotes(code)) for code in codes if len(code) <= _MAX_CHARS)
    different = list(islice((usual for code, usual in changed if usual != code), MAX_CODES))
    inside = ((code, usual_quotes(code)) for code in different)
    return [*different, *(usual for code, usual in inside if usual != code)]


def usual_quotes(code: str) -> str:
    """Return code in which each text between unusual quotes is a literal, and each list of words a list of literals."""
    code = _REPLACED.sub(lambda found: _literal(found["text"]), _OTHERS.sub(_of_other, code))
    done, at = [], 0
    while found := _OPERATOR.search(code, at):
        sign = found["open"]
        end = _end(code, found.end(), sign)
        if end < 0:
            done.append(code[at : found.end()])
            at = found.end()
            continue
        kind = found["perl"] or found["ruby"] or found["elixir"]
        text = code[found.end() : end].replace(f"\\{sign}", sign)
        done += [code[at : found.start()], _AS[kind[-1].lower()](text) if kind[-1].lower() in _AS else _literal(text)]
        at = end + 1
    return "".join([*done, code[at:]])


def _end(code: str, start: int, sign: str) -> int:
    """Return the index of the sign that closes the text that begins at `start`; -1 if there is none near."""
    closing = _CLOSING.get(sign, sign)
    end = code.find(closing, start, start + _MAX_LITERAL)
    while end > start and code[end - 1] == "\\":
        end = code.find(closing, end + 1, start + _MAX_LITERAL)
    return end


def _literal(text: str) -> str:
    quote = '"' if "'" in text else "'"
    return f"{quote}{text}{quote}" if quote not in text else text


def _words(text: str) -> str:
    return f"({', '.join(map(_literal, text.split()))})"


_AS: Final[Mapping[str, Callable[[str], str]]] = {"w": _words, "i": _words}
"""How the text of an operator is written that is no single literal, by the last letter of the operator."""


def _of_other(found: re.Match[str]) -> str:
    kind = found.lastgroup or ""
    text = found[kind]
    if kind == "numbers":
        signs = [int(each) for each in text.split(".")]
        return _literal("".join(map(chr, signs))) if all(each in _PRINTABLE for each in signs) else found[0]
    return _literal(text.replace("\\/", "/") if kind == "slashes" else text)
