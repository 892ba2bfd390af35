"""Argument tables for git's read-only subcommands, and lists of other subcommands.

Source: manual pages of git 2.39-2.47. Options that run a program (`--ext-diff`, `--textconv`, `-O` of grep) or write a
file (`--output`) are marked.
"""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.specs import ArgumentSpec, spec
from tools_app.permission.shell.specs_of_image import of_image

GLOBAL_JUDGED: Final = spec(
    "pPv",
    "-C/ --git-dir/ --work-tree/ --namespace: -c! --config-env! --exec-path! --super-prefix! --no-pager --paginate"
    " --no-replace-objects --bare! --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs"
    " --no-optional-locks --no-lazy-fetch --no-advice --version --help --html-path --man-path --info-path",
    stops=True,
)

DIFF_OPTIONS: Final = (
    " -U? -M? -C? -B? -X? -S: -G: -I: -O< -l: -a -b -D -p -R -s -u -w -W -z --unified? --stat? --stat-width:"
    " --stat-name-width: --stat-graph-width: --stat-count: --numstat --shortstat --dirstat? --dirstat-by-file?"
    " --cumulative --summary --name-only --name-status --no-ext-diff --no-textconv --ext-diff! --textconv! --output>"
    " --color? --no-color --color-words? --word-diff? --word-diff-regex: --color-moved? --color-moved-ws: --check"
    " --patch --no-patch --raw --patch-with-raw --patch-with-stat --compact-summary --minimal --patience --histogram"
    " --diff-algorithm: --anchored: --ignore-all-space --ignore-space-change --ignore-space-at-eol"
    " --ignore-blank-lines --ignore-cr-at-eol --ignore-matching-lines: --find-renames? --find-copies?"
    " --find-copies-harder --break-rewrites? --irreversible-delete --rename-empty --no-renames --diff-filter:"
    " --relative? --no-relative --no-prefix --src-prefix: --dst-prefix: --exit-code --quiet --full-index --binary"
    " --abbrev? --no-abbrev --pickaxe-regex --pickaxe-all --find-object: --inter-hunk-context: --function-context"
    " --text --submodule? --ignore-submodules? --cc --combined-all-paths --no-indent-heuristic --indent-heuristic"
    " --line-prefix: --output-indicator-new: --output-indicator-old: --output-indicator-context:"
    " --ws-error-highlight: --default-prefix --reverse --follow --rotate-to: --skip-to: --ita-invisible-in-index"
    " --ita-visible-in-index"
)
LOG_OPTIONS: Final = (
    " -n: -L: -q -g -i -E -F -P -m -c --oneline --graph --decorate? --no-decorate --decorate-refs:"
    " --decorate-refs-exclude: --clear-decorations --all --branches? --tags? --remotes? --merges --no-merges --merge"
    " --first-parent --pretty? --format? --date: --since: --until: --after: --before: --max-age: --min-age: --author:"
    " --committer: --grep: --invert-grep --all-match --regexp-ignore-case --extended-regexp --fixed-strings"
    " --perl-regexp --max-count: --skip: --reverse --topo-order --date-order --author-date-order --show-signature"
    " --abbrev-commit --no-abbrev-commit --parents --children --left-right --cherry-pick --cherry --cherry-mark"
    " --boundary --walk-reflogs --do-walk --simplify-merges --full-history --ancestry-path? --source --use-mailmap"
    " --mailmap --no-mailmap --notes? --no-notes --count --relative-date --left-only --right-only --min-parents:"
    " --max-parents: --full-diff --log-size --encoding: --no-walk? --expand-tabs? --simplify-by-decoration --dense"
    " --sparse --remove-empty --root --glob: --exclude: --exclude-hidden: --not --stdin! --quiet"
)

JUDGED: Final[Mapping[str, ArgumentSpec]] = {
    "status": spec(
        "svzb",
        "-u? -M? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignore-submodules?"
        " --ignored? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?"
        " --null",
        "n",
    ),
    "diff": spec("cq", "-r^ --cached --staged --merge-base --no-index" + DIFF_OPTIONS, "r", numeric=True),
    "log": spec("", LOG_OPTIONS + DIFF_OPTIONS, "r", numeric=True),
    "show": spec("", LOG_OPTIONS + DIFF_OPTIONS, "r", numeric=True),
    "shortlog": spec("nsec", "-w? --numbered --summary --email --group: --format: --committer --all", "r"),
    "whatchanged": spec("", LOG_OPTIONS + DIFF_OPTIONS, "r", numeric=True),
    "blame": spec(
        "bcflnpstwe",
        "-M? -C? -L: --line-porcelain --porcelain --incremental --show-stats --root --date: --abbrev? --color-lines"
        " --color-by-age --since: --ignore-rev: --ignore-revs-file< --show-name --show-number --show-email --reverse"
        " -S< --contents< --first-parent --progress --score-debug --minimal",
        "r",
    ),
    "rev-parse": spec(
        "q",
        "--abbrev-ref? --short? --verify --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir"
        " --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --all --branches?"
        " --tags? --remotes? --symbolic --symbolic-full-name --quiet --show-superproject-working-tree --git-common-dir"
        " --show-object-format --git-path:",
        "t",
    ),
    "ls-files": spec(
        "cdmoisuktzvfe",
        "-x: -X< --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude:"
        " --exclude-from< --exclude-standard --error-unmatch --full-name --recurse-submodules --abbrev? --debug --eol"
        " --deduplicate --directory --no-empty-directory --empty-directory --format: --with-tree: --resolve-undo"
        " --exclude-per-directory< --sparse",
        "n",
    ),
    "ls-tree": spec(
        "drtlz", "--name-only --name-status --object-only --full-name --full-tree --abbrev? --format: --long", "t"
    ),
    "describe": spec(
        "",
        "--all --tags --contains --abbrev? --candidates: --exact-match --debug --long --match: --exclude: --always"
        " --first-parent --dirty? --broken?",
        "t",
    ),
    "rev-list": spec(
        "q",
        LOG_OPTIONS + DIFF_OPTIONS + " --objects --disk-usage? --use-bitmap-index --header --timestamp",
        "r",
        numeric=True,
    ),
    "name-rev": spec(
        "", "--tags --refs: --exclude: --all --name-only --no-undefined --undefined --always --peel-tag", "t"
    ),
    "merge-base": spec("a", "--all --octopus --independent --is-ancestor --fork-point", "t"),
    "cat-file": spec(
        "pteZsz",
        "--allow-unknown-type --use-mailmap --mailmap --batch?! --batch-check?! --batch-command?! --textconv!"
        " --filters!"
        " --batch-all-objects --buffer --unordered",
        "r",
    ),
    "for-each-ref": spec(
        "sp",
        "--count: --sort: --format: --points-at: --merged: --no-merged: --contains: --no-contains: --ignore-case"
        " --shell --perl --python --tcl --color?",
        "t",
    ),
    "show-ref": spec(
        "dqh",
        "-s? --head --tags --heads --branches --hash? --verify --abbrev? --quiet --dereference --exclude-existing?",
        "t",
    ),
    "count-objects": spec("vH", "--verbose --human-readable", "t"),
    "check-ignore": spec("qvnz", "--quiet --verbose --non-matching --no-index --stdin!", "n"),
    "check-attr": spec("az", "--all --cached --stdin!", "t"),
    "cherry": spec("v", "--verbose --abbrev?", "t"),
    "range-diff": spec(
        "", "--creation-factor: --no-dual-color --dual-color --notes? --left-only --right-only" + DIFF_OPTIONS, "t"
    ),
    "diff-tree": spec("rtmcv", "--root --no-commit-id --always" + DIFF_OPTIONS, "t"),
    "diff-index": spec("m", "--cached" + DIFF_OPTIONS, "t"),
    "diff-files": spec("q", DIFF_OPTIONS, "r"),
    "version": spec("", "--build-options"),
    "var": spec("l"),
    "grep": spec(
        "aiIwvhHEGPFnlLzcpWqr",
        "-e: -f< -m: -A: -B: -C: -O?! --open-files-in-pager?! --textconv! --ext-grep! --exclude-standard --cached"
        " --untracked --no-index --no-exclude-standard"
        " --recurse-submodules --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp"
        " --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only"
        " --files-without-match --null --only-matching -o --count --color? --no-color --break --heading --show-function"
        " --context: --after-context: --before-context: --function-context --max-depth: --max-count: --threads: --and"
        " --or --not --all-match --quiet",
        "tr",
        drops="-e -f",
        numeric=True,
    ),
}

_WITH_DIFF: Final = names("diff range-diff diff-tree diff-index diff-files")
_WITH_LOG: Final = names("log show whatchanged rev-list")


def _of_image(name: str, table: ArgumentSpec) -> ArgumentSpec:
    """Return the option table of a git command, completed with the options that git in the image has for it. Commands
    that show changes or commits share most of their options."""
    shared = (
        ["git diff"] if name in _WITH_DIFF else ["git diff", "git log", "git rev-list"] if name in _WITH_LOG else []
    )
    return of_image(table, *dict.fromkeys([f"git {name}", *shared]))


GLOBAL: Final = of_image(GLOBAL_JUDGED, "git")
READING: Final[Mapping[str, ArgumentSpec]] = {name: _of_image(name, each) for name, each in JUDGED.items()}

LISTING_WORDS: Final[Mapping[str, frozenset[str]]] = {
    "stash": frozenset({"list", "show"}),
    "worktree": frozenset({"list"}),
    "remote": frozenset({"show", "get-url"}),
    "reflog": frozenset({"show", "exists"}),
    "notes": frozenset({"list", "show"}),
    "bisect": frozenset({"log"}),
    "submodule": frozenset({"status", "summary"}),
}
"""First arguments with which these subcommands only read; with others they may change something."""

LINKING: Final = names(
    "checkout switch restore reset stash apply am merge rebase pull clone cherry-pick revert worktree submodule"
    " read-tree checkout-index bisect"
)
"""Subcommands that write files of the repository; these may be symbolic links."""

RUNNING: Final = names(
    "difftool mergetool filter-branch bisect rebase submodule for-each-repo hook instaweb gui citool daemon"
    " upload-pack receive-pack upload-archive shell send-email imap-send credential fast-import web--browse p4 svn"
    " cvsimport remote-ext remote-fd"
)
"""Subcommands that run programs named in their arguments or in files. The analysis is then incomplete."""
