"""Literals: replace each text in code by a placeholder of one character, so that expressions between the texts can be
parsed.

`"a" + f"b{c}"` becomes `A + (B + (c))`. Texts into which a language inserts expressions become sums of their parts.
Such a placeholder is called a sign.
"""

import re
from typing import Final

from tools_app.permission.shell.escapes import unescaped

FIRST: Final = 0xF0000
MAX_LITERALS: Final = 400
SIGN: Final = f"[{chr(FIRST)}-{chr(FIRST + MAX_LITERALS)}]"
_MAX_DEPTH: Final = 6  # of expressions in texts in expressions

_BEGINS: Final = re.compile(r"(?:(?<!\w)([rbfuRBFU]{1,2})|(?<!\w)|(?=[\"`]))('''|\"\"\"|['\"`])")
_WORDS: Final = re.compile(r"\bqw\s*[(\[{/<|]([\w./ -]{1,200})[)\]}/>|]")
_NAME: Final = re.compile(r"\$([A-Za-z_]\w{0,40})")
_CONVERSION: Final = re.compile(r"(?:![rsa])?(?<!:)(?::([^:'\"]*))?\s*$")
"""The conversion and the format behind an expression in a text of Python: `{x!r:>10}`."""
_CHARACTER: Final = re.compile(r"(?<![\w)\]?])\?([\w./~-])(?=\s*(?:[-+,)\]*.;}]|<<|$))", re.ASCII)
"""A text of one character in Ruby: `?a`."""
_CASED: Final = re.compile(r"(?<!\\)\\([LlQ]|U(?![0-9a-fA-F]{8}|\{)|u(?![0-9a-fA-F]{4}|\{))")
"""The beginning of a part that Perl changes: `\\LENV\\E`."""
_CASES: Final = {"L": "lc", "U": "uc", "l": "lcfirst", "u": "ucfirst", "Q": "str"}
_MAX_EXPRESSION: Final = 300  # characters


class Literals:
    """A map from signs, placeholders of one character, to the literal texts of a piece of code."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def add(self, text: str) -> str:
        """Store a literal text and return its placeholder character (sign); an empty text if there are too many
        literals."""
        if len(self._texts) >= MAX_LITERALS:
            return ""
        self._texts.append(text)
        return chr(FIRST + len(self._texts) - 1)

    def of(self, sign: str) -> str:
        return self._texts[ord(sign) - FIRST]

    def in_(self, text: str) -> list[str]:
        """Return the literal texts whose placeholders (signs) occur in a piece of code."""
        return [self.of(each) for each in re.findall(SIGN, text)]

    def written(self, code: str) -> str:
        """Return the code with each sign (placeholder of a literal) replaced by its literal text in single quotes."""
        return re.sub(SIGN, lambda found: f"'{self.of(found[0])}'", code)

    def read(self, code: str, depth: int = 0) -> str:
        """Return code in which each literal text is replaced by its sign, a placeholder character."""
        code = _WORDS.sub(lambda found: f"({','.join(repr(each) for each in found[1].split())})", code)
        found, at = [], 0
        while begins := _BEGINS.search(code, at):
            end = self._end_of(code, begins)
            found.append(self._characters(code[at : begins.start() if end else begins.end()]))
            found.append(self._literal(code[begins.end() : end], begins, depth) if end else "")
            at = end + len(begins[2]) if end else begins.end()
        return "".join([*found, self._characters(code[at:])])

    def _characters(self, code: str) -> str:
        return _CHARACTER.sub(lambda found: self.add(found[1]), code) if "?" in code else code

    def _literal(self, text: str, begins: re.Match[str], depth: int) -> str:
        """Return the placeholder character (sign) that replaces a literal text in the code.

        If the language inserts expressions into the literal, the result is a sum of signs and expressions.
        """
        prefix, quote = (begins[1] or "").lower(), begins[2]
        cased = _CASED.search(text) if quote == '"' and not prefix and depth < _MAX_DEPTH else None
        if cased:
            return self._cased(text, cased, begins, depth + 1)
        parts: list[str] = []
        at = start = 0
        while at < len(text) and depth < _MAX_DEPTH:
            opened = _opened(text, at, prefix, quote)
            end = _closing(text, at + opened) if opened else 0
            name = _NAME.match(text, at) if quote == '"' and prefix != "f" else None
            if not (end or name):
                at += 2 if text[at] == "\\" else 1
                continue
            inside = self._inside(text[at + opened : end], prefix, depth) if end else name[0] if name else ""
            parts += [self._plain(text[start:at], prefix), f"({inside})"]
            at = start = end + 1 if end else name.end() if name else at + 1
        parts += [self._plain(text[start:], prefix)] if start < len(text) or not parts else []
        known = [each for each in parts if each] or [self.add("")]
        return known[0] if len(known) == 1 else f"({'+'.join(known)})"

    def _inside(self, text: str, prefix: str, depth: int) -> str:
        """Return the expression inside a literal with the literals in it replaced by placeholders. If it has a
        format, wrap it in `format(...)`."""
        conversion = _CONVERSION.search(text)
        form = conversion[1] if conversion and "f" in prefix else None
        read = self.read(_CONVERSION.sub("", text), depth + 1)
        return f"format({read},{self.add(form)})" if form else read

    def _cased(self, text: str, cased: re.Match[str], begins: re.Match[str], depth: int) -> str:
        """Return code that calculates a literal whose case partly changes, such as `"." + lc("ENV")`."""
        rest = text[cased.end() :]
        inside, _, after = (rest, "", "") if cased[1] in "lu" else rest.partition("\\E")
        changed = f"{_CASES[cased[1]]}({self._literal(inside, begins, depth)})"
        around = [self._literal(each, begins, depth) if each else "" for each in (text[: cased.start()], after)]
        return f"({'+'.join(filter(None, (around[0], changed, around[1])))})"

    def _plain(self, text: str, prefix: str) -> str:
        if "f" in prefix:
            text = text.replace("{{", "{").replace("}}", "}")
        return self.add(text if "r" in prefix else unescaped(text)) if text else ""

    def _end_of(self, code: str, begins: re.Match[str]) -> int:
        """Return the position of the quote that ends a string literal; 0 if there is none."""
        prefix, quote = (begins[1] or "").lower(), begins[2]
        at = begins.end()
        while at < len(code):
            if code.startswith(quote, at):
                return at
            if code[at] == "\n" and quote in {"'", '"'}:
                return 0
            opened = _opened(code, at, prefix, quote)
            end = _closing(code, at + opened) if opened else 0
            at = end + 1 if end else at + (2 if code[at] == "\\" else 1)
        return 0


def _opened(text: str, at: int, prefix: str, quote: str) -> int:
    """Return the length of the marker that begins an inserted expression (`{`, `${`, `#{`); 0 if there is none here."""
    if "f" in prefix:
        return int(text[at] == "{" and text[at + 1 : at + 2] != "{" and text[at - 1 : at] != "{")
    return 2 if quote in {'"', "`"} and text[at] in "$#" and text[at + 1 : at + 2] == "{" else 0


def _closing(text: str, at: int) -> int:
    """Return the position of the brace that closes an inserted expression; 0 if no brace closes it."""
    depth = 1
    for index in range(at, min(len(text), at + _MAX_EXPRESSION)):
        depth += (text[index] == "{") - (text[index] == "}")
        if not depth:
            return index
    return 0
