"""Files that options of `curl` send or use although their values are no plain names: forms, patterns, passwords."""

import re
from collections.abc import Iterator
from typing import Final

from tools_app.permission.shell.options import ParsedArguments
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree
from tools_app.permission.shell.words import Field

_PATTERN: Final = re.compile(r"[{\[]")
_OF_FORM: Final = re.compile(r"[^=]*=\s*[@<](.*)|[^=]*=\(.*", re.DOTALL)
_HEADERS: Final = re.compile(r";\s*headers=[@<]([^;]*)")
_ATTRIBUTE: Final = re.compile(r"\s*\w+=")
_PASSWORDS: Final = "/home/agent/.netrc"


def touch_uploads(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the files that `curl` sends: `-T '{a,b}'`, `-F 'x=<a'`, `-F 'x=@a,b'`, `--data-urlencode x@a`, and the
    file of passwords that it may use."""
    for each in found.values_of("-T", "--upload-file"):
        if (special := _PATTERN.search(each.text)) and not found.has("-g", "--globoff"):
            usage.doubt("`curl -T` chooses the files that it sends by a pattern")
            top = each.text[: special.start()].rpartition("/")
            usage.trees.append(UnnamedTree(Field(top[0] or top[1] or ".", each.known), "read", "nothing"))
    for each in found.values_of("-F", "--form"):
        usage.touch((Field(name, each.known) for name in _files_of_form(each.text)), "read")
    for each in found.values_of("--data-urlencode", "--url-query"):
        _, at, name = each.text.partition("@")
        usage.touch([Field(name, each.known)] if at and "=" not in each.text else [], "read")
    if found.has("-n", "--netrc", "--netrc-optional"):
        usage.touch([Field(_PASSWORDS)], "read")


def _files_of_form(text: str) -> Iterator[str]:
    """Yield the files that the value of `-F` names, perhaps in quotes: several, and one with headers."""
    found = _OF_FORM.fullmatch(text)
    if found is None:
        return
    yield from (each.strip("\"' ") for each in _HEADERS.findall(text))
    for piece in re.split("[,;]", found[1] or ""):
        if not _ATTRIBUTE.match(piece):
            yield piece.strip("\"' ")
