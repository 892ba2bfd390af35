# Puts the submodules of a repository in place, as the tool user: MODULES has the name, path and address of each, one in
# a line. With LFS, their files in Git LFS come along, up to LFS_BYTES in all. Prints lines of words with tabs in between:
# `done PATH` or `failed PATH REASON` for each, and `lfs PATH done|off|large|failed REASON` for those with files in LFS.

export GIT_TERMINAL_PROMPT=0 LC_ALL=C GIT_LFS_SKIP_SMUDGE=1
AWAY="failed to connect|couldn't connect|empty reply|reset by peer|recv failure|send failure|transfer closed|hung up|EOF" # the door comes back
said=/tmp/submodule.$$

again() { # runs a command, and once more while the door is away
    tries=0
    until "$@" > $said 2>&1 < /dev/null; do
        tries=$((tries + 1))
        if [ $tries -ge 6 ] || ! grep -Eqi "$AWAY" $said; then return 1; fi
        sleep $tries
    done
}

get_files() { # gets the files in LFS of the submodule in a folder
    git -C "$1" grep -q filter=lfs HEAD -- .gitattributes '*/.gitattributes' 2> /dev/null || return
    sizes=$(cd "$1" && git ls-files -z ':(attr:filter=lfs)' | xargs -0r grep -ashm1 -E '^size [0-9]{1,15}$' --)
    bytes=$(printf '%s\n' "$sizes" | awk '{ sum += $2 } END { printf "%.0f", sum }')
    [ "$bytes" -gt 0 ] || return
    state=done reason=
    if [ -z "$LFS" ]; then
        state=off
    elif [ "$bytes" -gt "$LFS_BYTES" ]; then
        state=large
    elif ! again git -C "$1" lfs pull; then
        state=failed reason=$(grep -Eiv '^(Downloading|Fetching|$)|failed to fetch' $said | tail -n 1 | cut -c1-300)
    else
        LFS_BYTES=$((LFS_BYTES - bytes))
        folder=$(git -C "$1" rev-parse --absolute-git-dir) && rm -rf "$folder/lfs/tmp" "$folder/lfs/incomplete"
    fi
    case $state in off | large) git -C "$1" config lfs.fetchexclude '*' ;; esac
    printf 'lfs\t%s\t%s\t%s\n' "$1" $state "$reason"
}

while IFS=$'\t' read -r name path url; do
    [ "$url" = "${url#door:}" ] || url=$HTTP_PROXY/git/${url#door:}.git
    git config "submodule.$name.url" "$url" && git config "submodule.$name.active" true
    if again git -c core.hooksPath=/dev/null -c gc.auto=0 -c protocol.file.allow=never -c protocol.ext.allow=never \
        submodule --quiet update --init --recursive -- "$path"; then
        printf 'done\t%s\n' "$path"
        while IFS= read -r place; do
            get_files "${place#"$PWD"/}"
        done < <(
            printf '%s\n' "$path"
            git -C "$path" submodule --quiet foreach --recursive pwd 2> /dev/null
        )
    else
        reason=$(grep -E '^(remote|fatal|error):' $said | grep -v 'clone of .* failed' | head -n 1)
        printf 'failed\t%s\t%s\n' "$path" "${reason:0:300}"
    fi
done <<< "$MODULES"
rm -f $said
