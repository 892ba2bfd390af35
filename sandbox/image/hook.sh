#!/bin/sh
# Each hook of git where `git.sh` names this folder: runs the repository's own, then does what the image adds. Other
# programs that it starts see git's configuration as it was.

name=${0##*/}
folder=${0%/*}
while
    at=$((${GIT_CONFIG_COUNT:-0} - 1))
    [ $at -ge 0 ] && eval "[ \"\$GIT_CONFIG_VALUE_$at\" = \"\$folder\" ]"
do
    unset "GIT_CONFIG_KEY_$at" "GIT_CONFIG_VALUE_$at"
    export GIT_CONFIG_COUNT=$at
done
[ "${GIT_CONFIG_COUNT:-0}" != 0 ] || unset GIT_CONFIG_COUNT
own=$AGENTSITE_HOOKS/$name
[ -x "$own" ] || own=

case $name in
prepare-commit-msg)
    if [ -n "$own" ]; then
        "$own" "$@" || exit
    fi
    [ -z "$(tail -c 1 "$1")" ] || echo >> "$1"
    [ -z "$AGENTSITE_TRAILERS" ] || printf '%s\n' "$AGENTSITE_TRAILERS" | while IFS= read -r line; do
        git interpret-trailers --in-place --if-exists addIfDifferent --trailer "$line" "$1"
    done
    ;;
pre-push)
    refs=$(cat)
    if [ -n "$own" ]; then
        printf '%s\n' "$refs" | "$own" "$@" || exit
    fi
    [ ! -d "$(git rev-parse --git-common-dir)/lfs" ] || ! command -v git-lfs > /dev/null ||
        printf '%s\n' "$refs" | git lfs pre-push "$@"
    ;;
*) [ -z "$own" ] || exec "$own" "$@" ;;
esac
