"""touch_made(): the lock files that a tool may create or update although its command does not name them.

Where a tool takes any word for an action that updates its lock file (`cargo miri test`), the actions are listed that do
not. Sources: the manuals of the tools.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.recorded import folders_above, projects_of
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

_OF_NODE: Final = ("yarn.lock", "bun.lock", "package-lock.json", "pnpm-lock.yaml")
_OF_MOVE: Final = ("Move.lock",)
_FLAKE: Final = ("flake.lock",)
_ANY: Final = names("*")
"""Each action, and a command without one."""
_WRITING: Final[Mapping[str, tuple[tuple[str, ...], frozenset[str]]]] = {
    "yarn": (
        ("yarn.lock",),
        names("unplug patch-commit set upgrade-interactive workspaces focus update-lockfile plugin rebase"),
    ),
    "composer": (
        ("composer.lock", "symfony.lock"),
        names("bump config create-project install reinstall remove require uninstall update upgrade global"),
    ),
    "poetry": (("poetry.lock",), names("add install lock remove self sync update")),
    "uv": (("uv.lock",), names("add build export lock remove sync tree version")),
    "pipenv": (("Pipfile.lock",), names("install lock sync uninstall update upgrade")),
    "pdm": (("pdm.lock",), names("add fix import install lock remove sync update")),
    "mix": (("mix.lock",), names("deps.get deps.update deps.unlock deps.clean setup igniter.install igniter.upgrade")),
    "pod": (("Podfile.lock",), names("install update")),
    "helm": (("Chart.lock", "requirements.lock"), names("dependency dependencies")),
    "helmfile": (("helmfile.lock",), names("deps")),
    "rye": (("requirements.lock", "requirements-dev.lock"), names("add build install lock remove sync version")),
    **dict.fromkeys(("maturin", "wasm-pack"), (("Cargo.lock",), names("build develop sdist publish test pack"))),
    **dict.fromkeys(("trunk", "dx", "tauri", "anchor"), (("Cargo.lock",), names("build serve dev test bundle check"))),
    **dict.fromkeys(("terraform", "tofu"), ((".terraform.lock.hcl",), names("init get providers"))),
    "gem": (("Gemfile.lock",), names("-g --file")),
    "appraisal": (("Gemfile.lock",), names("install update")),
    "buf": (("buf.lock",), names("dep mod config")),
    "conan": (("conan.lock",), names("lock install create graph export-pkg test")),
    "dvc": (("dvc.lock",), names("repro exp e experiments commit run stage")),
    "mise": (("mise.lock",), names("install i use u lock upgrade up exec x")),
    "paket": (
        ("paket.lock",),
        names("install update add remove simplify convert-from-nuget init restore generate-load-scripts"),
    ),
    "dune": (("dune.lock",), names("pkg")),
    "spack": (("spack.lock",), names("concretize install add remove develop change env")),
    "scarb": (("Scarb.lock",), names("add remove build fetch test update check run lint metadata package publish")),
    "forge": (("foundry.lock", "soldeer.lock"), names("install update remove soldeer build test")),
    "soldeer": (("soldeer.lock",), names("install update uninstall")),
    **dict.fromkeys(("sui", "aptos", "move"), (_OF_MOVE, names("move build test publish update-lock"))),
    "wally": (("wally.lock",), names("install update")),
    "pesde": (("pesde.lock",), names("install add remove update")),
    "berks": (("Berksfile.lock",), names("install update vendor upload apply")),
    **dict.fromkeys(("librarian-puppet", "r10k"), (("Puppetfile.lock",), names("install update puppetfile"))),
    "librarian-chef": (("Cheffile.lock",), names("install update")),
    **dict.fromkeys(("lx", "lux"), (("lux.lock",), names("add remove update lock sync build test install"))),
    "spago": (("spago.lock",), names("install uninstall build test run upgrade bundle")),
    "nimble": (("nimble.lock",), names("lock install sync develop upgrade build test")),
    "devenv": (("devenv.lock",), names("update shell up test build")),
    **dict.fromkeys(("nixos-rebuild", "darwin-rebuild", "home-manager"), (_FLAKE, names("build switch test boot"))),
    **dict.fromkeys(("nh", "nom", "colmena", "deploy", "flake-edit"), (_FLAKE, _ANY)),
    **dict.fromkeys(("ni", "nun", "nup", "nci", "na", "nypm", "pod-install"), ((*_OF_NODE, "Podfile.lock"), _ANY)),
    **dict.fromkeys(("yarn-deduplicate", "yarn-audit-fix", "synp"), (("yarn.lock",), _ANY)),
    **dict.fromkeys(("expo", "react-native"), ((*_OF_NODE, "Podfile.lock"), names("install prebuild run-ios upgrade"))),
    "lerna": (_OF_NODE, names("bootstrap add version publish")),
    "melos": (("pubspec.lock",), names("bootstrap bs")),
    **dict.fromkeys(
        ("ng", "astro", "nuxi", "storybook", "sb", "shadcn", "vue", "ember", "sv", "svelte-add", "gatsby", "nx"),
        (_OF_NODE, names("add update upgrade install init migrate module")),
    ),
}
"""Tools, their lock files, and the actions or options that change these."""
_LEAVING: Final[Mapping[str, tuple[tuple[str, ...], frozenset[str]]]] = {
    **dict.fromkeys(
        ("cargo", "cross"),
        (
            ("Cargo.lock",),
            names(
                "fmt search login logout owner yank new init help version uninstall config info locate-project"
                " read-manifest verify-project binstall install-update sort generate cache sweep machete clean report"
            ),
        ),
    ),
    "bundle": (("Gemfile.lock",), names("config doctor env gem help info init issue licenses platform version")),
    "deno": (("deno.lock",), names("fmt lint help types upgrade completions lsp init jupyter login logout")),
    "dart": (("pubspec.lock",), names("format fix analyze create devtools doc info help language-server")),
    "flutter": (
        ("pubspec.lock", "Podfile.lock"),
        names("doctor devices config format emulators logs screenshot channel precache clean help symbolize"),
    ),
    "nix": (
        _FLAKE,
        names("hash store key config daemon nar help upgrade-nix show-config help-stores registry channel doctor"),
    ),
    "pixi": (
        ("pixi.lock",),
        names("search info config self-update global completion auth upload clean help exec x task init"),
    ),
    "devbox": (("devbox.lock",), names("version help list search info cache auth completion log")),
    "shards": (("shard.lock",), names("help version list check init prune outdated")),
    "rebar3": (("rebar.lock",), names("help new version fmt clean plugins local lint hex")),
    "stack": (
        ("stack.yaml.lock",),
        names("new clean purge upgrade update list templates unpack help config uninstall hoogle"),
    ),
    **dict.fromkeys(
        ("bazel", "bazelisk", "ibazel"),
        (("MODULE.bazel.lock",), names("clean dump help version shutdown license canonicalize-flags config")),
    ),
    "swift": (("Package.resolved",), names("--version repl help format sdk")),
}
"""Tools, their lock files, and the actions that leave these as they are."""
_ALONE: Final = names("bundle shards")
"""Tools of `_LEAVING` that install without an action."""
_ABBREVIATED: Final = names("composer pdm poetry spack")
"""Tools that accept every beginning of an action's name."""
_LEAST: Final = 3
"""How many letters the beginning of an action of another tool has at least."""
_LISTS: Final = names("do as")
"""Actions behind which a list of actions stands: `mix do deps.get, test`."""
_RUN_OTHERS: Final = names("bundle deno pixi dart flutter mise devbox stack")
"""Tools that pass the options behind the word after the action on to another program."""
_UNCHANGED: Final = names(
    "--locked --frozen --frozen=true --no-sync --no-project --no-lock --no-write-lock-file --no-update-lock-file"
    " --enforce-lockfile --deployment"
)
"""Options with which a tool fails instead, or leaves the lock file as it is."""
_NO_VALUE: Final = names("-q -v -vv --quiet --verbose --offline --silent -L -A --debug -D -s --release")
_TWO_VALUES: Final = names("--option --arg --argstr --override-input")
_SHOWS: Final = names("--version -V --help -h -v")
_UPDATES_FIRST: Final = names("-u --dependency-update")
"""Options of helm with which it updates the dependencies of a chart first."""
_SCRIPT: Final = "--script"
"""An option of uv with which the lock file is beside a script."""
_MAX_PLACES: Final = 8
"""How many words are taken for the folder of a project."""


def touch_made(readings: Sequence[Sequence[Field]], usage: CommandUsage) -> None:
    """Add the lock files that a command may change to the words of its usage. `readings` are the command as it is
    written, and then other commands that it may run or stand for."""
    written, *others = readings
    tools = (words for words in others if words and words[0].text != written[0].text)  # these lack options
    found = [path for words in (written, *tools) for path in _made(words[0].text, words[1:])]
    usage.words += map(Field, dict.fromkeys(found))


def _made(name: str, args: Sequence[Field]) -> Iterator[str]:
    """Yield the paths of the lock files that a tool may change, relative to the working directory."""
    files, listed = _WRITING.get(name) or _LEAVING.get(name) or ((), frozenset())
    if not files:
        return
    texts = [each.text for each in args]
    actions = list(_actions(texts))
    changes = _is_listed(name, actions, texts, listed) if name in _WRITING else _is_other(name, actions, texts, listed)
    if not changes or not _UNCHANGED.isdisjoint(_own(name, texts)):
        return
    if name == "uv" and _SCRIPT in texts:
        yield from (f"{each}.lock" for each in texts if each[:1] != "-")
    for folder in (*folders_above(), *_places(args)):
        yield from (f"{folder}{each}" for each in files)


def _actions(texts: Sequence[str]) -> Iterator[str]:
    """Yield the words that may be the action: behind options, the first word may be a value."""
    values = 0
    for index, text in enumerate(texts):
        if text[:1] in {"-", "+"}:
            plain = text[:1] == "+" or "=" in text or text in _NO_VALUE
            values = 2 if text in _TWO_VALUES else int(not plain)
            continue
        yield text
        if text in _LISTS:
            yield from (word.rstrip(",;") for each in texts[index + 1 :] for word in each.split(","))
        if not values:
            return
        values -= 1


def _is_listed(name: str, actions: Sequence[str], texts: Sequence[str], listed: frozenset[str]) -> bool:
    if listed is _ANY or not listed.isdisjoint(actions):
        return True
    if name == "helm" and not _UPDATES_FIRST.isdisjoint(texts):
        return True
    least = 1 if name in _ABBREVIATED else _LEAST
    begun = any(full.startswith(each) for each in actions if len(each) >= least for full in listed)
    return begun or any(each in listed for each in texts if each[:1] == "-")


def _is_other(name: str, actions: Sequence[str], texts: Sequence[str], listed: frozenset[str]) -> bool:
    if not actions:
        return name in _ALONE and _SHOWS.isdisjoint(texts)
    return not listed.issuperset(actions)


def _own(name: str, texts: Sequence[str]) -> Sequence[str]:
    """Return the words that belong to the tool itself and not to a program that it runs."""
    own = texts[: texts.index("--")] if "--" in texts else texts
    plain = [index for index, each in enumerate(own) if each[:1] != "-"]
    return own[: plain[1]] if name in _RUN_OTHERS and len(plain) > 1 else own


def _places(args: Sequence[Field]) -> Iterator[str]:
    """Yield the folders, with a slash, that words of a command may name: `helm dep up a`, `nix build ./a#x`."""
    named = [each.text for each in projects_of(args) if each.known]
    named += [
        each.text.rpartition("=")[2].partition("#")[0].removeprefix("./")
        for each in args
        if each.known and each.text[:1] != "-"
    ]
    for each in dict.fromkeys(named[:_MAX_PLACES]):
        folder, slash, _ = each.rpartition("/")
        yield from (f"{each.rstrip('/')}/",) if each else ()
        yield from (f"{folder}/",) if slash and folder else ()
