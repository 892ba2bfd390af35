"""Types and constants shared by the modules of the self-check."""

Finding = tuple[str, bool, str]
"""Name of the check, whether it passed, and what was found."""

# names of the two output lines that are no findings
KERNEL_LINE = "kernel"
RUNTIME_LINE = "runtime"


class HostFacts:
    """Facts about the sandbox that only the host knows.

    `own_kernel`: the sandbox has a kernel of its own (gVisor, a virtual machine). Whatever that kernel permits affects
    only the sandbox, and some of its reports have another meaning than on Linux. `remapped`: root in the container must
    be an unprivileged user of the host.
    """

    __slots__ = ("own_kernel", "remapped")

    def __init__(self, *, own_kernel: bool, remapped: bool) -> None:
        self.own_kernel = own_kernel
        self.remapped = remapped


def read(path: str, size: int = 1 << 16) -> str:
    with open(path, "rb") as file:
        return file.read(size).decode("utf-8", "replace")
