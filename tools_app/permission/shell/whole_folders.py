"""Programs that read or write the working directory without naming it on the command line.

Examples are file servers, tools that index the sources, and tools that pack all sources into one file.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.settings_tools import touch_settings
from tools_app.permission.shell.taken_back import is_taken_back
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree
from tools_app.permission.shell.words import Field

_TAGS: Final = ("GTAGS", "GRTAGS", "GPATH")
_WRITTEN: Final[Mapping[str, tuple[str, ...]]] = {
    "ctags": ("tags",),
    "etags": ("TAGS",),
    "cscope": ("cscope.out", "cscope.in.out", "cscope.po.out"),
    "gtags": _TAGS,
    "global": _TAGS,
    "repomix": tuple(f"repomix-output.{each}" for each in ("xml", "md", "txt", "json")),
    "gitingest": ("digest.txt",),
    "jscpd": ("report",),
    "script": ("typescript",),
}
"""The files that a tool writes into its working directory if no option names another file."""
_RESULTS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("cargo", "mvn"), ("target",)),
    **dict.fromkeys(("vite", "webpack", "rollup", "parcel"), ("dist",)),
    **dict.fromkeys(("jest", "vitest", "nyc", "c8"), ("coverage",)),
    "tsc": ("dist", "build", "lib", "out"),
    "coverage": ("htmlcov",),
    "pytest": (".pytest_cache", "htmlcov"),
    "mypy": (".mypy_cache",),
    "ruff": (".ruff_cache",),
    "gradle": ("build", ".gradle"),
    "mkdocs": ("site",),
    "dotnet": ("bin", "obj"),
    "next": (".next", "out"),
}
"""The folders into which a tool usually writes. They are judged only if they are links."""
_WRITES_HERE: Final[Mapping[str, re.Pattern[str]]] = {
    "coverage": re.compile("run|combine|xml|json|html|lcov|erase|annotate"),
    "go": re.compile("build|-c|-cpuprofile|-memprofile"),
    "cargo": re.compile("flamegraph|package|publish|instruments"),
    **dict.fromkeys(("npm", "pnpm", "yarn"), re.compile("ci|clean-install|ic|install-clean|import")),
    "deno": re.compile("init|vendor|bundle"),
    "playwright": re.compile("test|codegen"),
    **dict.fromkeys(("pip", "pip3"), re.compile("download|wheel")),
    "pyright": re.compile("--createstub"),
    "rubocop": re.compile("--auto-gen-config|--regenerate-todo|--init"),
    "rspec": re.compile("--init"),
    "composer": re.compile("archive|create-project|init"),
    "gradle": re.compile("init|wrapper"),
    "mvn": re.compile("(?:archetype|wrapper|site|assembly):.*|.*-(?:archetype|wrapper|assembly)-plugin.*"),
    "dotnet": re.compile("new|sln|tool"),
    "zig": re.compile("init|init-.*|build-.*|test-obj|translate-c"),
    **dict.fromkeys(("apt", "apt-get"), re.compile("source|download")),
    **dict.fromkeys(("as", "ghc", "pod2html"), re.compile(".*", re.DOTALL)),
}
"""Tools that write files of many names into their working directory, and the words with which they do. At the root of
the workspace that is expected."""
_KEY: Final = "/home/agent/.ssh/id_rsa"
_WITHOUT_KEYS: Final = re.compile(r"-[A-Za-z]*[lLDxXTesK].*")
"""Options with which `ssh-add` reads none of the keys in the home directory."""
_WITH_VALUE: Final = names("-t -E -S -h -H")
_ANY_FILE: Final = "…"
"""A name that only rules about a whole folder match."""
_NO_RESULTS: Final = re.compile("--?noEmit", re.IGNORECASE)
_OUTPUT: Final = re.compile(r"-[fo].*|--(?:output|out|tag-file|file).*")
_PORT: Final = re.compile(r"[\d.:]*\d|\w+://.*")
_PLAIN_SERVERS: Final = names(
    "httpd file_server file-server serve http-server live-server servor sirv local-web-server ws lite-server"
    " five-server static static-web-server basic-http-server simple-http-server miniserve dufs httplz goshs gossa"
    " gohttpserver algernon webfsd weborf thttpd mini_httpd darkhttpd droopy updog sfz copyparty budo livereload"
    " filebrowser wsgidav quark grip"
)
"""Programs that always serve files: those of the folder that a word names, or of the working directory."""
_SERVERS: Final[Mapping[str, re.Pattern[str]]] = {
    "python": re.compile(r"-\w*m ?(?:http\.server|SimpleHTTPServer|RangeHTTPServer|uploadserver|pyftpdlib)\b.*"),
    "php": re.compile(r"(?:.* )?-S.*", re.DOTALL),
    "ruby": re.compile(r".*\bhttpd\b.*", re.DOTALL),
    "busybox": re.compile(r"httpd\b.*"),
    "jwebserver": re.compile(r"(?!.*(?:-h\b|--help|--version)).*", re.DOTALL),
    "java": re.compile(r"(?:.* )?(?:-m|--module)[ =]jdk\.httpserver\b.*", re.DOTALL),
    "caddy": re.compile(r"(?:.* )?file-server\b.*", re.DOTALL),
    **dict.fromkeys(("twistd", "twist"), re.compile(r"(?:.* )?(?:web|ftp)\b.*", re.DOTALL)),
    **dict.fromkeys(("docsify", "docsify-cli"), re.compile(r"(?:s|serve)\b.*", re.DOTALL)),
    **dict.fromkeys(_PLAIN_SERVERS, re.compile(r"(?!.*(?:--help|--version)).*", re.DOTALL)),
}
"""Programs and the arguments, as one text, with which they serve files."""
_TOP: Final[Mapping[str, frozenset[str]]] = {
    "python": names("-d --directory"), "php": names("-t --docroot"), "busybox": names("-h"), "ruby": names("httpd"),
    **dict.fromkeys(("jwebserver", "java"), names("-d --directory")), "caddy": names("-r --root"),
}  # fmt: skip
"""The words before the folder that they serve."""
_ANY_TOP: Final = names("-r --root -d --dir --directory --path --root-dir")


def _emits_nothing(words: Sequence[str]) -> bool:
    found = [each for each in words if _NO_RESULTS.fullmatch(each)]
    return bool(found) and not is_taken_back(found, words)


def touch_whole_folders(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the files of the working directory that a program reads or writes although its words do not name them."""
    if name in _RESULTS and not _emits_nothing([arg.text for arg in args]):
        usage.results += map(Field, _RESULTS[name])
    if name == "scalar" and any(each.text == "diagnose" for each in args):  # it packs the settings of the repository
        usage.touch([Field(".git/config")], "read")
    if name in _WRITES_HERE and any(map(_WRITES_HERE[name].fullmatch, (arg.text for arg in args))):
        usage.trees.append(UnnamedTree(Field("."), "write", "made", (_ANY_FILE,), flat=True, elsewhere=True))
    if name == "nohup":  # if its output is a terminal
        usage.touch([Field("nohup.out")], "write")
    if name == "ssh-add" and _adds_usual_keys([arg.text for arg in args]):
        usage.touch([Field(_KEY)], "read")
    server = "python" if name.startswith("python") else name
    if name not in _WRITTEN and server not in _SERVERS:
        return
    words = [arg.text for arg in args]
    if name in _WRITTEN and not any(map(_OUTPUT.fullmatch, words)) and (name != "global" or "-u" in words):
        usage.touch(map(Field, _WRITTEN[name]), "write")
    if server in _SERVERS and _SERVERS[server].fullmatch(" ".join(words)):
        before = _TOP.get(server, _ANY_TOP)
        tops = [arg for option, arg in pairwise(args) if option.text in before and arg.text[:1] != "-"]
        joined = [Field(arg.text.partition("=")[2], arg.known) for arg in args if arg.text.partition("=")[0] in before]
        if server in _PLAIN_SERVERS:
            tops += [arg for arg in args if arg.text[:1] not in {"", "-"} and not _PORT.fullmatch(arg.text)]
        usage.touch(tops or [each for each in joined if each.text] or [Field(".")], "tree")


def _adds_usual_keys(words: Sequence[str]) -> bool:
    """Return whether `ssh-add` reads the private keys of the user because no word names a key."""
    pairs = pairwise(["", *words])
    named = any(word[:1] != "-" and before not in _WITH_VALUE for before, word in pairs)
    return not (named or any(map(_WITHOUT_KEYS.match, words)))


def touch_started(readings: Sequence[Sequence[Field]], usage: CommandUsage) -> None:
    """Record the settings and files that commands use without naming them which a program may start. `readings` are
    these commands."""
    for name, *args in readings:
        base = name.text.rpartition("/")[2]
        touch_settings(base, args, usage)
        touch_whole_folders(base, args, usage)
