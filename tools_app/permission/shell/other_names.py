"""Other names of the same programs and actions: `nodejs` is `node`, and `npm run-script` is `npm run`.

Rules name a command as most people call it. Rules that deny a command, or ask about it, hold for its other names, too.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import dropwhile
from typing import Final

from tools_app.permission.names import names, ordered_names
from tools_app.permission.shell.task_lists import tasks_of
from tools_app.permission.shell.words import Field

_PROGRAMS: Final[Mapping[str, str]] = {
    "nodejs": "node", "slogin": "ssh", "gdbtui": "gdb", "red": "ed", "wish": "tclsh", "jimsh": "tclsh", "hd": "hexdump",
    "which.debianutils": "which", "rmt-tar": "rmt", "sensible-browser": "xdg-open",
    "curlie": "curl", "wcurl": "curl", "ssed": "sed", "podman-remote": "podman", "yarnpkg": "yarn",
    "bundler": "bundle", "composer.phar": "composer", "npm-cli.js": "npm", "npx-cli.js": "npx",
    **dict.fromkeys(("tnpm", "npq", "npq-hero", "aube"), "npm"), "mvnd": "mvn", "kubecolor": "kubectl",
    "netlify-cli": "netlify", "firebase-tools": "firebase", "eas-cli": "eas", "now": "vercel", "wrangler2": "wrangler",
    "jgem": "gem", "binstar": "anaconda",
    **dict.fromkeys(("chg", "rhg"), "hg"),
    **dict.fromkeys(("osls", "slss"), "serverless"),
    **{
        f"{before}{name}": name
        for before in ("g", "gnu", "uu-", "uu_")
        for name in ordered_names(
            "rm cp mv ln cat chmod chown chgrp dd shred tee touch mkdir rmdir unlink truncate install split csplit head"
            " tail sort ls cut tac nl od env nice nohup timeout stdbuf xargs find"
        )
    },
    **{f"zf_{name}": name for name in ordered_names("rm mv ln chmod chown chgrp mkdir rmdir sync")},
    **dict.fromkeys(("luajit", "texlua"), "lua"),
    **dict.fromkeys(("original-awk", "bwk", "goawk"), "awk"),
    **dict.fromkeys(("emacs-nox", "emacs-gtk", "emacsclient"), "emacs"),
    **dict.fromkeys(("pager", "sensible-pager", "most"), "less"),
    **dict.fromkeys(
        (
            *("vim.basic", "vim.tiny", "vim.nox", "vim.gtk3", "vimdiff", "gvim", "rvim", "rview", "evim"),
            *("editor", "sensible-editor", "select-editor", "vimtutor"),
        ),
        "vim",
    ),
    **{f"{family}-{name}": name for family in ("gcc", "llvm") for name in ("ar", "nm", "ranlib")},
    **{f"llvm-{name}": name for name in ("objdump", "objcopy", "readelf", "size", "strings", "strip", "addr2line")},
}  # fmt: skip
_FOR_TARGET: Final = re.compile(r"(?:x86_64|aarch64|i686)-(?:pc-)?linux-(?:gnu|musl)-")
_VERSION: Final = re.compile(
    r"((?:gcc|g\+\+|cpp|clang|clang\+\+|gcov|gcov-dump|gcov-tool|gcc-ar|gcc-nm|gcc-ranlib|lto-dump|perl|cpan|ruby|irb|lua"
    r"|php|node|tclsh|wish|emacs|pdb|pydoc|pygettext|2to3|gem|bundle|rake|luarocks|bazel)-?(?=[\d.]))[\d.]+(?:-[\w-]+)?"
)
_ACTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "npm": {
        **dict.fromkeys(("run-script", "rum", "urn"), "run"),
        **dict.fromkeys(("t", "tst"), "test"),
        **dict.fromkeys(
            ("i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "isntall", "add"), "install"
        ),
        **dict.fromkeys(("rm", "r", "un", "unlink", "remove"), "uninstall"),
        **dict.fromkeys(("up", "upgrade", "udpate"), "update"),
        **dict.fromkeys(("create", "innit"), "init"),
        **dict.fromkeys(("ic", "clean-install", "install-clean", "isntall-clean"), "ci"),
        "x": "exec", "c": "config", "author": "owner", "add-user": "adduser", "dist-tags": "dist-tag", "ogr": "org",
    },
    "pnpm": {
        "run-script": "run", "i": "install", "up": "update", "upgrade": "update", "rb": "rebuild",
        **dict.fromkeys(("rm", "un", "uninstall"), "remove"),
    },
    "cargo": {"b": "build", "c": "check", "d": "doc", "r": "run", "t": "test", "rm": "remove"},
    "rails": {"s": "server", "c": "console", "g": "generate", "d": "destroy", "t": "test", "r": "runner"},
    "git": {"stage": "add"},
    "svn": {
        **dict.fromkeys(("del", "remove", "rm"), "delete"),
        **dict.fromkeys(("ren", "rename", "mv"), "move"),
        "cp": "copy", "ci": "commit", "ps": "propset", "pset": "propset",
    },
    "cabal": dict.fromkeys(("v2-upload", "new-upload", "v1-upload"), "upload"),
    "flutter": {"packages": "pub"},
    "dvc": dict.fromkeys(("e", "experiments"), "exp"),
    "helm": {
        **dict.fromkeys(("un", "del", "delete"), "uninstall"),
        **dict.fromkeys(("dep", "dependencies"), "dependency"),
        "fetch": "pull", "inspect": "show",
    },
    "brew": {**dict.fromkeys(("rm", "remove"), "uninstall"), "up": "update"},
}  # fmt: skip
"""Names that a tool gives to its actions itself. Sources: the manuals of the tools."""
_SHORTENED: Final[Mapping[str, Sequence[str]]] = {
    "gem": ("push", "signin", "signout", "yank", "owner"),
    **dict.fromkeys(("hg", "sl"), ("push", "email", "patchbomb")),
    "fossil": ("push", "sync"), "darcs": ("push", "send"), "got": ("send",),
    **dict.fromkeys(("bzr", "brz"), ("push", "send")),
    "nuget": ("push", "delete", "setapikey"), "opam": ("publish",),
    "composer": ("create-project", "exec", "global", "install", "remove", "require", "run-script", "update"),
    "bundle": ("add", "exec", "install", "lock", "remove", "update"),
    "npm": tuple(
        ordered_names(
            "access adduser deprecate dist-tag exec explore hook install login logout org owner profile publish"
            " star team token trust undeprecate uninstall unpublish"
        )
    ),
}  # fmt: skip
"""Tools that accept the beginning of an action's name, and their actions that publish or that rules are often about."""
_LEAST: Final = 2
"""How many letters an abbreviation of `npm` has at least; one letter never means a single action."""
_OF_ALL_PACKAGES: Final = names("m multi recursive")
"""Words of pnpm in front of an action that it does for each package."""
_BUILDS: Final = names("mvn gradle sbt")
"""Tools whose words are goals, each of which is done."""
_WRAPPED: Final[Mapping[str, str]] = {"mvnw": "mvn", "gradlew": "gradle"}
"""Scripts of projects that fetch and run a tool."""
_MAX_GOALS: Final = 16
_CAPITAL: Final = re.compile(r"(?<=[a-z])[A-Z]")
"""A capital in an action, for which `npm` reads a dash and the small letter: `distTag`."""
_PUBLISHES: Final = "publish"


def _begin(word: str, least: int = 1) -> str:
    """Return an expression for each beginning of a word that has at least so many letters."""
    return "(?:" + "|".join(word[:size] for size in range(len(word), least - 1, -1)) + ")"


_LOCAL_TASKS: Final = (
    rf"(?:{_begin('projects')}|{_begin('properties')}|{_begin('process')}(?:{_begin('Test')})?{_begin('Resources')})$"
)
"""Everyday tasks whose abbreviations begin like `publish`."""
_MAY_PUBLISH: Final = re.compile(
    rf"(?!{_LOCAL_TASKS})(?:{_begin('publish')}(?:-?[A-Z]|-[a-z])[\w-]*|{_begin('publish', 2)}"
    rf"|{_begin('upload')}-?[A-Z][\w-]*|{_begin('upload', 2)}"
    rf"|{_begin('close')}{_begin('And')}{_begin('Release')}(?:[A-Z]\w*)?"
    rf"|{_begin('docker')}-?(?:[A-Z][a-z]*)?{_begin('Push')}(?:[A-Z]\w*)?|{_begin('push', 3)}(?:[A-Z]\w*)?|jib"
    rf"|{_begin('release')}(?:{_begin('Sonatype')})?{_begin('Staging')}{_begin('Repository')}|{_begin('release', 3)})"
)
"""A task of gradle, whose words may be abbreviated (`pAPTMCR`), that may publish."""
_MANAGED: Final = names("image container builder buildx manifest")
"""Words that docker takes before an action: `docker image push` is `docker push`."""
_SCRIPT_RUNNERS: Final = names("yarn pnpm bun")


def usual_name(name: str) -> str:
    """Return the name under which most people know a program: `gcc` for `x86_64-linux-gnu-gcc-12`.

    A program in a folder keeps its name, because it may be any program of that name.
    """
    if "/" in name:
        return name
    plain = _FOR_TARGET.sub("", name).removesuffix(".exe")
    if found := _VERSION.fullmatch(plain):
        plain = found[1].rstrip("-")
    return _PROGRAMS.get(plain, plain)


_SEARCHING: Final = names("ruby jruby perl")
"""Interpreters that search a program in `PATH` with the option `-S`."""
_SEARCHED: Final = "-S"
_PLUGIN: Final = re.compile(r"(cargo)-([\w-]+)")
"""A program that a tool runs as its action: `cargo-ws` for `cargo ws`."""
_PYTHON: Final = re.compile(r"(python|pip)(?:3(?:\.\d+)?)?")
_MODULE: Final = re.compile(r"python[\d.]*\s+-m\s+([\w.]+)(?=\s|$)")
_START_GCC: Final = names("musl-gcc c89 c99 c89-gcc c99-gcc")
"""Compilers that are scripts which start `gcc`."""
_OF_VERSION: Final = re.compile(r"(perl|ruby|lua|php|node|gcc|clang)-?[\d.]+")


def _same_programs(name: str) -> list[str]:
    """Return the other names under which the image contains a program: `python` is `python3`."""
    if found := _PYTHON.fullmatch(name):
        return [each for each in (found[1], f"{found[1]}3") if each != name]
    if name in _START_GCC:
        return ["gcc"]
    return [found[1]] if (found := _OF_VERSION.fullmatch(name)) else []


def is_same_command(one: str, other: str) -> bool:
    """Return whether two texts are the same command. Either both begin with names of the same program and do not differ
    otherwise, or Python runs the program as a module in one of them (`python3 -m pytest`, `pytest`)."""
    (name, _, args), (other_name, _, other_args) = (_without_python(each).partition(" ") for each in (one, other))
    is_one_program = name == other_name or name in _same_programs(other_name) or other_name in _same_programs(name)
    return args == other_args and is_one_program


def _without_python(command: str) -> str:
    found = _MODULE.match(command)
    return f"{found[1].replace('_', '-')}{command[found.end() :]}" if found else command


def _behind_program(name: str, args: Sequence[Field]) -> list[list[Field]]:
    """Return the command of another program that stands behind the name of a program: `ruby -S gem push x`, `dotnet
    paket push x`, `cargo-ws ws publish` for `cargo ws publish`."""
    texts = [each.text for each in args]
    if name in _SEARCHING and _SEARCHED in texts[:-1]:
        return [list(args[texts.index(_SEARCHED) + 1 :])]
    if name == "dotnet" and texts[:1] == ["paket"]:
        return [list(args)]
    if found := _PLUGIN.fullmatch(name):
        tool, action = found.groups()
        return [[Field(tool), *([] if texts[:1] == [action] else [Field(action)]), *args]]
    return [[Field(name.removesuffix(".exe")), *args]] if name.endswith(".exe") else []


def same_commands(name: str, args: Sequence[Field]) -> list[list[Field]]:
    """Return equivalent forms of a command, for example under another name of its program or of its action."""
    action = args[0].text if args else ""
    found = [[Field(each), *args] for each in _same_programs(name)] + _behind_program(name, args) + tasks_of(name, args)
    if name == "npm" and (dashed := _CAPITAL.sub(_with_dash, action)) != action:
        found.append([Field(name), Field(dashed), *args[1:]])
    if full := _ACTIONS.get(name, {}).get(action):
        found.append([Field(name), Field(full), *args[1:]])
    found += [[Field(name), Field(each), *args[1:]] for each in _actions_begun(name, action)]
    if name in {"cargo", "rustc", "rustfmt"} and action.startswith("+"):  # with another toolchain
        found.append([Field(name), *dropwhile(lambda each: each.text[:1] in {"+", "-"}, args)])
    name = _WRAPPED.get(name, name)
    if name in _BUILDS:
        goals = [each.text.rpartition(":")[2] if name == "gradle" else each.text for each in args]
        meant = [_PUBLISHES for each in goals if name == "gradle" and _MAY_PUBLISH.fullmatch(each)]
        found += [[Field(name), Field(each)] for each in (*meant[:1], *goals[:_MAX_GOALS]) if not each.startswith("-")]
    if name in _SCRIPT_RUNNERS | {"npm"} and [each.text for each in args[1:2]] == ["--"]:
        found.append([Field(name), args[0], *args[2:]])
    if (name == "yarn" and action == "workspaces") or (name == "pnpm" and action in _OF_ALL_PACKAGES):
        places = [index for index, each in enumerate(args) if index and each.text[:1] != "-"]
        found += [[Field(name), *args[index:]] for index in places[:_MAX_GOALS]]
    if name in {"docker", "podman", "nerdctl"} and action in _MANAGED:
        found.append([Field(name), *args[1:]])
    if name in {"docker-compose", "podman-compose"}:
        found.append([Field(name.partition("-")[0]), Field("compose"), *args])
    if name in _SCRIPT_RUNNERS and action and not action.startswith("-"):
        found.append([Field(name), *args[1:]] if action == "run" else [Field(name), Field("run"), *args])
    return found


def _with_dash(found: re.Match[str]) -> str:
    return f"-{found[0].lower()}"


def _actions_begun(name: str, action: str) -> list[str]:
    """Return the actions of a tool that a word may abbreviate."""
    if not action or (name == "npm" and (len(action) < _LEAST or action in _ACTIONS["npm"])):
        return []
    return [each for each in _SHORTENED.get(name, ()) if each.startswith(action) and each != action]
