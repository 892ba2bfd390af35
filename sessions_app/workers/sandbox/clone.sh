# Clones the project's repository into an empty workspace, as the tool user. Run again, it begins from the start.
#
# Variables: NAME of the repository, REF to start from ("" for the server's default branch), BRANCH to create,
# PACK_KIB a pack may have before files are left out; PARTIAL to leave them out in any case, DEPTH of a shallow clone,
# FOLDERS that the workspace has, one in a line. Files in LFS come along with LFS, up to LFS_KIB; LFS_URL is where the
# server has them. With KEPT, the objects and refs of an earlier clone are in place, and
# only what is new is fetched. The last lines of the output are facts for the caller, as `clone: key=value`; `clone: failed=` says why, in words of its own.

export GIT_TERMINAL_PROMPT=0 GIT_CONFIG_NOSYSTEM=1 GIT_LFS_SKIP_SMUDGE=1 LC_ALL=C
fact() { printf 'clone: %s=%s\n' "$1" "$2"; }
fail() { [ -z "$KEPT" ] || rm -rf .git; fact failed "$1"; exit 1; }
in_git() { git -c core.hooksPath=/dev/null -c gc.auto=0 -c maintenance.auto=false -c fetch.unpackLimit=1 -c safe.directory='*' "$@"; }

[ -n "${HTTP_PROXY:-}" ] || { sleep 0.5; fact failed door; exit 1; }
find . -mindepth 1 -maxdepth 1 ! -name lost+found ${KEPT:+! -name .git} -exec rm -rf {} + || fail disk
[ -z "$KEPT" ] || find .git -mindepth 1 -maxdepth 1 ! -name objects ! -name packed-refs -exec rm -rf {} + || fail disk
in_git init -q --template= -b "$BRANCH" . || fail disk
in_git remote add origin "$HTTP_PROXY/git/$NAME.git"
in_git config push.default current

mkdir -p .git/hooks
cat > .git/hooks/prepare-commit-msg <<'HOOK'
#!/bin/sh
# Adds the lines that the project's settings want, such as Co-authored-by. git merge ends its message without a newline.
[ -z "$(tail -c 1 "$1")" ] || echo >> "$1"
[ -z "$AGENTSITE_TRAILERS" ] || printf '%s\n' "$AGENTSITE_TRAILERS" | while IFS= read -r line; do
    git interpret-trailers --in-place --if-exists addIfDifferent --trailer "$line" "$1"
done
HOOK
cat > .git/hooks/pre-push <<'HOOK'
#!/bin/sh
# Uploads files in Git LFS before the commits that have them.
[ ! -d "$(git rev-parse --git-common-dir)/lfs" ] || ! command -v git-lfs > /dev/null || exec git lfs pre-push "$@"
HOOK
chmod +x .git/hooks/prepare-commit-msg .git/hooks/pre-push

AWAY="empty reply|connect|reset by peer|recv failure|send failure|transfer closed" # the door ended, and comes back
tries=0
until refs=$(in_git ls-remote --symref origin 2>/tmp/clone.$$); do
    cat /tmp/clone.$$
    tries=$((tries + 1))
    if [ $tries -ge 6 ] || ! grep -Eqi "fatal: unable to access.*($AWAY)|hung up" /tmp/clone.$$; then fail server; fi
    sleep $tries
done
head=$(printf '%s\n' "$refs" | sed -n 's|^ref: refs/heads/\(.*\)\tHEAD$|\1|p')
if [ -z "$refs" ] || ! printf '%s\n' "$refs" | grep -q "$(printf '\t')refs/"; then
    [ -z "$REF" ] || [ "$REF" = "$head" ] || [ -n "$REF_IS_DEFAULT" ] || fail ref
    fact empty yes
    exit 0
fi
has() { printf '%s\n' "$refs" | cut -f2 | grep -qxF "$1"; }
target=${REF:-$head}
if [ -z "$target" ]; then
    fail ref
elif has "refs/heads/$target"; then
    start="refs/remotes/origin/$target" base=$target
elif has "refs/tags/$target"; then
    start="refs/tags/$target" base=
elif printf '%s' "$target" | grep -Eqx '[0-9a-f]{40}|[0-9a-f]{64}'; then
    start=$target base=
else
    fail ref
fi

fetch() { # fetch MODE OPTION...
    mode=$1
    shift
    (
        [ "$mode" != whole ] || ulimit -f "$PACK_KIB"
        if [ -n "$DEPTH" ]; then
            in_git fetch --progress --depth="$DEPTH" --no-tags "$@" origin "$shallow"
        elif [ "$start" = "$target" ]; then
            in_git fetch --progress $KEPT "$@" origin "+refs/heads/*:refs/remotes/origin/*" "$target"
        else
            in_git fetch --progress $KEPT "$@" origin "+refs/heads/*:refs/remotes/origin/*" "+refs/tags/*:refs/tags/*"
        fi
    ) 2>&1 | tee /tmp/clone.$$
    [ "${PIPESTATUS[0]}" = 0 ]
}
shallow=$target
if [ -n "$DEPTH" ]; then
    if [ -n "$base" ]; then
        shallow="+refs/heads/$base:refs/remotes/origin/$base"
        in_git config remote.origin.fetch "$shallow"
    elif [ "$start" != "$target" ]; then
        shallow="+$start:$start"
    fi
    fact depth "$DEPTH"
fi
tries=0
mode=whole
[ -z "$PARTIAL" ] || mode=filtered
until
    case $mode in
    whole) fetch whole ;;
    *) fetch filtered --filter=blob:none ;;
    esac
do
    rm -f .git/objects/pack/tmp_* .git/shallow.lock
    if grep -Eqi 'remote error' /tmp/clone.$$; then fail server; fi
    if grep -Eqi 'no space left|disk quota' /tmp/clone.$$ && [ $mode != whole ]; then fail disk; fi
    if ! grep -Eqi 'early EOF|RPC failed|hung up' /tmp/clone.$$ && [ $mode = whole ] &&
        grep -Eqi 'too large|signal 25|no space left|disk quota|index-pack' /tmp/clone.$$; then
        mode=filtered
    fi
    tries=$((tries + 1))
    [ $tries -lt 6 ] || fail server
    sleep $tries
done
rm -f /tmp/clone.$$
fact mode $mode
fact kib "$(du -sk .git/objects/pack | cut -f1)"
[ -z "$KEPT" ] || fact kept yes

if [ -n "$FOLDERS" ]; then
    printf '%s\n' "$FOLDERS" | in_git sparse-checkout set --cone --stdin 2>/tmp/clone.err || {
        cat /tmp/clone.err
        fail checkout
    }
fi
in_git remote set-head origin "$head" >/dev/null 2>&1
if ! in_git checkout -q --force --no-track -B "$BRANCH" "$start" 2>/tmp/clone.err; then
    cat /tmp/clone.err
    grep -Eqi 'no space left|disk quota' /tmp/clone.err && fail disk
    fail checkout
fi
rm -f /tmp/clone.err
if [ -n "$base" ]; then
    in_git config "branch.$BRANCH.remote" origin
    in_git config "branch.$BRANCH.merge" "refs/heads/$base"
fi
fact commit "$(in_git rev-parse HEAD)"
fact base "$target"
fact files "$(in_git ls-files -t | grep -vc '^S')"
fact submodules "$(in_git ls-files -s | grep -c '^160000')"
in_git grep -q 'filter=lfs' HEAD -- '.gitattributes' '*/.gitattributes' 2>/dev/null || exit 0

sizes=$(in_git ls-files -z ':(attr:filter=lfs)' | xargs -0r grep -ashm1 -E '^size [0-9]{1,15}$' --)
bytes=$(printf '%s\n' "$sizes" | awk '{ sum += $2 } END { printf "%.0f", sum }')
fact lfsfiles "$(printf '%s' "$sizes" | grep -c .)"
fact lfsbytes "$bytes"
pointers() { in_git config lfs.fetchexclude '*'; fact lfs "$1"; exit 0; }
[ -n "$LFS" ] || pointers off
command -v git-lfs > /dev/null || pointers missing
[ "$bytes" -le $((LFS_KIB * 1024)) ] || pointers large
door=$HTTP_PROXY/git/$NAME.git/info/lfs
in_git config "lfs.$door.locksverify" true
[ "$(in_git config --file .lfsconfig lfs.url | sed 's|/*$||')" != "$LFS_URL" ] || in_git config lfs.url "$door"
unset GIT_CONFIG_NOSYSTEM
tries=0
until in_git lfs pull origin > /tmp/clone.$$ 2>&1; do
    tries=$((tries + 1))
    if [ $tries -ge 6 ] || ! grep -Eqi "$AWAY|EOF" /tmp/clone.$$; then
        fact lfssaid "$(grep -Eiv '^(Downloading|Fetching|$)|failed to fetch' /tmp/clone.$$ | tail -n 1 | cut -c1-300)"
        rm -f /tmp/clone.$$
        fact lfs failed
        exit 0
    fi
    sleep $tries
done
rm -rf /tmp/clone.$$ .git/lfs/tmp .git/lfs/incomplete # parts of transfers that the door did not end
fact lfs done
