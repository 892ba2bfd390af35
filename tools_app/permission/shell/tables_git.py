"""Argument tables for git's read-only subcommands, and lists of others. Source: manual pages of git 2.39-2.47.

Options that run a program (`--ext-diff`, `--textconv`, `-O` of grep) or write a file (`--output`) are marked.
"""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.shell.names import names
from tools_app.permission.shell.options import ArgumentSpec, spec

GLOBAL: Final = spec(
    "pPv",
    "-C/ --git-dir/ --work-tree/ --namespace: -c! --config-env! --exec-path! --super-prefix! --no-pager --paginate"
    " --no-replace-objects --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs"
    " --no-optional-locks --no-lazy-fetch --no-advice --version --help --html-path --man-path --info-path",
    stops=True,
)

_DIFF: Final = (
    " -U: -M -C -S: -G: -O< -l: --unified --stat --numstat --shortstat --dirstat --summary --name-only --name-status"
    " --no-ext-diff --no-textconv --ext-diff! --textconv! --output> --color --no-color --color-words --word-diff"
    " --word-diff-regex: --color-moved --check --patch --no-patch --raw --patch-with-stat --compact-summary --minimal"
    " --patience --histogram --diff-algorithm: --ignore-all-space --ignore-space-change --ignore-space-at-eol"
    " --ignore-blank-lines --ignore-cr-at-eol --find-renames --find-copies --no-renames --diff-filter: --relative"
    " --no-relative --no-prefix --src-prefix: --dst-prefix: --exit-code --quiet --full-index --binary --abbrev"
    " --no-abbrev --pickaxe-regex --pickaxe-all --inter-hunk-context: --function-context --text --submodule"
    " --ignore-submodules --cc --combined-all-paths --no-indent-heuristic --indent-heuristic --line-prefix:"
    " --ws-error-highlight: --default-prefix --reverse --follow"
)
_LOG: Final = (
    " -n: -L: --oneline --graph --decorate --no-decorate --decorate-refs: --all --branches --tags --remotes --merges"
    " --no-merges --first-parent --pretty --format --date --since: --until: --after: --before: --author: --committer:"
    " --grep: --invert-grep --all-match --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp"
    " --max-count: --skip: --reverse --topo-order --date-order --author-date-order --show-signature --abbrev-commit"
    " --no-abbrev-commit --parents --children --left-right --cherry-pick --cherry --cherry-mark --boundary"
    " --walk-reflogs"
    " --simplify-merges --full-history --ancestry-path --source --use-mailmap --no-mailmap --notes --no-notes --count"
    " --relative-date --left-only --right-only --min-parents: --max-parents: --full-diff --log-size --encoding: -m"
    " --no-walk"
    " --expand-tabs --simplify-by-decoration --dense --sparse --remove-empty --glob: --exclude: --not --stdin!"
)

READING: Final[Mapping[str, ArgumentSpec]] = {
    "status": spec(
        "suvzb",
        "--short --branch --show-stash --porcelain --long --verbose --untracked-files --ignore-submodules --ignored"
        " --column --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames --null",
        "n",
    ),
    "diff": spec("puzwbaRWsBDX", "-r^ --cached --staged --merge-base --no-index" + _DIFF, "r", numeric=True),
    "log": spec("puzwbaRWsgiEFPcBDX", _LOG + _DIFF, "r", numeric=True),
    "show": spec("puzwbaRWsgiEFPcBDX", _LOG + _DIFF, "r", numeric=True),
    "shortlog": spec("nsewc", "--numbered --summary --email --group: --format: --committer --all" + _LOG, "r"),
    "whatchanged": spec("puzwbaRs", _LOG + _DIFF, "r", numeric=True),
    "blame": spec(
        "bcflnpstweMC",
        "-L: --line-porcelain --porcelain --incremental --show-stats --root --date: --abbrev: --color-lines"
        " --color-by-age --since: --ignore-rev: --ignore-revs-file< --show-name --show-number --show-email --reverse"
        " -S< --contents< --first-parent",
        "r",
    ),
    "rev-parse": spec(
        "q",
        "--abbrev-ref --short --verify --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir"
        " --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --all --branches"
        " --tags --remotes --symbolic --symbolic-full-name --quiet --show-superproject-working-tree --git-common-dir"
        " --show-object-format --git-path:",
        "t",
    ),
    "ls-files": spec(
        "cdmoisuktzvfe",
        "-x: -X< --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude:"
        " --exclude-from< --exclude-standard --error-unmatch --full-name --recurse-submodules --abbrev --debug --eol"
        " --deduplicate --directory --no-empty-directory --format: --with-tree:",
        "n",
    ),
    "ls-tree": spec(
        "drtlz", "--name-only --name-status --object-only --full-name --full-tree --abbrev --format: --long", "t"
    ),
    "describe": spec(
        "",
        "--all --tags --contains --abbrev --candidates: --exact-match --debug --long --match: --exclude: --always"
        " --first-parent --dirty --broken",
        "t",
    ),
    "rev-list": spec("q", _LOG + " --objects --disk-usage --use-bitmap-index --header --timestamp", "r", numeric=True),
    "name-rev": spec("", "--tags --refs: --all --name-only --no-undefined --always", "t"),
    "merge-base": spec("a", "--all --octopus --independent --is-ancestor --fork-point", "t"),
    "cat-file": spec("pteZ", "--allow-unknown-type -s", "r"),
    "for-each-ref": spec(
        "", "--count: --sort: --format: --points-at: --merged --no-merged --contains --no-contains --ignore-case", "t"
    ),
    "show-ref": spec("dqs", "--head --tags --heads --branches --hash --verify --abbrev --quiet --dereference", "t"),
    "count-objects": spec("vH", "--verbose --human-readable", "t"),
    "check-ignore": spec("qvnz", "--quiet --verbose --non-matching --no-index --stdin!", "n"),
    "check-attr": spec("az", "--all --cached --stdin!", "t"),
    "cherry": spec("v", "--abbrev", "t"),
    "range-diff": spec("", "--creation-factor: --no-dual-color" + _DIFF, "t"),
    "diff-tree": spec("prtmcsvz", "--root --no-commit-id --always" + _DIFF, "t"),
    "diff-index": spec("pmz", "--cached" + _DIFF, "t"),
    "diff-files": spec("pz", _DIFF, "r"),
    "version": spec("", "--build-options"),
    "var": spec("l"),
    "grep": spec(
        "aiIwvhHEGPFnlLOzcpWqr",
        "-e: -f< -m: -A: -B: -C: -O! --open-files-in-pager! --cached --untracked --no-index --no-exclude-standard"
        " --recurse-submodules --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp"
        " --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only"
        " --files-without-match --null --only-matching -o --count --color --no-color --break --heading --show-function"
        " --context: --after-context: --before-context: --function-context --max-depth: --max-count: --threads: --and"
        " --or --not --all-match --quiet",
        "tr",
        drops="-e -f",
        numeric=True,
    ),
}

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
