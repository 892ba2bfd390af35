"""usual_form(): a command without the options that do not matter to rules.

Rules and grants use the usual form of a command, such as `npm run build`, but people and agents may write `npm --prefix
web run --silent build`. Only options that can neither run a program nor write a file are left out.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tools_app.permission.shell.words import Field

_PLAIN: Final[Mapping[str, re.Pattern[str]]] = {
    "npm": re.compile(r"-s|--silent|-q|--quiet|--if-present|--no-color|--color=\w+|--loglevel=\w+"),
    "pnpm": re.compile(r"-r|--recursive|-s|--silent|--if-present|--parallel|--stream|--filter=[\w@/.*-]+"),
    "yarn": re.compile(r"-s|--silent"),
    "bun": re.compile(r"--silent|--bun"),
    "npx": re.compile(r"--no|--no-install|-q|--quiet|--prefer-offline|--offline"),
    "mvn": re.compile(r"-[qoBeU]|-ntp|--quiet|--offline|--batch-mode|--errors|--no-transfer-progress|-T ?\d+C?"),
    "gradle": re.compile(r"-q|--quiet|--offline|--no-daemon|--stacktrace|--console=\w+"),
    "cargo": re.compile(r"-[qv]|--quiet|--verbose|--offline|--locked|--frozen|--color=\w+"),
    "make": re.compile(r"-j\d*|-[skwB]|--silent|--no-print-directory|--always-make"),
    "python": re.compile(r"-[uBqvIsEO]|-bb?|-W[a-z]+|-X(?:dev|utf8|faulthandler)"),
}
"""Options before the action of a command."""
_WITH_TEXT: Final[Mapping[str, tuple[str, re.Pattern[str]]]] = {
    "pnpm": ("--filter -F", re.compile(r"[\w@/.*-]+")),
    "npm": ("--loglevel -w --workspace", re.compile(r"[\w@/.-]+")),
    "python": ("-W -X", re.compile(r"[a-z]+")),
}
"""Options before the action whose value is plain text."""
_FOLDERS: Final[Mapping[str, str]] = {
    "npm": "--prefix -C", "pnpm": "-C --dir", "yarn": "--cwd", "make": "-C --directory",
}  # fmt: skip
"""Options before the action whose value is the directory in which the command runs."""
_ACTIONS: Final[Mapping[str, str]] = {"npm": "run run-script", "pnpm": "run", "yarn": "run", "bun": "run"}
"""Actions whose own action follows, perhaps after more options."""
_TEXT_REPORTERS: Final = r"--reporter=(?:verbose|dot|line|list|basic|default|tap|tap-flat|min|spec|hanging-process)"
_ANYWHERE: Final[Mapping[str, re.Pattern[str]]] = {
    "vitest": re.compile(_TEXT_REPORTERS),
    "playwright": re.compile(_TEXT_REPORTERS),
    "mocha": re.compile(_TEXT_REPORTERS),
    "make": re.compile(r"(?:V|VERBOSE|Q)=\d?"),
    "cmake": re.compile(r"-D\w+(?::\w+)?=(?:ON|OFF|TRUE|FALSE|Debug|Release|RelWithDebInfo|MinSizeRel|\d+)"),
    "pytest": re.compile(r"-pno:\w+"),
}
"""Arguments that do not matter wherever they stand."""
_PAIRS: Final[Mapping[str, tuple[str, re.Pattern[str]]]] = {
    "pytest": ("-p", re.compile(r"no:\w+")),
    "swift": ("--filter", re.compile(r"\w[\w./]*")),
}
"""Options with a value that do not matter wherever they stand."""
SAME: Final[Mapping[str, str]] = {
    "gmake": "make", "mvnw": "mvn", "gradlew": "gradle", "python3": "python", "py.test": "pytest",
}  # fmt: skip
"""Other names of commands, by which their options are found."""
_NOTHING: Final = re.compile(r"(?!)")
_PIP_LOOKS: Final = frozenset({"list", "show", "freeze", "check"})


@dataclass(slots=True)
class UsualForm:
    """A command in the form that rules use, and the directories that it changes to first."""

    name: str
    args: list[Field]
    folders: list[Field] = field(default_factory=list)


def usual_form(name: str, args: Sequence[Field]) -> UsualForm | None:
    """Return the usual form of a command; None if it already has this form, or if the form is not certain."""
    base = name.rpartition("/")[2]
    kind = SAME.get(base, base)
    found = UsualForm(name, [])
    rest = _options_before(kind, list(args), found)
    if rest and rest[0].text in _ACTIONS.get(kind, "").split():
        found.args.append(rest[0])
        rest = _options_before(kind, rest[1:], found)
    if kind == "yarn" and len(rest) > 2 and rest[0].text == "workspace" and _is_plain(rest[1]):
        rest = rest[2:]
    found.args += _without_plain_words(kind, rest)
    if kind == "python" and not _names_a_module(found):
        return None
    return found if found.name != name or len(found.args) < len(args) else None


def _options_before(kind: str, words: list[Field], found: UsualForm) -> list[Field]:
    """Leave out options in front of the action that do not matter. Return the remaining words; add directories to
    `found`."""
    plain, folders = _PLAIN.get(kind), _FOLDERS.get(kind, "").split()
    names, value = _WITH_TEXT.get(kind, ("", _NOTHING))
    index = 0
    while index < len(words) and _is_plain(words[index]):
        text = words[index].text
        option, equals, given = text.partition("=")
        following = words[index + 1] if index + 1 < len(words) else None
        if plain and plain.fullmatch(text):
            index += 1
        elif found.folders and option in folders:
            break
        elif option in folders and equals and given:
            found.folders.append(Field(given))
            index += 1
        elif text in folders and following is not None and _is_plain(following):
            found.folders.append(following)
            index += 2
        elif text in names.split() and following is not None and value.fullmatch(following.text):
            index += 2
        else:
            break
    return words[index:]


def _without_plain_words(kind: str, words: Sequence[Field]) -> list[Field]:
    plain = _ANYWHERE.get(kind)
    option, value = _PAIRS.get(kind, ("", _NOTHING))
    kept: list[Field] = []
    for word in words:
        follows = bool(kept) and kept[-1].text == option
        if follows and _is_plain(word) and value.fullmatch(word.text):
            kept.pop()
        elif not (plain and _is_plain(word) and plain.fullmatch(word.text)):
            kept.append(word)
    return kept


def _names_a_module(found: UsualForm) -> bool:
    """Return whether Python runs a module (`-m`). Commands of pip that change nothing are reduced to the usual form:
    `python -m pip list` becomes `pip list`."""
    words = [each.text for each in found.args[:3] if _is_plain(each)]
    if words[:2] == ["-m", "pip"] and words[2:] and words[2] in _PIP_LOOKS:
        found.name, found.args = "pip", found.args[2:]
    return words[:1] == ["-m"]


def _is_plain(word: Field) -> bool:
    return word.known and word.pattern is None and not word.split
