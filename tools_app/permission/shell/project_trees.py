"""Directory trees that linters, formatters and test runners read or change: their operands, or else the working
directory."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.model import Mode
from tools_app.permission.shell.options import ParsedArguments
from tools_app.permission.shell.specs import ArgumentSpec
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree
from tools_app.permission.shell.words import Field

_PYTHON: Final = ("*.py", "*.pyi", "*.ipynb")
_SCRIPT: Final = tuple(f"*.{each}" for each in ("js", "cjs", "mjs", "jsx", "ts", "cts", "mts", "tsx", "vue", "svelte"))
_STYLE: Final = ("*.css", "*.scss", "*.sass", "*.less")
_TEXT: Final = ("*.json", "*.json?", "*.md", "*.mdx", "*.html", "*.yml", "*.yaml", "*.graphql", "*.gql", "*.hbs")
_GO: Final = ("*.go",)
_RUST: Final = ("*.rs",)
_GLOB: Final = re.compile(r"[*?\[{(!]|\.\.\.")
_WITH_BRACES: Final = re.compile(r"([\w.@+*?-]*)(?:\{([\w.,@+*?-]+)\})?([\w.@+*?-]*)")
"""A name with wildcards and braces that all tools interpret alike."""


@dataclass(frozen=True, slots=True)
class _Reader:
    """The command-line syntax of a linter, formatter or test runner that reads or changes whole folders."""

    names: tuple[str, ...] = ()
    """Globs of the files that it takes; empty: all."""
    actions: frozenset[str] = frozenset()
    """Its subcommands that go through trees, one of which is the first operand; empty: it has none."""
    default: bool = True
    """Without operands it takes the working directory."""
    operands: bool = True
    """Its operands are the trees; otherwise it always takes the working directory."""
    writes: frozenset[str] = frozenset()
    """Subcommands that change files; "" if it needs none."""
    looks: frozenset[str] = frozenset()
    """Options with which it changes nothing."""
    opens_all: bool = False
    """True if it opens all files to detect their kinds."""
    pattern: bool = False
    """True if its first operand is the text that it searches for."""
    caches: tuple[str, ...] = ()
    """Folders for its cache, which it creates in its working directory or beside its settings."""


_ALWAYS: Final = frozenset({""})
_TAKE_THE_PROJECT: Final[Mapping[str, str]] = {
    **dict.fromkeys(("vsce", "ovsx"), "package publish ls"),
    **dict.fromkeys(("flyctl", "fly"), "deploy launch"),
    **dict.fromkeys(("serverless", "sls"), "package deploy"),
    **dict.fromkeys(("sam", "chalice", "copilot"), "build package deploy"),
    **dict.fromkeys(("docker-compose", "podman-compose"), "build"),
    "netlify": "deploy build", "zappa": "package deploy update", "web-ext": "build sign lint",
    "firebase": "deploy", "railway": "up", "gcloud": "app builds run functions",
    "az": "webapp functionapp containerapp", "eb": "deploy create",
    "pack": "build", "nixpacks": "build", "snyk": "code", "rar": "a u f m", "reuse": "lint spdx",
    "hg": "serve archive", "jupyter": "lab notebook server",
    **dict.fromkeys(("code", "code-insiders"), "serve-web tunnel"),
}  # fmt: skip
"""Tools that upload, pack or serve the working directory, and the actions with which they do."""
_LICENSE_WRITERS: Final = {"license-eye": "header", "hawkeye": "format remove"}
"""Tools that write a licence into each file."""
_LOOKS: Final = names("--check --diff")
_FORMATTER: Final = _Reader(_PYTHON, default=False, writes=frozenset({""}), looks=_LOOKS)
_LINTER: Final = _Reader(_PYTHON)
_READERS: Final[Mapping[str, _Reader]] = {
    "ruff": _Reader(
        _PYTHON, names("check format analyze"), writes=names("format"), looks=_LOOKS, caches=(".ruff_cache",)
    ),
    "black": _FORMATTER,
    "autopep8": _FORMATTER,
    "yapf": _FORMATTER,
    "isort": _Reader(
        _PYTHON, default=False, writes=frozenset({""}), looks=_LOOKS | names("-c --check-only --df --stdout -d"),
        opens_all=True,
    ),
    "mypy": _Reader(_PYTHON, caches=(".mypy_cache",)),
    **dict.fromkeys(("pylint", "flake8", "pyright", "vulture"), _LINTER),
    "pytest": _Reader(_PYTHON, default=False, caches=(".pytest_cache",)),
    **dict.fromkeys(("bandit", "ast", "tabnanny"), _Reader(_PYTHON, default=False)),
    "compileall": _Reader(_PYTHON, default=False, writes=frozenset({""})),
    "eslint": _Reader((*_SCRIPT, *_TEXT)),
    "prettier": _Reader((*_SCRIPT, *_STYLE, *_TEXT), default=False),
    "biome": _Reader((*_SCRIPT, *_STYLE, *_TEXT), names("check format lint ci")),
    "stylelint": _Reader((*_SCRIPT, *_STYLE, *_TEXT), default=False),
    "mocha": _Reader(_SCRIPT, default=False),
    "tsc": _Reader((*_SCRIPT, "*.json")),
    "gofmt": _Reader(_GO, default=False),
    "staticcheck": _Reader(_GO),
    "golangci-lint": _Reader(_GO, names("run fmt"), writes=names("fmt"), looks=names("-d --diff")),
    "go": _Reader(_GO, names("fmt vet fix"), writes=names("fmt fix"), looks=names("-n")),
    "rustfmt": _Reader(_RUST, default=False, writes=frozenset({""}), looks=names("--check")),
    "cargo": _Reader(
        _RUST, names("fmt fix clippy check build test doc bench"), operands=False, writes=names("fmt fix"),
        looks=names("--check"), caches=("target",),
    ),
    "rubocop": _Reader(("*.rb", "*.rake", "*.gemspec", "*.ru", "Gemfile", "Rakefile")),
    "rspec": _Reader(("*.rb",), default=False),
    "phpunit": _Reader(("*.php",), default=False),
    "bats": _Reader(("*.bats", "*.sh"), default=False),
    "yamllint": _Reader(("*.yml", "*.yaml"), default=False),
    "shellcheck": _Reader(default=False),
    "hadolint": _Reader(default=False),
    **dict.fromkeys(names("ag ack ugrep ug sift pt rga"), _Reader(pattern=True)),
    **dict.fromkeys(names("ast-grep semgrep"), _Reader(operands=False)),
    **dict.fromkeys(names("cloc tokei scc codespell typos ctags etags gtags cscope lizard pygount jscpd"), _Reader()),
    **dict.fromkeys(
        names("repomix gitingest code2prompt yek files-to-prompt serve http-server live-server miniserve doxygen syft"
              " darkhttpd dufs updog copyparty webfsd simple-http-server static-server sfz five-server light-server"
              " local-web-server gohttpserver devd filebrowser wsgidav lite-server ws servor sirv sirv-cli superstatic"
              " ecstatic thttpd mini_httpd goserve ran adsf pyftpdlib webdav code-server loc clamscan rmlint ripsecrets"
              " editorconfig-checker ec cfv surge electron-builder dotenv-linter"),
        _Reader(),
    ),
    **dict.fromkeys(names("fastmod codemod ruplacer ambr scooter serpl"), _Reader(operands=False, writes=_ALWAYS)),
    **dict.fromkeys(("treefmt", "mega-linter-runner", "super-linter"), _Reader(operands=False, writes=_ALWAYS)),
    **{tool: _Reader((), names(actions), operands=False) for tool, actions in _TAKE_THE_PROJECT.items()},
    "vercel": _Reader((), names("deploy build") | {""}, operands=False),
    "eclint": _Reader((), names("check fix infer"), writes=names("fix")),
    "trunk": _Reader((), names("check fmt"), writes=names("fmt")),
    **{tool: _Reader((), names(each), operands=False, writes=names(each)) for tool, each in _LICENSE_WRITERS.items()},
    "gitleaks": _Reader((), names("dir directory file files detect protect git")),
    "trufflehog": _Reader((), names("filesystem git")),
    "trivy": _Reader((), names("fs filesystem config repo repository rootfs")),
    "detect-secrets": _Reader((), names("scan audit")),
    "conftest": _Reader((), names("test parse")),
    "licensee": _Reader((), names("detect diff")),
    "caddy": _Reader((), names("file-server")),
    "browser-sync": _Reader((), names("start"), operands=False),
    **dict.fromkeys(names("standard xo oxlint tslint"), _Reader(_SCRIPT)),
    "mix": _Reader(("*.ex", "*.exs"), names("format"), writes=names("format"), looks=names("--check-formatted")),
    **dict.fromkeys(
        names("terraform tofu"),
        _Reader(("*.tf", "*.tfvars"), names("fmt"), writes=names("fmt"), looks=names("-check --check")),
    ),
    "dart": _Reader(("*.dart",), names("format fix analyze"), writes=names("format fix"), looks=names("--dry-run -n")),
    "dotnet": _Reader(
        ("*.cs", "*.vb", "*.fs"), names("format"), operands=False, writes=names("format"),
        looks=names("--verify-no-changes"),
    ),
    "php-cs-fixer": _Reader(("*.php",), names("fix"), writes=names("fix"), looks=names("--dry-run")),
    "phpcbf": _Reader(("*.php",), writes=frozenset({""})),
    "taplo": _Reader(("*.toml",), names("fmt format"), writes=names("fmt format"), looks=_LOOKS),
    "dprint": _Reader((), names("fmt check output-file-paths"), writes=names("fmt")),
    "buf": _Reader(("*.proto",), names("format lint")),
}  # fmt: skip
_EMITS_NOTHING: Final = names("--noEmit -noEmit --version -v --help -h --all --showConfig --listFilesOnly --init")
_EMITTED: Final = ("*.js", "*.cjs", "*.mjs", "*.jsx", "*.map", "*.d.ts", "*.d.cts", "*.d.mts", "*.tsbuildinfo")
"""The files that `tsc` writes, beside the sources or in the folder that its settings name."""
_ANY_NAME: Final = names("* **")
_FIXES: Final = names("-w --write --write-changes --fix --apply -i --in-place")
"""Options with which tools that no table describes change files."""
_FOLLOWING: Final = names("ctags cscope gtags")
"""Tools that follow links in the folders that they read."""
_MAY_FOLLOW: Final = names("isort mypy pyright biome stylelint")
"""Tools that follow links to folders, which counts only for rules of people."""
_SHOWS: Final = names("--version --help -h -V")


def takes_trees(name: str) -> bool:
    """Return whether a table says which trees the tool `name` takes."""
    return name in _READERS


def with_trees(name: str, found: ParsedArguments, spec: ArgumentSpec, usage: CommandUsage) -> None:
    """Add to `usage` the directory trees that the tool `name` reads or changes, and the files that compilers write.
    Adds nothing for tools that are not listed here."""
    reader = _READERS.get(name)
    operands = list(found.operands)
    _write_compiled(name, found, usage)
    if reader is None or (found.has(*_SHOWS) and not operands):
        return
    words = frozenset(each.text for each in (*operands, *found.rest))
    if not spec.options:  # what looks like an option was not taken for one
        operands = [each for each in operands if not each.text.startswith("-")][int(reader.pattern) :]
    action = operands.pop(0).text if reader.actions and operands else ""
    if reader.actions and action not in reader.actions:
        return
    looks = found.has(*reader.looks) or bool(reader.looks & words)
    writes = (action in reader.writes and not looks) or found.has(*spec.writes) or bool(_FIXES & words)
    for top in (found.values_of("--rootdir") or [Field(".")]) if reader.caches else ():
        usage.trees.append(UnnamedTree(top, "write", "made", reader.caches, flat=True, elsewhere=True))
    given = list(filter(None, map(_tree_of, operands if reader.operands else ())))
    unsure = not spec.options and _surely_operands(found.operands) <= int(reader.pattern)
    if (not given or unsure) and (reader.default or not reader.operands):
        given.append(_Tree(Field(".")))
    tops = [each.top for each in given if not each.globs]
    usage.touch(tops, "tree")
    usage.follow = usage.follow or name in _FOLLOWING
    usage.follows += [each.top for each in given] if name in _MAY_FOLLOW else []
    if writes:
        usage.touch(tops, "write")
        usage.deep = True
    usage.trees += _expanded_trees(given, writes=writes)
    usage.trees += [UnnamedTree(top, "read", "files") for top in tops if reader.opens_all]
    if _takes_other_kinds(found, reader):
        usage.touch([] if given else [Field(".")], "tree")
        return
    if not found.has(*spec.deep):  # an option that empties a folder takes all of its files
        usage.only = reader.names


def _surely_operands(words: Sequence[Field]) -> int:
    """Return the number of words that are certainly operands: no option before these words can take them as its
    value."""
    pairs = pairwise([Field(""), *words])
    return sum(each.text[:1] != "-" and (before.text[:1] != "-" or "=" in before.text) for before, each in pairs)


def _write_compiled(name: str, found: ParsedArguments, usage: CommandUsage) -> None:
    if name == "py_compile":
        _compile(found.operands, usage)
    if name == "tsc" and (not found.has(*_EMITS_NOTHING) or any(each.text == "false" for each in found.operands)):
        usage.trees.append(UnnamedTree(Field("."), "write", "made", _EMITTED))


def _expanded_trees(given: Sequence["_Tree"], *, writes: bool) -> Iterator[UnnamedTree]:
    """Yield the recorded uses (read or write) of each directory tree in which the tool itself expands globs."""
    modes: tuple[Mode, ...] = ("read", "write") if writes else ("read",)
    for each in given:
        only = () if _ANY_NAME.issuperset(each.globs) else each.globs
        yield from (UnnamedTree(each.top, mode, "files", only) for mode in modes if each.globs)


_KINDS: Final = re.compile(
    r"(?!.*(?:ignore|exclude|skip|no-))-+[\w-]*(?:(?<![a-z])ext(?:ensions?|end)?(?![a-z])|glob|include|suffix|filename)[\w-]*"
)
_KIND: Final = re.compile(r"[\w.*]+")


def _takes_other_kinds(found: ParsedArguments, reader: _Reader) -> bool:
    """Return whether an option may add files of other kinds: `--supported-extension txt`, `--doctest-glob='*'`."""
    if not reader.names:
        return False
    values = [value for name, value in found.options if value is not None and _is_of_kinds(name, value)]
    endings = {each.lstrip("*.") for each in reader.names} | {"python", "py"}
    return any(not each.known or {one.lstrip("*.") for one in _KIND.findall(each.text)} - endings for each in values)


def _is_of_kinds(name: str, value: Field) -> bool:
    """Return whether an option or a setting defines which files a tool handles: `--config 'include=…'`."""
    setting = value.text.partition("=")[0].strip() if name == "--config" else ""
    return bool(_KINDS.fullmatch(f"--{setting}" if setting else name))


@dataclass(frozen=True, slots=True)
class _Tree:
    """The directory tree that an operand of a project tool names."""

    top: Field
    globs: tuple[str, ...] = ()
    """If the tool itself expands the operand as a glob: globs for the names of the files, of any kind; `*`: all."""


def _tree_of(operand: Field) -> _Tree | None:
    """Return the directory tree that an operand names, or None if the operand only excludes files."""
    text = operand.text
    if not operand.known or operand.pattern is not None or not (found := _GLOB.search(text)):
        return _Tree(operand)
    if text.startswith("!"):
        return None
    top = Field(text[: text.rfind("/", 0, found.start()) + 1] or ".")
    if found[0] == "...":
        return _Tree(top)
    if not (parts := _WITH_BRACES.fullmatch(text.rpartition("/")[2])):
        return _Tree(top, ("*",))
    before, choices, after = parts.groups()
    return _Tree(top, tuple(f"{before}{each}{after}" for each in (choices or "").split(",")))


def _compile(files: Sequence[Field], usage: CommandUsage) -> None:
    """Record the compiled files that `py_compile` writes."""
    usage.touch(files, "read")
    for each in files:
        folder, slash, name = each.text.rpartition("/")
        compiled = f"{folder}{slash}__pycache__/{name.removesuffix('.py')}.cpython-3.pyc"
        usage.touch([Field(compiled, each.known, pattern=compiled if each.pattern is not None else None)], "write")
    if any(each.text == "-" for each in files):
        usage.doubt("`py_compile` reads the names of files from its standard input")
