"""started(): the programs without a table that a command starts: itself, a plugin, or what a launcher gets."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.git_corrections import COMMANDS_OF_GIT
from tools_app.permission.shell.implied_actions import TOOLS_OF_GIT
from tools_app.permission.shell.packages import without_version
from tools_app.permission.shell.tables_wrappers import INTERPRETERS
from tools_app.permission.shell.unlisted_programs import is_installed, is_unlisted, runs_project, starts_others
from tools_app.permission.shell.words import Field

Started = tuple[str, Sequence[str]]
"""The name of a program without its folder, and its words."""

_LAUNCHERS: Final = names(
    "uvx pipx parallel watch watchexec nodemon entr cross-env dotenv direnv strace ltrace xvfb-run faketime eatmydata"
    " rlwrap setpriv unshare chroot firejail bwrap hyperfine concurrently npm-run-all tini dumb-init gosu su-exec"
    " systemd-run dbus-run-session prlimit"
)
"""Programs that are known, but not how they find the program among their words."""
_RUNS: Final = names("exec x dlx")
"""Actions that run the words behind them."""
_RUN_WORDS: Final = names("conda mamba micromamba")
"""Programs whose action `run` runs the words behind it."""
_PYTHON: Final = re.compile(r"(?:python|pypy)[\d.]*")
_MODULE: Final = "-m"
_SEARCHES: Final = re.compile(r"(?:j?ruby|perl)[\d.]*")
_SEARCHED: Final = "-S"
"""The option with which these search the program in `PATH`."""
_NAME: Final = re.compile(r"[A-Za-z][\w.-]*")
_RUN_FILES: Final = frozenset(INTERPRETERS) | names("bun tsx nodejs")
_ACTIONS_OF_CARGO: Final = names(
    "add b bench build c check clean clippy config d doc fetch fix fmt generate-lockfile help info init install"
    " locate-project metadata miri new nextest package pkgid r read-manifest remove rm report run rustc rustdoc search"
    " t test tree uninstall update vendor verify-project version watch"
)
_WITH_PLUGINS: Final[Mapping[str, frozenset[str]]] = {
    "git": COMMANDS_OF_GIT | TOOLS_OF_GIT,
    "cargo": _ACTIONS_OF_CARGO | names("publish login logout owner yank package release smart-release workspaces ws"),
}
"""Tools that start the program `git-x` for an action `x` that is not theirs."""
_OF_TOOLS: Final[Mapping[str, tuple[str, ...]]] = {"go": ("tool",), "dotnet": ("tool", "run")}
"""Tools, and the words behind which the name of a program stands."""
_PACKAGE: Final = re.compile(r"(?:npm|jsr):/?((?:@[\w.-]+/)?[\w.-]+)(?:@.*)?|[\w-]+\.[\w.-]+/(?:.*/)?([\w.-]+)@[\w.-]+")
"""A package whose program a tool fetches and runs: `deno run npm:x@1`, `go run a.org/b/x@latest`."""


def started(name: str, texts: Sequence[str]) -> Iterator[Started]:
    """Yield the programs without a table that a command starts. `name` may contain the folder of the program."""
    base = name.rpartition("/")[2]
    if searched := next((index for index, each in enumerate(texts, 1) if each == _SEARCHED), 0):
        yield from _begun(texts[searched:] if _SEARCHES.fullmatch(base) else [])
    if base in _LAUNCHERS:
        yield from _begun([part for each in texts for part in each.split()])
    elif _PYTHON.fullmatch(base) and _MODULE in texts[:-1]:
        module, *words = texts[texts.index(_MODULE) + 1 :]
        if "." not in module and is_unlisted(module):
            yield module, words
    elif base in _OF_TOOLS or base in _RUN_FILES or _PYTHON.fullmatch(base):
        yield from _in_packages(base, texts)
    elif base in _WITH_PLUGINS:
        yield from _plugins(base, texts)
    elif is_unlisted(base) and ("/" not in name or is_installed(name)) and not _is_of_git(base):
        yield base, texts
        yield from _begun(texts[_place_behind_run(base, texts) :])
    elif runs_project(base):
        yield from _begun(texts[_place_behind_run(base, texts) :])


def _is_of_git(base: str) -> bool:
    return base.startswith("git-") and base.removeprefix("git-") in _WITH_PLUGINS["git"]


def _plugins(tool: str, texts: Sequence[str]) -> Iterator[Started]:
    """Yield the program that a tool starts for an action that is not its own, in each reading of the options before
    it."""
    before = ""
    for index, text in enumerate(texts):
        may_be_value = before[:1] == "-" and "=" not in before
        if _NAME.fullmatch(text):
            if text not in _WITH_PLUGINS[tool]:
                yield f"{tool}-{text}", texts[index + 1 :]
            if not may_be_value:
                return
        before = text


def _in_packages(tool: str, texts: Sequence[str]) -> Iterator[Started]:
    """Yield the program of a package that an interpreter or a tool runs: `node node_modules/.bin/x`, `go tool x`."""
    before = _OF_TOOLS.get(tool, ())
    plain = [index for index, each in enumerate(texts) if each[:1] != "-"]
    if before and tuple(texts[each] for each in plain[: len(before)]) == before:
        plain = plain[len(before) :]
        yield from ((texts[index].rpartition("/")[2], texts[index + 1 :]) for index in plain[:1])
        return
    for index in plain:
        found = _PACKAGE.fullmatch(texts[index])
        name = (found[1] or found[2]) if found else texts[index] if is_installed(texts[index]) else ""
        if name:
            yield re.sub(r"\.\w+$", "", name.rpartition("/")[2]), texts[index + 1 :]
            return


def _place_behind_run(base: str, texts: Sequence[str]) -> int:
    """Return the index behind an action that runs the words behind it; the number of words if there is none."""
    found = (
        index
        for index, each in enumerate(texts, 1)
        if each in _RUNS
        or (
            each == "run" and (base in _RUN_WORDS or "tool" in texts[: index - 1] or texts[index : index + 1] == ["--"])
        )
    )
    return next(found, len(texts))


def _begun(texts: Sequence[str]) -> Iterator[Started]:
    """Yield the programs without a table that may begin at one of the words."""
    for index, text in enumerate(texts):
        name = "" if text[:1] == "-" else without_version("", [Field(text)])[0].text
        base = name.rpartition("/")[2]
        if is_unlisted(base) and _NAME.match(base) and ("/" not in name or is_installed(name)):
            yield base, texts[index + 1 :]
        if base and not is_unlisted(base) and not (starts_others(base) or base in _LAUNCHERS):
            return
