"""Commands that run other commands, and programs that run code. Sources: their manuals, POSIX, GTFOBins."""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.shell.names import names
from tools_app.permission.shell.options import Form, form

WRAPPERS: Final[Mapping[str, tuple[Form, int]]] = {
    "sudo": (form("ABbEHKkNnPSV", "-u: -g: -h: -p: -C: -D/ -R/ -T: -U: -s! -i! -e! --user: --group:", stops=True), 0),
    "doas": (form("Ln", "-u: -C! -s! -a:", stops=True), 0),
    "nice": (form("", "-n: --adjustment:", stops=True, numeric=True), 0),
    "ionice": (form("t", "-c: -n: --class: --classdata: --ignore", stops=True), 0),
    "nohup": (form("", "", stops=True), 0),
    "timeout": (form("vfp", "-s: -k: --signal: --kill-after: --preserve-status --foreground --verbose", stops=True), 1),
    "time": (form("pvaq", "-f: -o> --format: --output> --append --verbose --portability", stops=True), 0),
    "stdbuf": (form("", "-i: -o: -e: --input: --output: --error:", stops=True), 0),
    "setsid": (form("cfw", "--ctty --fork --wait", stops=True), 0),
    "chrt": (form("bfiorvmRa", "", stops=True), 1),
    "taskset": (form("ac", "--all-tasks --cpu-list", stops=True), 1),
    "exec": (form("cl", "-a:", stops=True), 0),
    "builtin": (form("", "", stops=True), 0),
    "busybox": (form("", "", stops=True), 0),
    "npx": (form("yq", "--yes --no --no-install -p: --package: -c! --call! --quiet --prefer-offline", stops=True), 0),
    "bunx": (form("", "--bun", stops=True), 0),
    "flock": (form("sxnueoF", "-w: -E: -c! --command! --timeout: --nonblock --shared --exclusive", stops=True), 1),
    "toybox": (form("", "", stops=True), 0),
    "fakeroot": (form("", "", stops=True), 0),
    "catchsegv": (form("", "", stops=True), 0),
    "winpty": (form("", "", stops=True), 0),
    "chronic": (form("ev", "", stops=True), 0),
    "unbuffer": (form("p", "", stops=True), 0),
}
"""Name -> its own options, and how many operands come before the inner command."""

ENV: Final = form("i0v", "-u: -C/ --chdir/ --unset: --ignore-environment --null -S! --split-string!", stops=True)
XARGS: Final = form(
    "0rtpxo",
    "-I: -i -n: -P: -L: -l -d: -E: -s: -a! --arg-file! --null --no-run-if-empty --max-args: --max-procs: --replace:"
    " --delimiter: --verbose --interactive --exit --max-lines: --max-chars:",
    stops=True,
)

RUNNERS: Final[Mapping[tuple[str, str], Form]] = {
    ("uv", "run"): form("qv", "--frozen --no-sync --locked --isolated --active -p: --python: --with: --extra: --group:"
                        " --all-extras --no-dev --dev --offline --no-project --env-file!", stops=True),
    ("poetry", "run"): form("qv", "", stops=True),
    ("pipenv", "run"): form("", "", stops=True),
    ("pdm", "run"): form("", "", stops=True),
    ("hatch", "run"): form("", "", stops=True),
    ("rye", "run"): form("", "", stops=True),
    ("bundle", "exec"): form("", "", stops=True),
    ("npm", "exec"): form("y", "--yes --no -p: --package: -c! --call! --offline", stops=True),
    ("npm", "x"): form("y", "--yes --no -p: --package: -c! --call! --offline", stops=True),
    ("pnpm", "exec"): form("rc", "", stops=True),
    ("pnpm", "dlx"): form("", "", stops=True),
    ("yarn", "exec"): form("", "", stops=True),
    ("yarn", "dlx"): form("", "", stops=True),
    ("pyenv", "exec"): form("", "", stops=True),
    ("rbenv", "exec"): form("", "", stops=True),
    ("rustup", "run"): form("", "", stops=True),
    ("mise", "exec"): form("", "", stops=True),
}  # fmt: skip
"""Two words that run the command after them."""

SHELLS: Final = frozenset({"bash", "sh", "dash", "zsh", "ksh", "ash", "rbash", "mksh", "fish", "csh", "tcsh"})
SHELL_FORM: Final = form(
    "eufxvnmabhkptBCEHPT", "-o: +o: -O: +O: -c --norc --noprofile --posix --help --version -i! -l! --login! --rcfile!"
    " --init-file! -s! -r", stops=True,
)  # fmt: skip

INTERPRETERS: Final[Mapping[str, Form]] = {
    "python": form("bBdEhIOPqRsSuvVx3", "-c! -i! -m! -W: -X: --check-hash-based-pycs: --version --help", stops=True),
    "node": form(
        "hv",
        "-e! -p! -i! -r! -c --check --eval! --print! --interactive! --require! --import! --loader!"
        " --experimental-loader! --env-file! --version --help --test --watch --test-reporter: --test-name-pattern:"
        " --test-only --experimental-strip-types --no-warnings --enable-source-maps --trace-warnings"
        " --max-old-space-size: --experimental-vm-modules --experimental-test-coverage",
        stops=True,
    ),
    "perl": form("cvwtTW", "-v --version -h", stops=True),
    "ruby": form("cvwh", "--version --help", stops=True),
    "php": form("lvihm", "--version --help", stops=True),
    "lua": form("vW", "", stops=True),
    "Rscript": form("", "--version --vanilla", stops=True),
    "tclsh": form(stops=True),
    "julia": form("vh", "--version --help --project", stops=True),
    "deno": form("Vh", "--version --help"),
    "swift": form("", "--version"),
    "ghc": form("", "--version"),
    "runghc": form("", "--version", stops=True),
    "osascript": form(stops=True),
    "pwsh": form(stops=True),
    "groovy": form("v", "--version", stops=True),
    "scala": form("", "-version --version", stops=True),
    "elixir": form("v", "--version", stops=True),
    "escript": form(stops=True),
    "guile": form(stops=True),
    "racket": form(stops=True),
    "sbcl": form("", "--version"),
    "clojure": form("", "--version"),
    "R": form("", "--version"),
    "octave": form("", "--version"),
    "bc": form("lqsw", "--version --mathlib --quiet", "r"),
    "dc": form("V", "--version", "r"),
    "expect": form("v", "", stops=True),
}
"""Programs that run a file given to them. Any option that stands in no table may hold code; without a file they read
code from their input."""

OPAQUE: Final = names(
    "parallel ssh scp sftp rsync script unshare nsenter chroot strace ltrace gdb lldb tmux screen at batch crontab"
    " systemd-run su runuser sg newgrp setpriv capsh bwrap firejail proot schroot rlwrap valgrind perf socat nc ncat"
    " netcat telnet vi vim nvim view ex ed emacs nano pico micro ftp lftp tftp mutt mail sendmail watch entr"
    " inotifywait dbus-run-session xvfb-run start-stop-daemon run-parts ld.so ld-linux-x86-64.so.2 logrotate m4 gimp"
    " sqlite3 psql mysql mariadb mongosh redis-cli irb ipython bpython ghci jshell erl iex coproc fc bind complete"
    " compgen compopt enable alias unalias shopt hash history caller let mapfile getopts readarray source . trap"
    " fg bg jobs"
    " disown suspend logout vipe vidir sponge ts pee zrun xdg-open open xterm cross-env dotenv direnv doppler op chpst"
    " softlimit setarch linux32 linux64 i386 x86_64 prlimit choom uclampset cpulimit faketime eatmydata nsjail runsc"
    " podman lxc-execute multipass vagrant ansible ansible-playbook salt pssh clusterssh"
)
"""Commands that run others, or change how the shell reads what follows, in ways that are not followed here."""

RUNS_OTHERS: Final = frozenset(
    tuple(each.split("/"))
    for each in names(
        "npm/explore npm/edit npm/config npm/set npm/start-script conda/run conda/init mamba/run nix-shell nix/run"
        " nix/develop nix/shell docker/exec docker/run docker/compose docker/build docker/cp podman/exec"
        " podman/run kubectl/exec"
        " kubectl/run kubectl/debug kubectl/cp heroku/run fly/ssh flyctl/ssh gh/extension gh/alias gcloud/compute"
        " aws/ssm"
        " tox/exec tox/e nox/exec hatch/env deno/eval deno/run deno/repl deno/task deno/install bun/repl go/generate"
    )
)
"""Two words (or a name alone) that run programs, or fetch and run them, in ways that are not followed here."""

MODULES_THAT_RUN: Final = names(
    "timeit trace cProfile profile pdb code asyncio runpy idlelib turtledemo doctest bdb this pip ensurepip http.server"
    " webbrowser zipapp site dis pydoc ipykernel IPython jupyter notebook antigravity lib2to3"
)

NPM_VERBS: Final = (
    "publish", "unpublish", "install", "uninstall", "update", "deprecate", "owner", "token", "access", "dist-tag",
    "config", "explore", "exec", "run-script", "test", "start", "stop", "restart", "adduser", "login", "logout",
)  # fmt: skip
