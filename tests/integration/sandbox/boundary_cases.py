"""Tricks to lead a tool out of the workspace, and the expected answer of each operation.

`setup` is a script that the tool user runs in the trick's own folder; no operation may reach $HOME/out. `path` is
relative to that folder, or absolute. An answer is "ok" or the code of the error; the answer of `stat` is "inside" or
"outside" with the real path, where {here} stands for the folder.
"""

from dataclasses import dataclass, field
from os import fsdecode
from typing import Final

CANARY: Final = "the-canary-sings"
OUTSIDE: Final = "/home/agent/out"
OPERATIONS: Final = ("stat", "read", "list", "glob", "grep", "run", "write", "change", "remove")

Answers = dict[str, str]


def _answers(
    *, read: str, write: str, folder: str, grep: str, remove: str, glob: str | None = None, run: str | None = None
) -> Answers:
    return {
        "read": read,
        "list": folder,
        "glob": glob or folder,
        "grep": grep,
        "run": run or folder,
        "write": write,
        "remove": remove,
    }


def _all(code: str, *, remove: str | None = None) -> Answers:
    return _answers(read=code, write=code, folder=code, grep=code, remove=remove or code)


LEADS_OUT: Final = _all("path_outside", remove="ok")
"""Answers for a link at the end of the path: operations through it are refused, and `remove` removes the link
itself."""
LEADS_THROUGH: Final = _all("path_outside")
CLOSED: Final = _all("path_outside")
FILE: Final = _answers(read="ok", write="ok", folder="wrong_kind", grep="ok", remove="ok")
FOLDER: Final = _answers(read="wrong_kind", write="wrong_kind", folder="ok", grep="ok", remove="wrong_kind")
ROOT: Final = FOLDER
ABSENT: Final = _answers(read="not_found", write="ok", folder="not_found", grep="not_found", remove="ok")
SPECIAL: Final = _answers(read="wrong_kind", write="wrong_kind", folder="wrong_kind", grep="wrong_kind", remove="ok")
BELOW_A_FILE: Final = _all("wrong_kind")
CIRCLE: Final = _all("path_outside", remove="ok")
IMPOSSIBLE: Final = _all("sandbox_refused")
READ_ONLY: Final = FILE | {"write": "not_permitted", "remove": "not_permitted"}


@dataclass(frozen=True)
class Trick:
    name: str
    setup: str
    path: str
    stat: str
    answers: Answers = field(default_factory=dict)
    contained: bool = False
    """Whether only a real container gives these answers."""

    def expected(self, here: str) -> Answers:
        return {"stat": self.stat.format(here=here), **self.answers, "change": self.answers["write"]}


def _odd(name: str, file_name: str | bytes) -> Trick:
    """Return a trick with an unusual file name, which must be treated like any other name."""
    text = fsdecode(file_name)
    return Trick(name, "", text, f"inside {{here}}/{text.replace('{', '{{').replace('}', '}}')}", ABSENT)


LINKS: Final = (
    Trick("absolute link to a file", 'ln -s "$HOME/out/secret" x', "x", f"outside {OUTSIDE}/secret", LEADS_OUT),
    Trick("absolute link to a folder", 'ln -s "$HOME/out" x', "x", f"outside {OUTSIDE}", LEADS_OUT),
    Trick("relative link to a folder", 'ln -sr "$HOME/out" x', "x", f"outside {OUTSIDE}", LEADS_OUT),
    Trick("link in the middle", 'ln -s "$HOME/out" x', "x/secret", f"outside {OUTSIDE}/secret", LEADS_THROUGH),
    Trick("new file beyond a link", 'ln -s "$HOME/out" x', "x/new", f"outside {OUTSIDE}/new", LEADS_THROUGH),
    Trick("new folders beyond a link", 'ln -s "$HOME/out" x', "x/a/b", f"outside {OUTSIDE}/a/b", LEADS_THROUGH),
    Trick("dangling link", 'ln -s "$HOME/out/none" x', "x", f"outside {OUTSIDE}/none", LEADS_OUT),
    Trick("chain of links", 'ln -s "$HOME" a; ln -s a/out b; ln -s b x', "x", f"outside {OUTSIDE}", LEADS_OUT),
    Trick("link to a link outside", 'ln -s "$HOME/alias" x', "x", f"outside {OUTSIDE}/secret", LEADS_OUT),
    Trick("dots after a link", 'ln -s "$HOME/out" x', "x/../out/secret", f"outside {OUTSIDE}/secret", LEADS_THROUGH),
    Trick("dots after a link that seem to stay", 'ln -s "$HOME/out" x; echo 1 > alias', "x/../alias",
          f"outside {OUTSIDE}/secret", LEADS_THROUGH | {"remove": "path_outside"}),
    Trick("link with a slash at its end", 'ln -s "$HOME/out" x', "x/", f"outside {OUTSIDE}", LEADS_OUT),
    Trick("link with a dot at its end", 'ln -s "$HOME/out" x', "x/.", f"outside {OUTSIDE}", LEADS_THROUGH),
    Trick("link to the home through many slashes", 'ln -s "//$HOME////out/." x', "x", f"outside {OUTSIDE}", LEADS_OUT),
    Trick("link to the root", "ln -s / x", "x/etc/passwd", "outside /etc/passwd", LEADS_THROUGH),
    Trick("link out and back", 'ln -s "$HOME/back" x; echo 1 > f', "x",
          "inside /workspace/back", FOLDER | {"remove": "ok"}),
    Trick("link with a line break", "ln -s \"$HOME/out/secret\" $'x\\ny'", "x\ny",
          f"outside {OUTSIDE}/secret", LEADS_OUT),
    Trick("forty links", "echo 1 > l40; for i in $(seq 39 -1 0); do ln -s l$((i+1)) l$i; done", "l0",
          "inside {here}/l40", FILE),
    Trick("forty-one links", "echo 1 > l41; for i in $(seq 40 -1 0); do ln -s l$((i+1)) l$i; done", "l0",
          "path_outside", CIRCLE),
    Trick("two thousand links", "python3 -c 'import os\nfor i in range(2000): os.symlink(f\"l{i+1}\", f\"l{i}\")'",
          "l0", "path_outside", CIRCLE),
    Trick("circle of links", "ln -s b a; ln -s a b", "a", "path_outside", CIRCLE),
    Trick("link to itself", "ln -s x x", "x", "path_outside", CIRCLE),
    Trick("dots after a circle", "ln -s x x", "x/../../../home/agent/out/secret", "path_outside", CLOSED),
    Trick("link that doubles at each step", "for i in $(seq 0 30); do ln -s l$((i+1))/../l$((i+1)) l$i; done;",
          "l0", "path_outside", CIRCLE),
    Trick("link to a file inside", "echo 1 > f; ln -s f x", "x", "inside {here}/f", FILE),
    Trick("link to a folder inside", "mkdir d; echo 1 > d/f; ln -s d x", "x/f", "inside {here}/d/f", FILE),
    Trick("dangling link inside", "ln -s none x", "x", "inside {here}/none", ABSENT),
)  # fmt: skip

SYSTEM: Final = (
    Trick("files of the runner", "", "/proc/self/environ", "path_outside", CLOSED),
    Trick("root of the runner", "", "/proc/self/root/etc/passwd", "path_outside", CLOSED),
    Trick("root of process one", "", "/proc/1/root/etc/passwd", "path_outside", CLOSED),
    Trick("folder of the runner", "", "/proc/self/cwd", "path_outside", CLOSED),
    Trick("descriptor of the runner", "", "/proc/self/fd/3", "path_outside", CLOSED),
    Trick("system with two slashes", "", "//proc/self/environ", "path_outside", CLOSED),
    Trick("system with dots", "", "/tmp/../proc/self/environ", "path_outside", CLOSED),
    Trick("system with a dot", "", "/./proc/./self/root/etc/passwd", "path_outside", CLOSED),
    Trick("kernel's settings", "", "/sys/kernel/hostname", "path_outside", CLOSED),
    Trick("link to the system", "ln -s /proc x", "x/self/environ", "path_outside", CLOSED),
    Trick("system and out again", "", "/proc/../etc/passwd", "path_outside", CLOSED),
    Trick("link to the root of process one", "ln -s /proc/1/root x", "x/etc/passwd", "path_outside", CLOSED),
    Trick("link to the runner's root", "ln -s /proc/self/root x", "x/etc/passwd", "path_outside", CLOSED),
    Trick("link to the runner's folder by process", "ln -s /proc/self/cwd x", "x/f", "path_outside", CLOSED),
    Trick("link to the runner's memory", "ln -s /proc/self/mem x", "x", "path_outside", CLOSED | {"remove": "ok"}),
    Trick("standard input", "", "/dev/stdin", "path_outside", CLOSED | {"remove": "not_permitted"}, contained=True),
    Trick("descriptor by its short name", "", "/dev/fd/1", "path_outside", CLOSED),
    Trick("link to a descriptor", "ln -s /dev/fd/1 x", "x", "path_outside", CLOSED | {"remove": "ok"}),
    Trick("runner's own files", "", "/run/runner/journal", "not_permitted", _all("not_permitted"), contained=True),
    Trick("link to the runner's folder", "ln -s /run/runner x", "x", "outside /run/runner", LEADS_OUT, contained=True),
    Trick("device", "", "/dev/null", "outside /dev/null", SPECIAL | {"write": "wrong_kind", "remove": "not_permitted"},
          contained=True),
    Trick("endless device", "", "/dev/zero", "outside /dev/zero",
          SPECIAL | {"write": "wrong_kind", "remove": "not_permitted"}, contained=True),
    Trick("link to a device", "ln -s /dev/zero x", "x", "outside /dev/zero", LEADS_OUT),
    Trick("mount of one file", "", "/etc/hosts", "outside /etc/hosts", READ_ONLY, contained=True),
    Trick("the workspace as a mount", "", "/workspace", "inside /workspace", ROOT),
    Trick("the workspace's neighbour in name", "", "/workspace2/x", "outside /workspace2/x",
          ABSENT | {"write": "not_permitted", "remove": "not_found"}, contained=True),
    Trick("above the workspace", "", "/workspace/../etc/passwd", "outside /etc/passwd", LEADS_THROUGH, contained=True),
    Trick("far above the root", "", "/workspace" + "/.." * 50 + "/etc/passwd", "outside /etc/passwd", LEADS_THROUGH),
    Trick("up and back", "echo 1 > f", "../../../workspace/back/../back/in", "inside /workspace/back/in", FILE,
          contained=True),
)  # fmt: skip

KINDS: Final = (
    Trick("pipe", "mkfifo x", "x", "inside {here}/x", SPECIAL),
    Trick("pipe that may not be read", "mkfifo -m 000 x", "x", "inside {here}/x",
          _answers(read="not_permitted", write="not_permitted", folder="wrong_kind", glob="not_permitted",
                   grep="not_permitted", remove="ok"),
          contained=True),
    Trick("below a pipe", "mkfifo x", "x/y", "inside {here}/x/y", BELOW_A_FILE),
    Trick("socket", "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"x\")'", "x",
          "inside {here}/x", SPECIAL),
    Trick("link to a pipe", "mkfifo p; ln -s p x", "x", "inside {here}/p", SPECIAL),
    Trick("hard link to a file inside", "echo 1 > f; ln f x", "x", "inside {here}/x", FILE),
    Trick("hard link to a file of the home", 'ln "$HOME/out/secret" x 2> /dev/null || true', "x",
          "inside {here}/x", ABSENT, contained=True),
    Trick("hard link to a link", 'ln -s "$HOME/out/secret" l; ln -P l x', "x", f"outside {OUTSIDE}/secret", LEADS_OUT),
    Trick("folder", "mkdir x; echo 1 > x/f", "x", "inside {here}/x", FOLDER),
    Trick("folder that may not be entered", "mkdir -m 000 x", "x/f", "not_permitted", _all("not_permitted"),
          contained=True),
    Trick("link in a folder that may not be entered", 'mkdir d; ln -s "$HOME/out" d/x; chmod 000 d', "d/x/secret",
          "not_permitted", _all("not_permitted"), contained=True),
    Trick("file with a slash at its end", "echo 1 > x", "x/", "inside {here}/x", FILE | {"write": "wrong_kind"}),
    Trick("file with a dot at its end", "echo 1 > x", "x/.", "inside {here}/x", FILE),
    Trick("folder with dots at its end", "mkdir -p x/y; echo 1 > x/f", "x/y/..", "inside {here}/x", FOLDER),
    Trick("below a file", "echo 1 > x", "x/y/z", "inside {here}/x/y/z", BELOW_A_FILE),
    Trick("many slashes and dots", "mkdir x; echo 1 > x/f", ".//././x////./f", "inside {here}/x/f", FILE),
)  # fmt: skip

NAMES: Final = (
    _odd("line break", "a\nb"),
    _odd("line that looks like a match", "a\n./b:1:0:c"),
    _odd("escape sequence", "a\x1b[2Jb"),
    _odd("carriage return", "a\rb"),
    _odd("bytes that are no text", b"caf\xe9\xff"),
    _odd("composed letters", "caf\u00e9"),
    _odd("decomposed letters", "cafe\u0301"),
    _odd("blank at its end", "x "),
    _odd("only blanks", "  "),
    _odd("dot at its end", "x."),
    _odd("three dots", "..."),
    _odd("backslashes", "..\\..\\x"),
    _odd("an option", "--files"),
    _odd("a wildcard", "*"),
    _odd("a tilde", "~"),
    _odd("a variable", "$HOME"),
    _odd("percent signs", "%2e%2e%2fx"),
    _odd("text that turns around", "x\u202egpj.exe"),
    _odd("a slash of another script", "..\u2215x"),
    _odd("git's folder in capitals", ".GIT"),
    _odd("a secret in capitals", ".ENV"),
    _odd("255 bytes", "x" * 255),
    _odd("255 bytes of long letters", "\u20ac" * 85),
    Trick("256 bytes", "", "x" * 256, "sandbox_refused", IMPOSSIBLE),
    Trick("path of 4,096 bytes", "", "x/" * 2048, "sandbox_refused", IMPOSSIBLE),
    Trick("path of a million bytes", "", "../" * 330_000, "sandbox_refused", IMPOSSIBLE),
    Trick("path that is short only when resolved", "", "./" * 2100 + "x", "sandbox_refused", IMPOSSIBLE),
    Trick("zero byte", "", "x\0y", "sandbox_refused", IMPOSSIBLE),
    Trick("zero byte after a way out", "", "/etc/passwd\0.txt", "sandbox_refused", IMPOSSIBLE),
    Trick("nothing", "", "", "sandbox_refused", IMPOSSIBLE),
    Trick("half of a character", "", "x\ud800", "sandbox_refused", IMPOSSIBLE),
)  # fmt: skip

TRICKS: Final = (*LINKS, *SYSTEM, *KINDS, *NAMES)
