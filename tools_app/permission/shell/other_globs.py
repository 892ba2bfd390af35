"""globs_of_others(): plain globs for those that only other shells than bash read, such as `*v(D)` and `^x` of zsh.

They match at least the files that the other shell would match, as far as one can tell from the text, so they are only
good for rules that ask or deny.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from tools_app.permission.names import names

SHELLS: Final = names("zsh ksh ksh93 mksh oksh fish yash osh oil ysh elvish csh tcsh xonsh")
MAX_GLOBS: Final = 24
_MAX_CHARS: Final = 10_000  # of the text
_MAX_WORD: Final = 200  # characters
SHOWS_HIDDEN: Final = re.compile(r"(?i:glob_?dots|dot_?-?glob|match-hidden)|-\w*4\w*c")
"""What makes a glob match hidden files: an option, as a word, in `setopt` or as a letter, or a modifier."""
ANY_CASE: Final = re.compile(r"no_?case_?glob|(?:unsetopt|\+o)\s+case_?glob", re.IGNORECASE)
"""What makes a glob match names in any case, in bash too."""
_OF_ANY_CASE: Final = re.compile(r"\[[^\]]*\]|[A-Za-z]")
_IS_GLOB: Final = re.compile(r"[*?\[]")
_ENDS: Final = re.compile(r"[\s'\"`;]+")
_BEFORE: Final = re.compile(r"\w*=\(?|<(?!\d*-\d*>)|>+")
_MODIFIER: Final = re.compile(r"\[(?:no)?match-[\w-]+\]")
_QUALIFIER: Final = re.compile(r"(?<=[^(|/])\((?P<letters>[^()|]*)\)\)*$")
_GROUP: Final = re.compile(r"[?*+@!~]?\((?P<inside>[^()]*)\)")
_NUMBERS: Final = re.compile(r"<\d*-\d*>")
_EXCEPT: Final = re.compile(r"(?<=[*?)\]])~[^/]+$|(?:^|(?<=/))\^[^/]*")
_ONE: Final = re.compile(r"\[([^\]!^])\]|\{([^{},]*)\}")
_ANY_CASE: Final = re.compile(r"\(#[^()]*[il]|~\(i")
_BEGIN: Final = re.compile(r"(?:^|(?<=/))[*?]+")
_SPECIAL: Final = re.compile(r"[|*?#<~^\[:]")


def globs_of_others(text: str) -> list[str]:
    """Return plain globs, each for a word of the text that another shell may read as a glob."""
    text = text[:_MAX_CHARS]
    hidden = SHOWS_HIDDEN.search(text) is not None
    words = [each for each in _ENDS.split(text) if 0 < len(each) <= _MAX_WORD]
    found = [glob for word in words for glob in _globs(word, hidden=hidden)]
    if ANY_CASE.search(text):
        found += [_OF_ANY_CASE.sub("?", each) for each in (*words, *found) if _IS_GLOB.search(each)]
    return list(islice(dict.fromkeys(found), MAX_GLOBS))


def _globs(word: str, *, hidden: bool) -> Iterator[str]:
    word = _MODIFIER.sub("", word)
    while begins := _BEFORE.match(word):
        word = word[begins.end() :]
    qualifier = _QUALIFIER.search(word)
    for each in dict.fromkeys((word[: qualifier.start()] if qualifier else word, word)):
        plain = _plain(each)
        if not plain or (plain == word and not (_BEGIN.search(plain) and (hidden or "**" in plain))):
            continue  # bash reads it, too
        dots = hidden or bool(qualifier and "D" in qualifier["letters"]) or _begins_with_dot(each)
        folder, slash, name = plain.rpartition("/")
        shown = (f"{folder}{slash}{_BEGIN.sub(_with_dot, name)}", _BEGIN.sub(_with_dot, plain)) if dots else ()
        for glob in dict.fromkeys((plain, *shown)):
            yield glob
            yield from (re.sub(r"\*\*(?=[^/])", deep, glob) for deep in ("*", "*/*") if "**" in glob)


def _plain(word: str) -> str:
    """Return a glob without the operators that bash does not know; `*` stands for what they match."""
    text = _ONE.sub(lambda found: found[1] or found[2] or "", _EXCEPT.sub(_rest, word))
    plain = re.sub(r"\*{3,}", "**", _NUMBERS.sub("*", _GROUP.sub(_of_group, text)))
    return re.sub(r"[A-Za-z]", "?", plain) if _ANY_CASE.search(word) else plain


def _rest(found: re.Match[str]) -> str:
    return "" if found[0][0] == "~" else "*"


def _of_group(found: re.Match[str]) -> str:
    inside = found["inside"]
    if inside[:1] == "#" and inside[1:2] != "c":
        return ""
    return "*" if _SPECIAL.search(inside) else inside


def _begins_with_dot(word: str) -> bool:
    return any(
        "." in each["inside"] for each in _GROUP.finditer(word) if each.start() == 0 or word[each.start() - 1] == "/"
    )


def _with_dot(found: re.Match[str]) -> str:
    return f".{found[0]}" if "*" in found[0] else f".{found[0][1:]}"
