"""Record files that options of `curl` name indirectly: in form values, in patterns of addresses, and as a file of
passwords."""

import re
from collections.abc import Iterator
from typing import Final

from tools_app.permission.shell.model import Mode
from tools_app.permission.shell.options import ParsedArguments
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree
from tools_app.permission.shell.words import Field

_PATTERN: Final = re.compile(r"[{\[]")
_OF_FORM: Final = re.compile(r"[^=]*=\s*[@<](.*)|[^=]*=\(.*", re.DOTALL)
_HEADERS: Final = re.compile(r";\s*headers=[@<]([^;]*)")
_ATTRIBUTE: Final = re.compile(r"\s*\w+=")
_SCHEME_PATTERN: Final = re.compile(r"[^/]*?(?:\{|\[(?![\da-fA-F:.]*:[\da-fA-F:.]*\]))")
"""An address with a pattern before the first slash, which may become `file:`; not that of a machine, `[::1]`."""
_MODES: Final[tuple[Mode, ...]] = ("read", "write")
_PASSWORDS: Final = "/home/agent/.netrc"


def touch_uploads(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the files that `curl` sends, the files that patterns in its addresses may name, and its password file
    `.netrc`.

    Files are sent for `-T '{a,b}'`, `-F 'x=<a'`, `-F 'x=@a,b'` and `--data-urlencode x@a`.
    """
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
    for each in found.values_of("-E", "--cert", "--proxy-cert"):  # a password may follow
        usage.touch([Field(each.text.partition(":")[0], each.known)], "read")
    for each in [*found.operands, *found.values_of("--url")]:
        if _SCHEME_PATTERN.match(each.text) and not found.has("-g", "--globoff"):
            usage.doubt("`curl` chooses by a pattern whether an address is that of a file")
            usage.trees += [UnnamedTree(Field("/"), mode, "nothing") for mode in _MODES]
    if found.has("-n", "--netrc", "--netrc-optional"):
        usage.touch([Field(_PASSWORDS)], "read")


def _files_of_form(text: str) -> Iterator[str]:
    """Yield the files that a value of curl's `-F` names: files to send and files of headers. Names may be in quotes."""
    found = _OF_FORM.fullmatch(text)
    if found is None:
        return
    yield from (each.strip("\"' ") for each in _HEADERS.findall(text))
    for piece in re.split("[,;]", found[1] or ""):
        if not _ATTRIBUTE.match(piece):
            yield piece.strip("\"' ")
