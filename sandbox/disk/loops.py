"""Loop devices and mounts through system calls. The kernel frees an unused loop device automatically.

A device is attached with autoclear: it exists as long as it is mounted or open. A process that is killed between
attaching and mounting therefore leaves nothing behind.
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
"""struct loop_config (304 bytes): file, block size, and the flags of struct loop_info64; all else is zero."""
MAX_ATTACH_ATTEMPTS: Final = 50
DETACH_TIMEOUT: Final = 3.0  # seconds
DETACH_POLL_INTERVAL: Final = 0.01  # seconds
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
    """Context manager that yields the path of the image's loop device, and attaches the image first if it has none.

    An image never gets a second device: two mounted devices of one image would destroy its file system. A mounted
    device stays attached after the block.
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
    """Return the loop devices that are attached to this image."""
    try:
        wanted = image.stat()
    except FileNotFoundError:
        return []
    return [name for name, file in backing_files() if _is_same(file, wanted)]


def mounted_device(path: Path | str) -> str:
    """Return the loop device that is mounted at this path, or "" if there is none."""
    try:
        number = Path(path).stat().st_dev
    except OSError:
        return ""
    return f"/dev/loop{os.minor(number)}" if os.major(number) == LOOP_MAJOR else ""


def is_free(image: Path) -> bool:
    """Return whether no loop device is attached to this image, after waiting for up to DETACH_TIMEOUT.

    A container that is just starting has a copy of this host's mounts and may keep an unmounted device busy for a
    moment.
    """
    deadline = time.monotonic() + DETACH_TIMEOUT
    while devices_of(image):
        if time.monotonic() > deadline:
            return False
        time.sleep(DETACH_POLL_INTERVAL)
    return True


def backing_files() -> Iterator[tuple[str, str]]:
    """Yield each loop device in use with the current path of its image."""
    for entry in SYS_BLOCK.glob("loop*/loop/backing_file"):
        with suppress(OSError):
            yield f"/dev/{entry.parts[-3]}", entry.read_text().rstrip("\n")


def mount(source: str, target: Path, kind: str, options: str = "") -> None:
    """Mount a device or file system at `target` with nosuid and nodev. Raises OSError."""
    _mount(source, target, kind, MS_NOSUID | MS_NODEV, options)


def bind(source: Path, target: Path) -> None:
    """Bind-mount a directory at another path with nosuid and nodev.

    The kernel applies these two flags only in a second step.
    """
    _mount(str(source), target, "", MS_BIND, "")
    try:
        _mount(str(source), target, "", MS_BIND | MS_REMOUNT | MS_NOSUID | MS_NODEV, "")
    except OSError:
        unmount(target)
        raise


def unmount(target: Path | str) -> None:
    """Unmount everything at this path, including stacked mounts.

    A busy mount is detached; the kernel unmounts it when its last user closes it.
    """
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
    """Attach a free loop device to the open file. Return its descriptor and path."""
    configuration = CONFIGURATION.pack(file, 0, AUTOCLEAR)
    for _ in range(MAX_ATTACH_ATTEMPTS):
        name = _free_device()
        device = os.open(name, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.ioctl(device, LOOP_CONFIGURE, configuration)
        except OSError as error:
            os.close(device)
            if error.errno != errno.EBUSY:  # another process took this device first
                raise
        else:
            return device, name
    raise OSError(errno.EBUSY, "no loop device could be attached: other processes took every free one")


def _free_device() -> str:
    control = os.open(LOOP_CONTROL, os.O_RDWR | os.O_CLOEXEC)
    try:
        number = fcntl.ioctl(control, LOOP_CTL_GET_FREE)
    finally:
        os.close(control)
    name = f"/dev/loop{number}"
    with suppress(FileExistsError):  # without udev, nothing creates the nodes of new devices
        if not Path(name).exists():
            os.mknod(name, stat.S_IFBLK | 0o600, os.makedev(LOOP_MAJOR, number))
    return name
