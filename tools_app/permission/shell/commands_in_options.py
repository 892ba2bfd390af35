"""commands_in_options(): the commands that options of a program run, also where they are joined to the letters of
other options (`script -qc'make test'`)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.path_like import with_text
from tools_app.permission.shell.words import Field

_Options = tuple[str, frozenset[str]]
_EXEC: Final = "exec="
"""What `tar --checkpoint-action` has in front of a command."""
_SERVERS: Final = names("--upload-pack --receive-pack --exec")
_OPTIONS: Final[Mapping[str, _Options]] = {
    "script": ("c", names("--command")),
    **dict.fromkeys(("su", "runuser"), ("c", names("--command --session-command"))),
    "sg": ("c", names("--command")),
    "tar": (
        "IF",
        names(
            "--use-compress-program --to-command --info-script --new-volume-script --rsh-command --rmt-command"
            " --checkpoint-action"
        ),
    ),
    "sort": ("", names("--compress-program")),
    "split": ("", names("--filter --pager --view")),
    "tcpdump": ("z", frozenset()),
    "enscript": ("I", names("--filter")),
    "rsync": ("e", names("--rsh --rsync-path")),
    "man": ("P", names("--pager")),
    "less": ("", names("+!")),
    "zip": ("", names("-TT -TTT --unzip-command")),
    "make": ("", names("SHELL=")),
    **dict.fromkeys(("nc", "ncat", "netcat"), ("ce", names("--exec --sh-exec"))),
    "tmux": ("c", frozenset()),
    "start-stop-daemon": ("xa", names("--exec --startas")),
    **dict.fromkeys(("mapfile", "readarray", "complete", "compgen"), ("C", frozenset())),
    "hyperfine": ("pscS", names("--prepare --setup --cleanup --conclude --shell")),
    "nodemon": ("x", names("--exec")),
    **dict.fromkeys(("ugrep", "ug", "ugrep+", "ug+"), ("", names("--filter --pager --view"))),
    "git difftool": ("x", names("--extcmd")),
    "git rebase": ("x", names("--exec")),
    "git clone": ("u", _SERVERS),
    **dict.fromkeys((f"git {each}" for each in ("fetch", "pull", "push", "ls-remote", "archive")), ("", _SERVERS)),
}  # fmt: skip
"""Letters and names of options whose values are commands. A name without two dashes has its value behind it."""
_GLOB: Final = re.compile(r"[*?\[]")
_BY_KIND: Final = names("ugrep ug ugrep+ ug+")
"""Programs whose values name a command for each kind of file."""
_SHORTEST: Final = 4  # characters of an abbreviated option


def commands_in_options(name: str, args: Sequence[Field]) -> list[Field]:
    """Return the values of options that run commands, in which every character is known."""
    letters, long = _OPTIONS.get(name, ("", frozenset[str]()))
    if not (letters or long):
        return []
    pairs = zip(args, [*args[1:], None], strict=False)
    found = (each for arg, after in pairs for each in _values(arg, after, letters, long))
    found = (part for each in found for part in _by_kind(each)) if name in _BY_KIND else found
    return [each for each in found if each.known and each.pattern is None and each.text.strip()]


def _by_kind(value: Field) -> Iterator[Field]:
    """Yield the commands of a value that names one for each kind of file: `txt:cat %,pdf:pdftotext % -`."""
    for each in value.text.split(",") if value.pattern is None else ():
        yield Field(each.rpartition(":")[2], value.known)


def _values(arg: Field, after: Field | None, letters: str, long: frozenset[str]) -> Iterator[Field]:
    """Yield what may be a command in an argument; if it ends with the option, the next argument."""
    option, equals, value = arg.text.partition("=")
    joined = max((each for each in long if each[:2] != "--" and arg.text.startswith(each)), key=len, default="")
    if joined:
        value = arg.text.removeprefix(joined)
    elif option[:2] == "--":
        if not any(each.startswith(option) for each in long if len(option) >= _SHORTEST):
            return
        value = value.removeprefix(_EXEC)
    else:
        place = next((index for index, letter in enumerate(arg.text) if letter in letters and index), 0)
        if arg.text[:1] != "-" or not place or not arg.text[1 : place + 1].isalnum():
            return
        value, equals = arg.text[place + 1 :], ""
    if value or equals:
        yield with_text(arg, value)
    elif after is not None:
        yield after


def completed_folders(args: Sequence[Field]) -> list[Field]:
    """Return the folders whose names `compgen` may show: the working directory, and those in front of a name that it
    completes (`compgen -f a/b`)."""
    tops = dict.fromkeys(folder for each in args if (folder := each.text.rpartition("/")[0]) and each.text[:1] != "-")
    return [Field("."), *(Field(each, pattern=each if _GLOB.search(each) else None) for each in tops)]
