"""Tables of commands that run other commands, and of interpreters. Sources: their manuals, POSIX, GTFOBins."""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.specs import ArgumentSpec, spec
from tools_app.permission.shell.specs_of_image import of_image

_HELP: Final = " --help --version"

JUDGED: Final[Mapping[str, tuple[ArgumentSpec, int]]] = {
    "sudo": (
        spec(
            "ABbEHKkNnPSVl",
            "-u: -g: -h: -p: -C: -D/ -R/ -T: -U: -s! -i! -e! --user: --group: --host: --prompt: --close-from: --chdir/"
            " --chroot/ --command-timeout: --other-user: --shell! --login! --edit! --background --preserve-env?"
            " --set-home --stdin --non-interactive --reset-timestamp --remove-timestamp",
            stops=True,
        ),
        0,
    ),
    "doas": (spec("Ln", "-u: -C! -s! -a:", stops=True), 0),
    "nice": (spec("", "-n: --adjustment:" + _HELP, stops=True, numeric=True), 0),
    "ionice": (
        spec("thV", "-c: -n: -p: -P: -u: --class: --classdata: --ignore --pid: --pgid: --uid:" + _HELP, stops=True),
        0,
    ),
    "nohup": (spec("", _HELP, stops=True), 0),
    "timeout": (
        spec("vfp", "-s: -k: --signal: --kill-after: --preserve-status --foreground --verbose" + _HELP, stops=True),
        1,
    ),
    "time": (spec("pvaq", "-f: -o> --format: --output> --append --verbose --portability" + _HELP, stops=True), 0),
    "stdbuf": (spec("", "-i: -o: -e: --input: --output: --error:" + _HELP, stops=True), 0),
    "setsid": (spec("cfwhV", "--ctty --fork --wait" + _HELP, stops=True), 0),
    "chrt": (
        spec(
            "abdfihmoprvRV",
            "-T: -P: -D: --all-tasks --batch --deadline --fifo --idle --max --other --pid --reset-on-fork --rr"
            " --sched-runtime: --sched-period: --sched-deadline: --verbose" + _HELP,
            stops=True,
        ),
        1,
    ),
    "taskset": (spec("acphV", "--all-tasks --cpu-list --pid" + _HELP, stops=True), 1),
    "exec": (spec("cl", "-a:", stops=True), 0),
    "builtin": (spec("", "", stops=True), 0),
    "busybox": (spec("", "", stops=True), 0),
    "npx": (spec("yq", "--yes --no --no-install -p! --package! -c! --call! --quiet --prefer-offline", stops=True), 0),
    "bunx": (spec("", "--bun", stops=True), 0),
    "flock": (
        spec(
            "sxnueoFhV",
            "-w: -E: -c! --command! --timeout: --wait: --nonblocking --nb --nonblock --shared --exclusive --unlock"
            " --close --no-fork --verbose --conflict-exit-code:" + _HELP,
            stops=True,
        ),
        1,
    ),
    "toybox": (spec("", "", stops=True), 0),
    "fakeroot": (spec("", _HELP, stops=True), 0),
    "catchsegv": (spec("", "", stops=True), 0),
    "winpty": (spec("", "", stops=True), 0),
    "chronic": (spec("ev", "", stops=True), 0),
    "unbuffer": (spec("p", "", stops=True), 0),
}
WRAPPERS: Final = {name: (of_image(table, name), before) for name, (table, before) in JUDGED.items()}
"""Name -> the wrapper's own options, and the number of operands before the inner command."""

ENV: Final = of_image(
    spec(
        "i0v",
        "-u: -C/ --chdir/ --unset: --ignore-environment --null -S:! --split-string:! --debug --default-signal?"
        " --ignore-signal? --block-signal? --list-signal-handling" + _HELP,
        stops=True,
    ),
    "env",
)
XARGS: Final = of_image(
    spec(
        "0rtpxo",
        "-I: -i? -n: -P: -L: -l? -d: -E: -e? -s: -a:! --arg-file:! --null --no-run-if-empty --max-args: --max-procs:"
        " --replace? --eof? --delimiter: --verbose --interactive --exit --max-lines? --max-chars: --open-tty"
        " --show-limits --process-slot-var:!" + _HELP,
        stops=True,
    ),
    "xargs",
)

RUNNERS: Final[Mapping[tuple[str, str], ArgumentSpec]] = {
    ("uv", "run"): spec("qv", "--frozen --no-sync --locked --isolated --active -p: --python: --extra: --group:"
                        " --with:! --with-editable:! --with-requirements:!"
                        " --all-extras --no-dev --dev --offline --no-project --env-file!", stops=True),
    ("poetry", "run"): spec("qv", "", stops=True),
    ("pipenv", "run"): spec("", "", stops=True),
    ("pdm", "run"): spec("", "", stops=True),
    ("hatch", "run"): spec("", "", stops=True),
    ("rye", "run"): spec("", "", stops=True),
    ("bun", "x"): spec("", "--bun", stops=True),
    ("pixi", "run"): spec("", "", stops=True),
    ("volta", "run"): spec("", "", stops=True),
    ("asdf", "exec"): spec("", "", stops=True),
    ("bundle", "exec"): spec("", "", stops=True),
    ("composer", "exec"): spec("lvqn", "--list --verbose --quiet --no-interaction --ansi --no-ansi", stops=True),
    ("npm", "exec"): spec("y", "--yes --no -p! --package! -c! --call! --offline", stops=True),
    ("npm", "x"): spec("y", "--yes --no -p! --package! -c! --call! --offline", stops=True),
    ("pnpm", "exec"): spec("r", "-c! --shell-mode!", stops=True),
    ("pnpm", "dlx"): spec("s", "-c! --shell-mode! --package! --silent", stops=True),
    ("yarn", "exec"): spec("", "", stops=True),
    ("yarn", "dlx"): spec("", "", stops=True),
    ("pyenv", "exec"): spec("", "", stops=True),
    ("rbenv", "exec"): spec("", "", stops=True),
    ("rustup", "run"): spec("", "", stops=True),
    ("mise", "exec"): spec("", "", stops=True),
}  # fmt: skip
"""Commands of two words that run the command after them."""

SHELLS: Final = frozenset({"bash", "sh", "dash", "zsh", "ksh", "ash", "rbash", "mksh", "fish", "csh", "tcsh"})
INTERPRETERS: Final[Mapping[str, ArgumentSpec]] = {
    "python": spec("bBdEhIOPqRsSuvVx3", "-c! -i! -m! -W: -X: --check-hash-based-pycs: --version --help", stops=True),
    "node": spec(
        "hv",
        "-e! -p! -i! -r! -c --check --eval! --print! --interactive! --require! --import! --loader!"
        " --experimental-loader! --env-file! --version --help --test --watch --test-reporter: --test-name-pattern:"
        " --test-only --experimental-strip-types --no-warnings --enable-source-maps --trace-warnings"
        " --max-old-space-size: --experimental-vm-modules --experimental-test-coverage",
        stops=True,
    ),
    "perl": spec("cvwtTW", "-v --version -h", stops=True),
    "ruby": spec("cvwh", "--version --help", stops=True),
    "php": spec("lvihm", "--version --help", stops=True),
    "lua": spec("vW", "", stops=True),
    "Rscript": spec("", "--version --vanilla", stops=True),
    "tclsh": spec(stops=True),
    "julia": spec("vh", "--version --help --project", stops=True),
    "deno": spec("Vh", "--version --help"),
    "swift": spec("", "--version"),
    "ghc": spec("", "--version"),
    "runghc": spec("", "--version", stops=True),
    "osascript": spec(stops=True),
    **dict.fromkeys(("swipl", "gprolog", "yap", "scryer-prolog", "tpl"), spec("", "--version --help", stops=True)),
    "pwsh": spec(stops=True),
    "groovy": spec("v", "--version", stops=True),
    "scala": spec("", "-version --version", stops=True),
    "elixir": spec("v", "--version", stops=True),
    "escript": spec(stops=True),
    "guile": spec(stops=True),
    "racket": spec(stops=True),
    "sbcl": spec("", "--version"),
    "clojure": spec("", "--version"),
    "R": spec("", "--version"),
    "octave": spec("", "--version"),
    "bc": spec("lqsw", "--version --mathlib --quiet", "r"),
    "dc": spec("V", "--version", "r"),
    "expect": spec("v", "", stops=True),
}
"""Programs that run a given file of code. An option that is not listed may contain code; without a file they read code
from their standard input."""

OPAQUE: Final = names(
    "env_parallel parset sem rush rust-parallel"
    " parallel ssh scp sftp rsync script unshare nsenter chroot strace ltrace gdb lldb tmux screen at batch crontab"
    " systemd-run su runuser sg newgrp setpriv capsh bwrap firejail proot schroot rlwrap valgrind perf socat nc ncat"
    " netcat telnet vi vim nvim view ex ed emacs nano pico micro ftp lftp tftp mutt mail sendmail watch entr"
    " inotifywait dbus-run-session xvfb-run start-stop-daemon run-parts ld.so ld-linux-x86-64.so.2 logrotate m4 gimp"
    " duckdb litecli pgcli mycli usql cqlsh clickhouse-client clickhouse mongo pry ptpython xonsh nu elvish osh ysh oil"
    " yash jjs rhino d8 qjs gjs ocaml utop clisp ecl bb clj maxima gp gnuplot scilab sage ansible-console groovysh"
    " sqlite3 psql mysql mariadb mongosh redis-cli irb ipython bpython ghci jshell erl iex coproc fc bind complete"
    " compgen compopt enable alias unalias shopt hash history caller let mapfile getopts readarray source . trap"
    " fg bg jobs"
    " disown suspend logout vipe vidir sponge ts pee zrun xdg-open open xterm cross-env dotenv direnv doppler op chpst"
    " softlimit setarch linux32 linux64 i386 x86_64 prlimit choom uclampset cpulimit faketime eatmydata nsjail runsc"
    " prove runcon tini tini-static ldd musl-ldd ld-musl-config perldoc cpan pdb3 pdb3.11 debconf debconf-apt-progress"
    " switch_root rtcwake invoke-rc.d service gprofng gp-collect-app sulogin login agetty getty perlbug bashbug"
    " perlthanks vigr vipw xsubpp enc2xs instmodsh c_rehash scalar git-shell dpkg-reconfigure"
    " uvx pipx nodemon watchexec hyperfine concurrently npm-run-all run-s run-p wireit gosu su-exec dumb-init"
    " s6-setuidgid logsave ssh-agent ssh-copy-id systemd-cat systemd-inhibit msgexec msgfilter rpcgen debconf-"
    " communicate dpkg-architecture dpkg-buildpackage dpkg-source dpkg-shlibdeps dpkg-gencontrol dpkg-genchanges"
    " pod2usage pydoc scriptlive rmt ptar ptargrep ptardiff gzexe bzexe zforce znew savelog tic zipgrep"
    " zipnote zipsplit zipcloak lesspipe lessfile gcov gcov-tool gprof lto-dump gp-archive gp-display-html gp-"
    " display-src gp-display-text soelim pygettext h2ph h2xs debugfs e2scrub fsck make-first-existing-"
    " target ucf localedef iconvconfig"
    " cgdb ddd gdb-multiarch rust-gdb rust-lldb pwndbg gef"
    " podman lxc-execute multipass vagrant ansible ansible-playbook salt pssh clusterssh supervisord honcho"
    " foreman overmind"
)
"""Commands that run others, change how the shell interprets later commands, or find by themselves which files they read
or write, in ways that are not analysed."""

RUNS_OTHERS: Final = frozenset(
    tuple(each.split("/"))
    for each in names(
        "npm/explore npm/edit npm/config npm/set npm/start-script npm/pkg npm/set-script cargo/watch conda/run"
        " pipx/run conda/init"
        " mamba/run nix-shell nix/run nix/develop nix/shell docker/exec docker/run docker/compose docker/build"
        " docker/cp podman/exec podman/run kubectl/exec"
        " kubectl/run kubectl/debug kubectl/cp heroku/run fly/ssh flyctl/ssh gh/extension gh/alias gcloud/compute"
        " aws/ssm bun/exec manage.py/shell manage.py/shell_plus manage.py/dbshell manage.py/runscript"
        " django-admin/shell django-admin/dbshell django-admin/shell_plus flask/shell rails/console"
        " rails/c rails/runner rails/r rails/db"
        " rails/dbconsole artisan/tinker artisan/db bundle/console cap/shell wp/shell"
        " wp/eval drush/php:eval drush/php-eval drush/ev drush/core:cli n98-magerun/dev:console yii/shell"
        " mix/run lein/repl stack/ghci stack/repl cabal/repl dune/utop scala-cli/run"
        " uv/tool uv/x rye/tools hatch/shell hatch/test pipenv/shell poetry/shell micromamba/run mise/x fnm/exec"
        " nvm/exec nvm/run"
        " devbox/run chamber/exec aws-vault/exec infisical/run corepack/npm corepack/yarn corepack/pnpm"
        " tox/exec tox/e nox/exec hatch/env deno/eval deno/run deno/repl deno/task deno/install bun/repl go/generate"
    )
)
"""Commands of two words (or one) that run programs, or download and run them, in ways that are not analysed."""

JSON_TOOL: Final = spec(
    "h", "--help --sort-keys --no-ensure-ascii --json-lines --indent: --tab --no-indent --compact", "rw"
)
"""`python -m json.tool`, which writes its second operand."""
MODULES_THAT_RUN: Final = names(
    "timeit trace cProfile profile pdb code asyncio runpy idlelib turtledemo doctest bdb this pip ensurepip http.server"
    " webbrowser zipapp site dis pydoc ipykernel IPython jupyter notebook antigravity lib2to3"
)

NPM_VERBS: Final = (
    "publish", "unpublish", "install", "uninstall", "update", "deprecate", "owner", "token", "access", "dist-tag",
    "config", "explore", "exec", "run-script", "test", "start", "stop", "restart", "adduser", "login", "logout",
    "undeprecate", "team", "org", "profile", "hook", "unstar", "trust", "stage",
)  # fmt: skip
