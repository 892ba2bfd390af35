"""commands_of_options(): the usual commands that a command counts as, because an option is called like an action.

`frob build --push` counts as `git push`. No table judges such an option. The result is only used by rules that ask or
deny.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.unlisted_programs import has_rule

_COUNTS_AS: Final[Mapping[str, str]] = {
    "push": "git push", "publish": "npm publish", "upload": "npm publish", "deploy": "serverless deploy",
}  # fmt: skip
_OPTION: Final = re.compile(
    r"--?(?:(?:git|auto|and|then|with|do|force)-)?(?P<action>push|publish|upload|deploy)"
    r"(?:-(?:all|tags?|results?|reports?|images?|packages?|artifacts?))?(?:=(?P<value>.*))?",
    re.DOTALL,
)
_OFF: Final = names("false False FALSE no never off none n f 0")
"""Values with which the option does nothing."""
_PORT: Final = re.compile(r"[\d.:]*\d+(?:/\w+)?")
"""What `--publish` gets where it opens a port."""


def commands_of_options(name: str, texts: Sequence[str]) -> Iterator[str]:
    """Yield the commands that the program `name` counts as. Words behind `--` are no options."""
    for text, after in pairwise((*texts, "")):
        if text == "--":
            return
        found = _OPTION.fullmatch(text) if text[:1] == "-" else None
        if not found or has_rule(name, text.partition("=")[0]):
            continue
        value = after if found["value"] is None else found["value"]
        if value not in _OFF and not _PORT.fullmatch(value):
            yield _COUNTS_AS[found["action"]]
