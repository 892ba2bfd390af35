"""commands_of_name(): the usual commands that a program counts as, because its name says what it does.

`npx app-deploy` counts as `serverless deploy`, and `pypi-uploader` as `npm publish`. The result is only used by rules
that ask or deny.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.unlisted_programs import has_rule

_COUNTS_AS: Final[Mapping[str, Sequence[str]]] = {
    "push": ("git push",),
    **dict.fromkeys(("publish", "publisher", "upload", "uploader"), ("npm publish",)),
    **dict.fromkeys(("release", "releaser"), ("git push", "npm publish")),
    **dict.fromkeys(("deploy", "deployer"), ("serverless deploy",)),
}
_PAGES: Final = {"gh", "pages"}
"""Parts of the name of a program that pushes the pages of a site."""
_STAYS: Final = names(
    "archive build changelog check config core demo diff dry example fake get gateway generator info lint list local"
    " lsb make mock no notes notification notifications pack parse parser plan plugin post pre proxy reader server"
    " show sim status stub template test tests tools types utils validate validator verify view viewer watch"
)
"""Parts of the names of programs that only look at something, generate it or serve it."""


@lru_cache(maxsize=1024)
def commands_of_name(name: str) -> Sequence[str]:
    """Return the commands that the program `name`, without its folder, counts as; nothing if its name is one word."""
    parts = name.split("-")
    if len(parts) == 1 or has_rule(name, "") or not _STAYS.isdisjoint(parts):
        return ()
    found = [command for each in parts for command in _COUNTS_AS.get(each, ())]
    return (*found, "git push") if set(parts) >= _PAGES else tuple(found)
