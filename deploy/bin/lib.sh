# Shared by the set-up scripts. Source it; it moves to the repository's root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf 'agentsite: %s\n' "$*" >&2; }
fail() { printf 'agentsite: %s\n' "$*" >&2; exit 1; }

# done_already STAMP WORD...: did this step end well with the same inputs?  mark_done STAMP WORD...: it did now.
done_already() { [ "$(cat "$1" 2>/dev/null)" = "${*:2}" ]; }
mark_done() { mkdir -p "$(dirname "$1")"; printf '%s' "${*:2}" >"$1"; }

# hash_files FILE...: one hash over names and contents.
hash_files() { sha256sum "$@" | sha256sum | cut -c1-32; }

# quietly COMMAND...: its output is shown only when it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  [ "$status" = 0 ] || tail -n 40 "$log" >&2
  rm -f "$log"
  return "$status"
}

# need_packages PACKAGE...: install Debian packages, or name them and stop.
need_packages() {
  [ $# -gt 0 ] || return 0
  command -v apt-get >/dev/null || fail "this machine lacks: $*. Install them with its package manager and run again."
  [ "$(id -u)" = 0 ] || fail "this machine lacks: $*. Run 'sudo apt-get install $*' and start again."
  say "installing Debian packages: $*"
  quietly apt-get update -qq || say "apt-get update failed; trying with what apt knows"
  DEBIAN_FRONTEND=noninteractive quietly apt-get install -y -qq --no-install-recommends "$@" ||
    fail "apt-get could not install: $*. The reason is above."
}
