"""Conclusions of the self-check from its findings."""

import errno
from collections.abc import Sequence

import pytest

from sandbox.runner import selfcheck, selfcheck_mounts, selfcheck_privileges
from sandbox.runner.errors import UNAVAILABLE, Refusal
from sandbox.runner.processes import MARKS
from sandbox.runner.selfcheck_common import HostFacts
from sandbox.runner.selfcheck_runner import SelfCheck
from sandbox.runner.unprotected import UnprotectedServer

PLAIN = HostFacts(own_kernel=False, remapped=False)
REMAPPED = HostFacts(own_kernel=False, remapped=True)
OWN_KERNEL = HostFacts(own_kernel=True, remapped=True)
MAPPED, HOSTS = "         0     100000      65536\n", "         0          0 4294967295\n"


@pytest.mark.parametrize(
    ("text", "ground", "passed", "words"),
    [
        (MAPPED, REMAPPED, True, "user 100000 of the host"),
        (HOSTS, REMAPPED, False, "although the engine remaps users"),
        (HOSTS, PLAIN, True, "the host's root too: this engine does not remap users"),
        (HOSTS, OWN_KERNEL, True, "not visible inside"),
    ],
)
def test_the_root_in_here_is_the_hosts_only_where_the_engine_says_so(
    text: str, ground: HostFacts, passed: bool, words: str
) -> None:
    name, good, found = selfcheck_privileges.user_map(text, ground)

    assert (name, good) == ("user map", passed)
    assert words in found


@pytest.mark.parametrize(
    ("error", "ours", "passed"),
    [
        (errno.EPERM, False, True),
        (errno.EACCES, False, True),
        (errno.ENOSYS, False, True),
        (errno.EFAULT, False, False),
        (0, False, False),
        (errno.EFAULT, True, True),
    ],
)
def test_a_call_that_the_kernel_looks_into_was_let_through(error: int, ours: bool, passed: bool) -> None:
    assert selfcheck_privileges.system_call("io_uring", error, ours=ours)[1] is passed


@pytest.mark.parametrize(
    ("name", "value", "passed"),
    [
        ("CapBnd", "00000000000000e0", True),
        ("CapBnd", "00000000000004e0", False),
        ("CapEff", "0000000000000080", False),
        ("CapPrm", "0000000000000080", False),
        ("CapInh", "0000000000000080", False),
        ("CapAmb", "0000000000000080", False),
    ],
)
def test_a_command_holds_no_capability(name: str, value: str, passed: bool) -> None:
    sets = dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"), "0" * 16) | {name: value}

    status = "".join(f"{which}:\t{bits}\n" for which, bits in sets.items())

    assert selfcheck_privileges.capabilities(status)[1] is passed


@pytest.mark.parametrize(
    ("uids", "groups", "passed"),
    [((1000, 1000, 1000), [], True), ((1000, 1000, 1000), [MARKS[0]], True), ((1000, 1000, 1000), [MARKS[-1]], True),
     ((1000, 1000, 0), [], False), ((1000, 1000, 1000), [0], False), ((1000, 1000, 1000), [27], False)],
)  # fmt: skip
def test_a_command_is_the_tool_user_and_in_no_group_that_owns_anything(
    uids: tuple[int, int, int], groups: list[int], passed: bool
) -> None:
    assert selfcheck_privileges.user(uids, (1000, 1000, 1000), groups)[1] is passed


MOUNTS = """\
100 90 0:39 / / ro,relatime master:1 - overlay overlay rw,lowerdir=/a
101 100 0:40 / /proc rw,nosuid - proc proc rw
102 100 0:41 / /tmp rw,nosuid,nodev,relatime - tmpfs tmpfs rw,size=262144k
103 100 254:0 /ws/files /workspace rw,relatime - ext4 /dev/vda rw
104 101 0:5 /null /proc/keys rw - devtmpfs devtmpfs rw
"""


def mounts_finding(text: str, ground: HostFacts = REMAPPED) -> list[str]:
    mounts = selfcheck_mounts.parse_mounts(text)
    findings = [
        selfcheck_mounts.root_mount(mounts),
        selfcheck_mounts.temporary_mount(mounts, ground),
        selfcheck_mounts.other_mounts(mounts, ground),
    ]
    return [f"{name}: {found}" for name, passed, found in findings if not passed]


@pytest.mark.parametrize(
    ("change", "failed"),
    [
        (("", ""), []),
        (("/ / ro,", "/ / rw,"), ["root file system: can be written"]),
        (("rw,nosuid,nodev,relatime - tmpfs", "rw,relatime - tmpfs"), ["/tmp: tmpfs, without nodev, nosuid"]),
        ((" /tmp ", " /run/runner "), ["/tmp: not a mount of its own, without nodev, nosuid"]),
        (("/ws/files /workspace", "/etc /host\\040files"), ["mounts: unexpected: /host files"]),
        (("/proc/keys rw - devtmpfs devtmpfs", "/proc/keys rw - ext4 /dev/vda"), ["mounts: unexpected: /proc/keys"]),
    ],
)
def test_mounts_are_the_workspaces_and_the_systems(change: tuple[str, str], failed: list[str]) -> None:
    assert mounts_finding(MOUNTS.replace(*change)) == failed


def test_what_cannot_be_looked_at_has_not_passed() -> None:
    def broken_places(ground: HostFacts) -> Sequence[tuple[str, bool, str]]:
        raise OSError(errno.EIO, "Input/output error")

    findings = list(selfcheck.errors_as_findings(broken_places, PLAIN))

    assert findings == [("broken places", False, "could not be checked: [Errno 5] Input/output error")]


GOOD = "kernel\tyes\t6.1\nruntime\tyes\t\nls\tyes\tworks\n"


def look(output: str) -> dict[str, bool]:
    answer = SelfCheck(lambda _: output.encode()).run({})
    return {item["name"]: item["passed"] for item in answer["items"]}


def test_what_the_program_printed_is_handed_on() -> None:
    assert look(GOOD)["ls"] is True
    assert look(GOOD.replace("ls\tyes", "ls\tno"))["ls"] is False


@pytest.mark.parametrize("output", ["", "Traceback: no\n", "ls\tyes\tworks\n", GOOD + "Segmentation fault\n"])
def test_a_program_that_did_not_end_as_it_should_has_not_passed(output: str) -> None:
    assert look(output)["program"] is False


def test_a_program_that_does_not_start_has_not_passed() -> None:
    def start(argv: Sequence[str]) -> bytes:
        raise Refusal(UNAVAILABLE, "The process could not be started.")

    items = SelfCheck(start).run({})["items"]

    assert items[-1] == {"name": "program", "passed": False, "found": "The process could not be started."}


def test_the_program_is_told_what_it_stands_on() -> None:
    told: list[str] = []

    def start(argv: Sequence[str]) -> bytes:
        told.extend(argv)
        return GOOD.encode()

    SelfCheck(start).run({"host_kernel": "6.1", "remapped": True})

    assert told[-3:] == ["--host-kernel", "6.1", "--remapped"]


def test_without_walls_nothing_passes() -> None:
    assert [item["passed"] for item in SelfCheck(None).run({})["items"]] == [False]


def test_a_runner_that_could_not_protect_itself_serves_nothing_but_the_check() -> None:
    weakness = ("seccomp filter of the runner", False, "this kernel cannot do it")

    server = UnprotectedServer(SelfCheck(lambda _: GOOD.encode(), [weakness]))

    assert set(server._operations) == {"ping", "check"}
