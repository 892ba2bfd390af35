# Functions of the set-up scripts. Sourcing this file changes to the repository's root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf 'agentsite: %s\n' "$*" >&2; }
fail() { printf 'agentsite: %s\n' "$*" >&2; exit 1; }

# done_already STAMP WORD...: succeed if mark_done was last called with the same arguments.
done_already() { [ "$(cat "$1" 2>/dev/null)" = "${*:2}" ]; }
mark_done() { mkdir -p "$(dirname "$1")"; printf '%s' "${*:2}" >"$1"; }

# hash_files FILE...: print one hash over names and contents.
hash_files() { sha256sum "$@" | sha256sum | cut -c1-32; }

# quietly COMMAND...: run a command; print its output only if it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  [ "$status" = 0 ] || tail -n 40 "$log" >&2
  rm -f "$log"
  return "$status"
}

# need_packages PACKAGE...: install Debian packages. Without root or apt-get, name them and exit.
need_packages() {
  [ $# -gt 0 ] || return 0
  command -v apt-get >/dev/null || fail "missing packages: $*. Install them with the package manager of this machine and run again."
  [ "$(id -u)" = 0 ] || fail "missing packages: $*. Run 'sudo apt-get install $*' and start again."
  say "installing Debian packages: $*"
  quietly apt-get update -qq || say "apt-get update failed; trying with the existing package lists"
  DEBIAN_FRONTEND=noninteractive quietly apt-get install -y -qq --no-install-recommends "$@" ||
    fail "apt-get could not install: $*. The reason is above."
}
