"""options_before(): the options in front of the word that names the action of a program, as in `poetry -q run x`.

Each program that runs other programs has a table of such options, because they stand between its name and the program
that it runs. If the table does not list an option, it is not known which word is the action.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.options import ParsedArguments, parse_arguments
from tools_app.permission.shell.specs import ArgumentSpec, spec
from tools_app.permission.shell.tables_projects import PROJECT
from tools_app.permission.shell.words import Field

_ALWAYS: Final = " --version --help -h -V"
_LISTED: Final[Mapping[str, str]] = {
    "uv": "-q --quiet -v --verbose --color: --directory/ --project/ --offline --no-config --config-file! --no-progress"
    " -n --no-cache --cache-dir] --python-preference: --no-python-downloads --native-tls --allow-insecure-host!"
    " --managed-python --no-managed-python --preview",
    "pipenv": "--where --venv --py --envs --rm --bare --man --support --site-packages --no-site-packages --python!"
    " --clear -q --quiet -v --verbose --pypi-mirror!",
    "pdm": "-q --quiet -v --verbose -p/ --project/ -c! --config! -I --ignore-python --no-cache -n --non-interactive",
    "hatch": "-e: --env: -p/ --project/ -v --verbose -q --quiet --color --no-color --interactive --no-interactive"
    " --data-dir> --cache-dir> --config!",
    "rye": "-q --quiet -v --verbose",
    "pixi": "-q --quiet -v --verbose --color: --no-progress",
    "mise": "-q --quiet -v --verbose -y --yes -C/ --cd/ -E: --env: --raw --silent --no-config --trace -j: --jobs:",
    "asdf": "", "pyenv": "", "rbenv": "", "volta": "--quiet --verbose", "rustup": "-q --quiet -v --verbose",
    "bundle": "--no-color --retry: -r: --verbose --gemfile! --quiet",
    **dict.fromkeys(
        ("docker", "podman", "nerdctl"),
        "-c: --context: --connection: -H: --host: --url: --config/ -l: --log-level: -D --debug --tls --tlsverify"
        " --tlscacert< --tlscert< --tlskey< -v -r --remote -n: --namespace: --identity: --noout",
    ),
    "go": "-C/",
    "deno": "-q --quiet -L: --log-level: -A",
    "conda": "-q -v --verbose --no-plugins", "mamba": "-q -v --verbose", "micromamba": "-q -v",
    "corepack": "",
}  # fmt: skip
_OF_PROJECT: Final = names("npm pnpm yarn bun poetry cargo dotnet composer mvn gradle tox")
"""Programs whose table of all options contains those in front of the action."""
_MORE: Final[Mapping[str, str]] = {
    "yarn": " --verbose --offline --non-interactive --ignore-scripts --no-progress --frozen-lockfile --prefer-offline"
    " --emoji --mutex: --production --prod -v --immutable",
    "pnpm": " -w --workspace-root --silent -s --loglevel: --color --no-color --if-present --parallel --stream"
    " --no-bail --aggregate-output --use-stderr --offline --prefer-offline --include-workspace-root"
    " --fail-if-no-match --yes -y -c! --shell-mode! -v",
    "npm": " --no-color --no-fund --no-audit --prefer-offline --no-progress --progress --fund --audit -y --access:"
    " --tag: --no-update-notifier --prefer-online --no-save --legacy-peer-deps --force -f",
    "bun": " --silent --bun -b --if-present --no-install -v --verbose --revision --elide-lines:",
    "cargo": " --quiet --verbose -vv --list --explain:",
    "poetry": " --ansi --no-interaction --no-cache",
}
_FOLDERS: Final = names("-C --cwd --directory --dir --prefix --cd --working-dir")
"""Options whose value is the folder in which the action is done."""
_FORWARDS: Final = names("run exec dlx x node workspaces workspace foreach recursive multi run-script")
"""Actions of `yarn`, `pnpm` and `bun` behind which a command or a script stands."""
_RUN_ANY: Final = names("exec dlx x")
"""Actions behind which any program stands, even if it is called like an action: `exec rm`."""
_OWN: Final = names(
    "add remove rm un uninstall install i ci up update upgrade why list ls la ll info view show outdated link unlink"
    " init create cache config set import audit licenses pack version versions publish login logout owner tag team"
    " unpublish dedupe prune rebuild rb store server env setup fetch deploy patch patch-commit patch-remove help bin"
    " root global global-add plugin constraints explain rebase stage search check check-files generate-lock-entry"
    " autoclean policies test t build start stop restart self-update approve-builds ignored-builds pm repl completions"
    " install-test it access whoami docs repo bugs doctor completion ping node-modules npm autorun"
)
"""Actions of these package managers themselves, and scripts that every project has."""
_MAX_COMMANDS: Final = 8


def options_before(name: str, args: Sequence[Field]) -> ParsedArguments:
    """Return the options of a program in front of its action. `rest` begins with the action.

    If an option is in no table, a doubt (reason why the analysis may be incomplete) is added, because the next word may
    be the option's value instead of the action.
    """
    if not args or args[0].text[:1] not in {"-", "+"}:
        return ParsedArguments(rest=list(args))
    table = _table(name)
    if table is None:
        return ParsedArguments(rest=list(args))
    toolchain = 1 if args[0].text[:1] == "+" else 0
    found = parse_arguments(name, args[toolchain:], table)
    if any(not option.startswith("--no-") and option not in table.options for option, _ in found.options):
        found.doubts.append(f"it is not known which action of `{name}` this is")
    return found


def folders_before(found: ParsedArguments) -> list[Field]:
    """Return the values of options that change the working directory and stand before the action."""
    return found.values_of(*_FOLDERS)


@lru_cache(maxsize=64)
def _table(name: str) -> ArgumentSpec | None:
    if name in _LISTED:
        return spec("", _LISTED[name] + _ALWAYS, stops=True)
    if name not in _OF_PROJECT:
        return None
    more = spec("", _MORE.get(name, "") + _ALWAYS)
    return replace(PROJECT[name], options={**PROJECT[name].options, **more.options}, stops=True)


def forwarded_commands(words: Sequence[Field]) -> Iterator[list[Field]]:
    """Yield the commands that `yarn`, `pnpm` or `bun` may run: a tool of a package or, if the project has no script of
    this name, any program. `words` are the action and all words behind it."""
    rest, found, any_program = list(words), 0, False
    while rest and found < _MAX_COMMANDS:
        while rest and rest[0].text.startswith("-"):
            if rest[1:] and rest[1].text[:1] not in {"", "-"} and rest[0].text != "--":  # it may be the option's value
                yield rest[1:]
                found += 1
            rest.pop(0)
        if not rest or (not any_program and rest[0].text in _OWN and rest[0].text not in _FORWARDS):
            return
        if rest[0].text == "m":  # of all packages for pnpm, a script for the others
            yield rest
            found += 1
            rest = rest[1:]
            continue
        if rest[0].text in _FORWARDS and rest[0].text != "node":
            any_program = any_program or rest[0].text in _RUN_ANY
            rest = rest[2:] if rest[0].text == "workspace" else rest[1:]
            continue
        yield rest
        return
