"""Argument tables for git's commands that change something. The tables say which options name a file or a program.

`git_command.py` describes what these commands write. Programs that git's settings name (an editor, a merge tool, gpg)
are not in the tables: the command that changes such a setting is judged instead.
"""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.shell.specs import ArgumentSpec, spec
from tools_app.permission.shell.specs_of_image import of_image
from tools_app.permission.shell.tables_git import DIFF_OPTIONS, LOG_OPTIONS

JUDGED: Final[Mapping[str, ArgumentSpec]] = {
    "add": spec(
        "ANefinpuv",
        "--all --chmod --dry-run --edit --force --ignore-errors --ignore-missing --ignore-removal --intent-to-add"
        " --interactive --patch --pathspec-file-nul --pathspec-from-file< --refresh --renormalize --sparse"
        " --update --verbose --warn-embedded-repo",
        "t",
    ),
    "am": spec(
        "3bcikmqrsu",
        "-C: -S? -p: --3way --abort --allow-empty --binary --committer-date-is-author-date --continue"
        " --directory: --empty: --exclude: --gpg-sign? --ignore-date --ignore-space-change --ignore-whitespace"
        " --include: --interactive --keep --keep-cr --keep-non-patch --message-id --patch-format: --quiet --quit"
        " --quoted-cr: --rebasing --reject --rerere-autoupdate --resolved --resolvemsg --scissors"
        " --show-current-patch? --signoff --skip --utf8 --whitespace:",
        "t",
    ),
    "apply": spec(
        "3NRqvz",
        "-C: -p: --3way --add --allow-binary-replacement --allow-empty --allow-overlap --apply --binary"
        " --build-fake-ancestor> --cached --check --directory: --exclude: --ignore-space-change"
        " --ignore-whitespace --inaccurate-eof --include: --index --intent-to-add --numstat --quiet --recount"
        " --reject --reverse --stat --summary --unidiff-zero --unsafe-paths! --verbose --whitespace:",
        "t",
    ),
    "archive": spec(
        "Nlv",
        "-o> --add-file< --add-virtual-file: --exec:! --format: --list --output> --prefix: --remote:! --verbose"
        " --worktree-attributes",
        "t",
    ),
    "branch": spec(
        "CDMacdfilmqrv",
        "-t? -u: --abbrev? --all --color? --column? --contains: --copy --create-reflog --delete"
        " --edit-description! --force --format: --ignore-case --list --merged: --move --no-abbrev --no-color"
        " --no-column --no-contains: --no-merged: --points-at: --quiet --recurse-submodules --remotes"
        " --set-upstream --set-upstream-to: --show-current --sort: --track? --unset-upstream --verbose --with:"
        " --without:",
        "t",
    ),
    "checkout": spec(
        "23dflmpq",
        "-B: -b: -t? --conflict: --detach --force --guess --ignore-other-worktrees --ignore-skip-worktree-bits"
        " --merge --no-track --orphan: --ours --overlay --overwrite-ignore --patch --pathspec-file-nul"
        " --pathspec-from-file< --progress --quiet --recurse-submodules? --theirs --track?",
        "t",
    ),
    "cherry-pick": spec(
        "enrsx",
        "-S? -X: -m: --abort --allow-empty --allow-empty-message --cleanup: --commit --continue --edit --ff"
        " --gpg-sign? --keep-redundant-commits --mainline: --no-commit --quit --rerere-autoupdate --signoff --skip"
        " --strategy-option: --strategy:",
        "t",
    ),
    "clean": spec(
        "Xdfinqx",
        "-e: --dry-run --exclude: --force --interactive --quiet",
        "t",
    ),
    "clone": spec(
        "46lnqsv",
        "-b: -c:! -j: -o: -u:! --also-filter-submodules --bare --branch: --bundle-uri: --checkout --config:!"
        " --depth: --dissociate --filter: --hardlinks --ipv4 --ipv6 --jobs: --local --mirror --naked --no-checkout"
        " --no-single-branch --no-tags --origin: --progress --quiet --recurse-submodules? --recursive?"
        " --reference-if-able< --reference< --reject-shallow --remote-submodules --separate-git-dir>"
        " --server-option: --shallow-exclude: --shallow-since: --shallow-submodules --shared --single-branch"
        " --sparse --tags --template:! --upload-pack:! --verbose",
        "tw",
    ),
    "commit": spec(
        "aeinopqsvz",
        "-C: -F< -S? -c: -m: -t< -u? --ahead-behind --all --allow-empty --allow-empty-message --amend --author:"
        " --branch --cleanup: --date: --dry-run --edit --file< --fixup: --gpg-sign? --include --interactive --long"
        " --message: --no-edit --no-status --no-verify --null --only --patch --pathspec-file-nul"
        " --pathspec-from-file< --porcelain --post-rewrite --quiet --reedit-message: --reset-author"
        " --reuse-message: --short --signoff --squash: --status --template< --trailer: --untracked-files?"
        " --verbose --verify",
        "t",
    ),
    "fetch": spec(
        "46Pafkmnpqtuv",
        "-j: -o: --all --append --atomic --auto-gc --auto-maintenance --deepen: --depth: --dry-run --filter:"
        " --force --ipv4 --ipv6 --jobs: --keep --multiple --negotiate-only --negotiation-tip: --no-tags --prefetch"
        " --progress --prune --prune-tags --quiet --recurse-submodules-default: --recurse-submodules? --refetch"
        " --refmap: --server-option: --set-upstream --shallow-exclude: --shallow-since: --show-forced-updates"
        " --stdin! --submodule-prefix: --tags --unshallow --update-head-ok --update-shallow --upload-pack:!"
        " --verbose --write-commit-graph --write-fetch-head",
        "t",
    ),
    "format-patch": spec(
        "Nknpqs",
        DIFF_OPTIONS + " -o> -v: --add-header: --attach? --base: --binary --cc: --cover-from-description:"
        " --cover-letter --creation-factor: --filename-max-length: --force-in-body-from --from? --ignore-if-in-upstream"
        " --in-reply-to: --inline? --interdiff: --keep-subject --no-numbered --no-stat --numbered --numbered-files"
        " --output-directory> --output> --progress --quiet --range-diff: --reroll-count: --rfc --signature-file<"
        " --signature: --signoff --start-number: --stdout --subject-prefix: --suffix: --thread? --to:"
        " --zero-commit",
        "t",
    ),
    "fsck": spec(
        "v",
        "--cache --connectivity-only --dangling --full --lost-found --name-objects --progress --reflogs --root"
        " --strict --tags --unreachable --verbose",
        "t",
    ),
    "gc": spec(
        "q",
        "--aggressive --auto --cruft --force --keep-largest-pack --prune? --quiet",
        "t",
    ),
    "init": spec(
        "q",
        "-b: --bare --initial-branch: --object-format: --ref-format: --quiet --separate-git-dir> --shared?"
        " --template:!",
        "w",
    ),
    "ls-remote": spec(
        "hqt",
        "-o: --exec:! --exit-code --get-url --heads --quiet --refs --server-option: --sort: --symref --tags"
        " --upload-pack:!",
        "t",
    ),
    "merge": spec(
        "enqv",
        "-F< -S? -X: -m: -s: --abort --allow-unrelated-histories --autostash --cleanup: --commit --continue"
        " --edit --ff --ff-only --file< --gpg-sign? --into-name: --log? --message: --overwrite-ignore --progress"
        " --quiet --quit --rerere-autoupdate --signoff --squash --stat --strategy-option: --strategy: --summary"
        " --verbose --verify --verify-signatures",
        "t",
    ),
    "mv": spec(
        "fknv",
        "--dry-run --force --sparse --verbose",
        "t",
    ),
    "pull": spec(
        "46afknpqtv",
        "-S? -X: -j? -o: -r? -s: --all --allow-unrelated-histories --append --autostash --cleanup: --commit"
        " --deepen: --depth: --dry-run --edit --ff --ff-only --force --gpg-sign? --ipv4 --ipv6 --jobs? --keep"
        " --log? --negotiation-tip: --no-rebase --progress --prune --quiet --rebase? --recurse-submodules?"
        " --refmap: --server-option: --set-upstream --shallow-exclude: --shallow-since: --show-forced-updates"
        " --signoff? --squash --stat --strategy-option: --strategy: --summary --tags --unshallow --update-shallow"
        " --upload-pack:! --verbose --verify --verify-signatures",
        "t",
    ),
    "push": spec(
        "46dfnquv",
        "-o: --all --atomic --delete --dry-run --exec:! --follow-tags --force --force-if-includes"
        " --force-with-lease? --ipv4 --ipv6 --mirror --porcelain --progress --prune --push-option: --quiet"
        " --receive-pack:! --recurse-submodules --repo: --set-upstream --signed? --tags --thin --verbose --verify",
        "t",
    ),
    "rebase": spec(
        "fikmnpqv",
        "-C: -S? -X: -r? -s: -x:! --abort --allow-empty-message --apply --autosquash --autostash"
        " --committer-date-is-author-date --continue --edit-todo --empty: --exec:! --ff --force-rebase"
        " --fork-point --gpg-sign? --ignore-date --ignore-whitespace --interactive --keep-base --keep-empty"
        " --merge --no-stat --onto: --preserve-merges --quiet --quit --reapply-cherry-picks --rebase-merges?"
        " --rerere-autoupdate --reschedule-failed-exec --reset-author-date --root --show-current-patch --signoff"
        " --skip --stat --strategy-option: --strategy: --update-refs --verbose --verify --whitespace:",
        "t",
    ),
    "reset": spec(
        "Npq",
        "--hard --intent-to-add --keep --merge --mixed --patch --pathspec-file-nul --pathspec-from-file< --quiet"
        " --recurse-submodules? --refresh --soft",
        "t",
    ),
    "restore": spec(
        "23SWmpq",
        "-s: --conflict: --ignore-skip-worktree-bits --ignore-unmerged --merge --ours --overlay --patch"
        " --pathspec-file-nul --pathspec-from-file< --progress --quiet --recurse-submodules? --source: --staged"
        " --theirs --worktree",
        "t",
    ),
    "revert": spec(
        "enrs",
        "-S? -X: -m: --abort --cleanup: --commit --continue --edit --gpg-sign? --mainline: --no-commit --quit"
        " --reference --rerere-autoupdate --signoff --skip --strategy-option: --strategy:",
        "t",
    ),
    "rm": spec(
        "fnq",
        "-r^ --cached --dry-run --force --ignore-unmatch --pathspec-file-nul --pathspec-from-file< --quiet --sparse",
        "t",
    ),
    "switch": spec(
        "dfmq",
        "-C: -c: -t? --conflict: --create: --detach --discard-changes --force --force-create: --guess"
        " --ignore-other-worktrees --merge --orphan: --overwrite-ignore --progress --quiet --recurse-submodules?"
        " --track?",
        "t",
    ),
    "symbolic-ref": spec(
        "dq",
        "-m: --delete --quiet --recurse --short",
        "t",
    ),
    "tag": spec(
        "adefilsv",
        "-F< -m: -n? -u: --annotate --cleanup: --color? --column? --contains: --create-reflog --delete --edit"
        " --file< --force --format: --ignore-case --list --local-user: --merged: --message: --no-contains:"
        " --no-merged: --points-at: --sign --sort: --verify --with: --without:",
        "t",
    ),
    "update-index": spec(
        "gqz",
        "--add --again --assume-unchanged --cacheinfo: --chmod --clear-resolve-undo --force-remove"
        " --force-untracked-cache --force-write-index --fsmonitor --fsmonitor-valid --ignore-missing"
        " --ignore-skip-worktree-entries --ignore-submodules --index-info! --index-version: --info-only"
        " --really-refresh --refresh --remove --replace --skip-worktree --split-index --stdin!"
        " --test-untracked-cache --unmerged --unresolve --untracked-cache --verbose",
        "t",
    ),
    "update-ref": spec(
        "dz",
        "-m: --create-reflog --no-deref --stdin!",
        "t",
    ),
}

_SECOND_WORDS: Final[Mapping[tuple[str, str], ArgumentSpec]] = {
    ("bisect", "log"): spec(),
    ("notes", "list"): spec(),
    ("notes", "show"): spec(),
    ("notes", "add"): spec("f", "-m: -F< -C: -c: --message: --file< --reuse-message: --reedit-message: --allow-empty"),
    ("notes", "append"): spec("", "-m: -F< -C: -c: --message: --file< --allow-empty"),
    ("reflog", "exists"): spec(),
    ("reflog", "show"): spec("", LOG_OPTIONS + DIFF_OPTIONS, numeric=True),
    ("remote", "add"): spec("f", "-t: -m: --tags --no-tags --mirror?"),
    ("remote", "get-url"): spec("", "--push --all"),
    ("remote", "remove"): spec(),
    ("remote", "rename"): spec("", "--progress --no-progress"),
    ("remote", "set-url"): spec("", "--push --add --delete"),
    ("remote", "show"): spec("n"),
    ("remote", "prune"): spec("n", "--dry-run"),
    ("remote", "update"): spec("p", "--prune"),
    ("stash", "apply"): spec("q", "--index --quiet"),
    ("stash", "branch"): spec(),
    ("stash", "clear"): spec(),
    ("stash", "create"): spec(),
    ("stash", "drop"): spec("q", "--quiet"),
    ("stash", "list"): spec("", LOG_OPTIONS + DIFF_OPTIONS, numeric=True),
    ("stash", "pop"): spec("q", "--index --quiet"),
    ("stash", "push"): spec(
        "pkquaS",
        "-m: --message: --patch --keep-index --no-keep-index --quiet --include-untracked --all --staged"
        " --pathspec-from-file< --pathspec-file-nul",
    ),
    ("stash", "save"): spec(
        "pkquaS", "--patch --keep-index --no-keep-index --quiet --include-untracked --all --staged"
    ),
    ("stash", "show"): spec("", DIFF_OPTIONS + " --include-untracked --only-untracked", numeric=True),
    ("submodule", "status"): spec("q", "--cached --recursive --quiet"),
    ("submodule", "summary"): spec("n", "--cached --files --for-status --summary-limit:"),
    ("worktree", "add"): spec(
        "dfq",
        "-b: -B: --detach --force --quiet --checkout --no-checkout --lock --reason: --track --no-track --guess-remote"
        " --orphan",
        "wt",
    ),
    ("worktree", "list"): spec("vz", "--porcelain --verbose --expire:"),
    ("worktree", "prune"): spec("nv", "--dry-run --verbose --expire:"),
    ("worktree", "remove"): spec("f", "--force", "w"),
}

CHANGING: Final[Mapping[str, ArgumentSpec]] = {
    name: of_image(each, f"git {name}", *(["git diff"] if name == "format-patch" else []))
    for name, each in JUDGED.items()
}
SECOND_WORDS: Final[Mapping[tuple[str, str], ArgumentSpec]] = {
    words: of_image(each, "git diff", "git log", "git rev-list") if "-G" in each.options else each
    for words, each in _SECOND_WORDS.items()
}
"""Tables for the arguments after two words, such as `git stash show`."""
