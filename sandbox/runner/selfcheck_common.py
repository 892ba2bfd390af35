"""What the parts of the self-check share."""

Finding = tuple[str, bool, str]
"""What was looked at, whether it is as it must be, and what was found."""

KERNEL_LINE = "kernel"
RUNTIME_LINE = "runtime"
"""Names of the two lines that are no findings."""


class Ground:
    """What the sandbox stands on, as the host says.

    `own_kernel`: it has a kernel of its own (gVisor, a virtual machine). What that lets through reaches only itself,
    and not all that it shows of itself means what it means on Linux. `remapped`: the root in here must be nobody
    outside.
    """

    __slots__ = ("own_kernel", "remapped")

    def __init__(self, *, own_kernel: bool, remapped: bool) -> None:
        self.own_kernel = own_kernel
        self.remapped = remapped


def read(path: str, size: int = 1 << 16) -> str:
    with open(path, "rb") as file:
        return file.read(size).decode("utf-8", "replace")
