"""logins_by_program(): the logins of programs that are another `ssh` or start one, and of options that name a machine.

Rules about `ssh` hold for these commands, too. Sources: the manuals of the programs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.login_addresses import login
from tools_app.permission.shell.words import Field

_CLIENTS: Final = names(
    "mosh mosh-client autossh sshfs sshuttle dbclient plink pscp psftp putty rsh rlogin rcp rexec slogin et pdsh pdcp"
    " rpdcp clush pssh prsync pslurp pnuke parallel-ssh parallel-scp parallel-rsync parallel-slurp parallel-nuke dsh"
    " dcp mussh cssh csshX crsh clusterssh tmux-cssh i2cssh salt-ssh dask-ssh ansible-console ansible-runner"
    " ansible-navigator pyinfra docker-machine csync2"
)
"""Programs that log in with any words but those in _SHOWN."""
_SHORT: Final = 3
"""Up to so many letters, a name may be a word of another command, so it counts only where a command begins."""
_SHARES: Final = names("tmate sshx upterm")
"""Programs that share a terminal through another machine, also without a word."""
_SHOWN: Final = names("--help -h --version -V help version")
_ACTIONS: Final[Mapping[str, frozenset[str]]] = {
    "k3sup": names("install join ready node-token"), "k0sctl": names("apply reset backup kubeconfig"),
    "rke": names("up remove etcd cert"), "pm2": names("deploy"), "morph": names("deploy push exec health-check"),
    "ray": names("up down attach exec submit rsync-up rsync-down rsync_up rsync_down monitor get-head-ip"),
    "wezterm": names("ssh connect"), "kitty": names("ssh"), "kitten": names("ssh"), "tsh": names("ssh scp login"),
    "dask": names("ssh"), "bup": names("on"), "juju": names("ssh scp"), "dropbearmulti": names("dbclient scp ssh"),
    "itamae": names("ssh"), "guix": names("deploy"), "xpra": names("ssh"), "colmena": names("apply exec upload-keys"),
    "nixops": names("deploy ssh scp ssh-for-each start stop reboot destroy send-keys check rsync-to"),
}  # fmt: skip
"""Programs, and their actions that log in."""
_MAX_BEFORE: Final = 4
"""How many words may stand in front of an action: options and their values."""
_OF_SYSTEMD: Final = names("-H --host")
_OF_PARALLEL: Final = names("-S --sshlogin --sshloginfile --slf")
_OF_MPI: Final = names(
    "-H -host --host -hosts --hosts -f -hostfile --hostfile -machinefile --machinefile --default-hostfile --add-host"
)
_OPTIONS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(
        (
            "systemctl", "hostnamectl", "timedatectl", "localectl", "loginctl", "systemd-run", "systemd-analyze",
            "busctl", "systemd-inhibit", "run0",
        ),
        _OF_SYSTEMD,
    ),
    **dict.fromkeys(("parallel", "sem", "env_parallel"), _OF_PARALLEL),
    **dict.fromkeys(("mpirun", "mpiexec", "orterun", "prterun", "prun", "mpiexec.hydra"), _OF_MPI),
    "horovodrun": names("-H --hosts -hostfile --hostfile"), "deepspeed": names("-H --hostfile"),
    "julia": names("--machine-file --machinefile"), "ipcluster": names("--engines"),
    "bolt": names("-t --targets -n --nodes"), "guix": names("--to --from"), "accelerate": names("--deepspeed_hostfile"),
    "fab": names("-H --hosts"), "fabric": names("-H --hosts"), "rex": names("-H -G"), "xpanes": names("--ssh"),
    "pytest": names("--hosts"), "py.test": names("--hosts"), "nixos-rebuild": names("--target-host --build-host"),
    **dict.fromkeys(("jupyter", "ipython"), names("--ssh")),
    "mysqlsh": names("--ssh"), "pgcli": names("--ssh-tunnel"), "mycli": names("--ssh-host"),
    "vncviewer": names("-via"), "zfs-autobackup": names("--ssh-target --ssh-source"), "inspec": names("--host"),
}  # fmt: skip
"""Programs, and their options whose value is a machine, a list of machines, or a file with such a list."""
_STARTERS: Final = names(
    "parallel sem env_parallel mpirun mpiexec orterun prterun prun mpiexec.hydra horovodrun deepspeed julia systemd-run"
    " systemd-inhibit run0 xpanes"
)
"""Programs that run a command, whose options are not theirs."""
_WITHOUT_VALUE: Final = re.compile(
    r"-[jNS].+|-n\d+|--?[\w-]+=.*|-[0kuqvXmPt]|--(?:eta|bar|progress|tag|keep-order|line-buffer|lb|ungroup|verbose|dry-run"
    r"|pipe|will-cite|nonall|onall|user|scope|wait|pty|quiet|oversubscribe|allow-run-as-root|system|collect)"
)
"""Options of these that certainly have no value in the next word."""
_TWO_VALUES: Final = names("-mca --mca -genv")
_LETTERS: Final = re.compile(r"-[A-Za-z]*([A-Za-z])")
"""Letters of which the last one may have a value: `-qH b`. Programs of MPI have long options with one dash."""
_LOCAL: Final = re.compile(
    r"(?:\d+/)?:?|(?:localhost|127\.0\.0\.1|\[?::1\]?|\.host|@?local|@(?:docker|podman|chroot)/.*)(?::\d+)?|\w+://.*|(?i:Local|MPI|Slurm|LSF|PBS|SGE)\w*"
)
"""A value that means this machine, or an address, which is judged by itself."""
_NAMES_ONLY: Final = names(
    "apt apt-get apt-cache aptitude dpkg dnf yum rpm apk pacman zypper brew port snap flatpak nix-env conda mamba"
    " micromamba pip pip3 uv npm pnpm yarn cargo gem go man info whatis apropos which whereis type tldr cheat"
)
"""Programs whose words are names of other programs, which they do not run."""


def logins_by_program(readings: Sequence[Sequence[Field]]) -> Iterator[list[Field]]:
    """Yield a command of `ssh` for each login of a command. The first of its readings is how it is written."""
    for number, words in enumerate(readings[:1] if readings[0][0].text in _NAMES_ONLY else readings):
        name, args = words[0].text, words[1:]
        if name in _SHARES or (name in _CLIENTS and (len(name) > _SHORT or not number) and _logs_in(name, args)):
            yield login(_last_machine(args))
        if actions := _ACTIONS.get(name):
            yield from (login("host") for each in args[:_MAX_BEFORE] if each.text in actions)
        if options := _OPTIONS.get(name):
            own = _before_program(args) if name in _STARTERS else args
            joins = options is not _OF_MPI
            yield from (login(each) for each in _values(own, options, joins=joins) if not _is_local(each))


def _logs_in(name: str, args: Sequence[Field]) -> bool:
    if name == "pyinfra" and args and _is_local(args[0].text):
        return False
    return any(each.text not in _SHOWN for each in args)


def _before_program(args: Sequence[Field]) -> Sequence[Field]:
    """Return the words in front of the command that a program starts. A word is taken for the value of an option if it
    may be one."""
    may_follow = 0
    for index, each in enumerate(args):
        if each.text[:1] == "-":
            may_follow = 2 if each.text in _TWO_VALUES else int(not _WITHOUT_VALUE.fullmatch(each.text))
        elif may_follow:
            may_follow -= 1
        else:
            return args[:index]
    return args


def _last_machine(args: Sequence[Field]) -> str:
    """Return the word that looks like a machine with an account; `host` if none does."""
    return next((each.text for each in args if "@" in each.text and " " not in each.text), "host")


def _values(args: Sequence[Field], options: frozenset[str], *, joins: bool) -> Iterator[str]:
    """Yield the values of options: the next word, behind `=`, or joined to a letter. `joins`: letters may be joined."""
    for before, arg in pairwise([Field(""), *args]):
        option, equals, value = arg.text.partition("=")
        letters = _LETTERS.fullmatch(before.text) if joins else None
        if before.text in options or (letters and f"-{letters[1]}" in options):
            yield arg.text
        if equals and option in options:
            yield value
        elif arg.text[:2] in options and len(arg.text) > 2 and arg.text[1] != "-":
            yield arg.text[2:]


def _is_local(value: str) -> bool:
    return all(map(_LOCAL.fullmatch, value.split(",")))
