"""Loop devices and mounts, straight from the kernel: a device that nobody uses any more goes by itself.

A device is attached with autoclear: it lives as long as a mount of it or an open file, so a process that is killed
between attaching and mounting leaves nothing behind.
"""

import ctypes
import errno
import fcntl
import os
import stat
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

LOOP_CONTROL: Final = "/dev/loop-control"
LOOP_MAJOR: Final = 7
LOOP_CONFIGURE: Final = 0x4C0A
LOOP_CTL_GET_FREE: Final = 0x4C82
AUTOCLEAR: Final = 4
CONFIGURATION: Final = struct.Struct("=II 48x 4x I 64x 64x 32x 16x 64x")
"""struct loop_config: file, block size, and of struct loop_info64 only the flags. Checked against its 304 bytes."""
ATTEMPTS: Final = 50
PATIENCE: Final = 3.0
PAUSE: Final = 0.01
SYS_BLOCK: Final = Path("/sys/block")

MS_NOSUID: Final = 2
MS_NODEV: Final = 4
MS_REMOUNT: Final = 32
MS_BIND: Final = 4096
MNT_DETACH: Final = 2
UMOUNT_NOFOLLOW: Final = 8
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


@contextmanager
def attached(image: Path) -> Iterator[str]:
    """The loop device of this image while the block lasts, and after it as long as it is mounted.

    One image never gets two devices: two of them mounted at once would destroy what is in it.
    """
    file = os.open(image, os.O_RDWR | os.O_CLOEXEC)
    try:
        device, name = _open_device_of(image) or _attach(file)
    finally:
        os.close(file)
    try:
        yield name
    finally:
        os.close(device)


def devices_of(image: Path) -> list[str]:
    try:
        wanted = image.stat()
    except FileNotFoundError:
        return []
    return [name for name, file in backing_files() if _is_same(file, wanted)]


def device_below(place: Path | str) -> str:
    """The loop device that is mounted there; empty when it is none."""
    try:
        number = Path(place).stat().st_dev
    except OSError:
        return ""
    return f"/dev/loop{os.minor(number)}" if os.major(number) == LOOP_MAJOR else ""


def is_free(image: Path) -> bool:
    """Whether no device is left of it. Another container that is just being started may still hold what was unmounted,
    for the moment in which it has a copy of this host's mounts."""
    give_up = time.monotonic() + PATIENCE
    while devices_of(image):
        if time.monotonic() > give_up:
            return False
        time.sleep(PAUSE)
    return True


def backing_files() -> Iterator[tuple[str, str]]:
    """Each loop device in use and the file behind it, as the kernel names it now."""
    for entry in SYS_BLOCK.glob("loop*/loop/backing_file"):
        with suppress(OSError):
            yield f"/dev/{entry.parts[-3]}", entry.read_text().rstrip("\n")


def mount(source: str, target: Path, kind: str, options: str = "") -> None:
    """nosuid and nodev, always. Raises OSError."""
    _mount(source, target, kind, MS_NOSUID | MS_NODEV, options)


def bind(source: Path, target: Path) -> None:
    """The same directory at another place. The kernel takes nosuid and nodev only in a second step."""
    _mount(str(source), target, "", MS_BIND, "")
    try:
        _mount(str(source), target, "", MS_BIND | MS_REMOUNT | MS_NOSUID | MS_NODEV, "")
    except OSError:
        unmount(target)
        raise


def unmount(target: Path | str) -> None:
    """Whatever is mounted there, however often; a place that somebody is in goes when they leave."""
    while os.path.ismount(target):
        if _LIBC.umount2(os.fsencode(target), UMOUNT_NOFOLLOW) == 0:
            continue
        if ctypes.get_errno() != errno.EBUSY or _LIBC.umount2(os.fsencode(target), UMOUNT_NOFOLLOW | MNT_DETACH) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(target))


def _mount(source: str, target: Path, kind: str, flags: int, options: str) -> None:
    words = (os.fsencode(source), os.fsencode(target), kind.encode())
    if _LIBC.mount(*words, ctypes.c_ulong(flags), options.encode()) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(target))


def _is_same(file: str, wanted: os.stat_result) -> bool:
    with suppress(OSError):
        return os.path.samestat(Path(file).stat(), wanted)
    return False


def _open_device_of(image: Path) -> tuple[int, str] | None:
    for name in devices_of(image):
        with suppress(OSError):
            device = os.open(name, os.O_RDWR | os.O_CLOEXEC)
            if name in devices_of(image):
                return device, name
            os.close(device)
    return None


def _attach(file: int) -> tuple[int, str]:
    configuration = CONFIGURATION.pack(file, 0, AUTOCLEAR)
    for _ in range(ATTEMPTS):
        name = _free_device()
        device = os.open(name, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.ioctl(device, LOOP_CONFIGURE, configuration)
        except OSError as error:
            os.close(device)
            if error.errno != errno.EBUSY:  # another process was quicker to take this one
                raise
        else:
            return device, name
    raise OSError(errno.EBUSY, "every loop device that was free got taken")


def _free_device() -> str:
    control = os.open(LOOP_CONTROL, os.O_RDWR | os.O_CLOEXEC)
    try:
        number = fcntl.ioctl(control, LOOP_CTL_GET_FREE)
    finally:
        os.close(control)
    name = f"/dev/loop{number}"
    with suppress(FileExistsError):  # where no daemon makes the nodes of new devices
        if not Path(name).exists():
            os.mknod(name, stat.S_IFBLK | 0o600, os.makedev(LOOP_MAJOR, number))
    return name
