"""Programs that log in to other machines, and options that name a machine, for which rules about `ssh` hold."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    "command",
    [
        "mosh a@b", "/usr/bin/mosh a@b", "sshpass -f k mosh a@b", "rsh b uptime", "nice autossh -M 0 a@b", "tmate",
        "foo mosh a@b", "sh -c 'sshfs a@b:/x deep'", "pdsh -w b uptime", "python3 -m fabric -H b uptime", "csync2 -xv",
        "ray up x.yaml", "kitty +kitten ssh b", "wezterm --config x=1 connect b", "k3sup install --ip 192.0.2.1",
        "parallel -S b uptime ::: 1", "parallel -Sb uptime", "parallel -j2 --eta -S 4/b,: uptime", "sem --sshlogin=b x",
        "parallel --slf hosts uptime", "systemctl -Hb status", "systemctl status --host b", "mpirun -np 2 -H b:4 x",
        "mpirun -mca btl tcp --hostfile hosts x", "bolt command run x -t a@b", "pytest --connection=ssh --hosts=b",
        "nixos-rebuild switch --target-host b", "julia --machine-file hosts a.jl", "pyinfra b x.py",
        "jupyter console --ssh b", "systemctl -qH b status", "fab -eH b x", "guix deploy x.scm", "guix copy --to=b x",
    ],
)  # fmt: skip
def test_a_program_that_logs_in_is_also_ssh(command: str) -> None:
    found = analyzed(command)
    assert any(each.startswith("ssh ") for each in found.spellings)
    assert not found.complete


@pytest.mark.parametrize(
    "command",
    [
        "apt-get install -y mosh sshfs", "pip install fabric pyinfra", "mosh --version", "man mosh", "pm2 start app.js",
        "parallel -S : echo ::: 1", "parallel -j4 sort -S 1G ::: a", "parallel -k sort -S 1G ::: a", "ray start --head",
        "systemctl status app", "systemd-run --user grep -H x notes.md", "mpirun -H localhost:4 x",
        "fab -l", "fab test",
        "mpiexec -n 2 python3 a.py -f data.txt", "pytest --hosts=local://", "pytest --hosts docker://x",
        "julia -p 4 a.jl",
        "pyinfra @local x.py", "foo 'la vie et la mort'", "colmena build", "guix build x", "k0sctl version",
        "bolt plan show",
    ],
)  # fmt: skip
def test_other_commands_are_not(command: str) -> None:
    found = analyzed(command)
    assert not [each for each in found.spellings if each.startswith("ssh ")]
