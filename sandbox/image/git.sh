#!/bin/bash -p
# Runs git. If the hooks that add lines to commit messages and upload files in LFS are not among those of the repository,
# because it sets core.hooksPath or a program has replaced them, git runs those of the image, which run the repository's
# too. What git says about its configuration stays the repository's own, which programs that install hooks read.

root=${0%/bin/git}
IFS=: read -ra folders <<< "$PATH"
for folder in "${folders[@]}"; do
    git=$folder/git
    [[ ! -x $git || $git -ef $0 ]] || break
done

globals=()
while [[ ${1-} == -* ]]; do
    globals+=("$1")
    case $1 in
    -C | -c | --git-dir | --work-tree | --namespace | --super-prefix | --config-env | --attr-source)
        if (($# > 1)); then
            globals+=("$2")
            shift
        fi
        ;;
    esac
    shift
done

case ${1-} in
"" | add | blame | branch | cat-file | check-attr | check-ignore | checkout | clean | clone | config | describe | diff) ;;
fetch | for-each-ref | grep | hash-object | help | init | lfs | log | ls-files | ls-remote | ls-tree | mv | remote) ;;
reset | restore | rev-list | rev-parse | rm | show | stash | status | submodule | switch | tag | version | worktree) ;;
*)
    if [[ -n ${AGENTSITE_TRAILERS-} || $1 == push ]]; then
        own=$("$git" "${globals[@]}" rev-parse --path-format=absolute --git-path hooks 2> /dev/null)
        if [[ -n $own ]] && ! { grep -qs AGENTSITE_TRAILERS "$own/prepare-commit-msg" &&
            grep -qsE 'git.lfs' "$own/pre-push"; }; then
            count=${GIT_CONFIG_COUNT:-0}
            export AGENTSITE_HOOKS=$own GIT_CONFIG_COUNT=$((count + 1))
            export "GIT_CONFIG_KEY_$count=core.hooksPath" "GIT_CONFIG_VALUE_$count=$root/hooks"
        fi
    fi
    ;;
esac
exec "$git" "${globals[@]}" "$@"
