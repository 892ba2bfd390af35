"""Errors of a request: the codes of `sandbox.errors`, and a plain sentence for each errno."""

import errno
from typing import Final

NOT_PERMITTED: Final = "not_permitted"
PATH_OUTSIDE: Final = "path_outside"
NOT_FOUND: Final = "not_found"
WRONG_KIND: Final = "wrong_kind"
CONFLICT: Final = "conflict"
LIMIT_REACHED: Final = "limit_reached"
REFUSED: Final = "sandbox_refused"
UNAVAILABLE: Final = "sandbox_unavailable"

BY_ERRNO: Final = {
    errno.ENOENT: (NOT_FOUND, "There is no such file or directory"),
    errno.ENOTDIR: (WRONG_KIND, "A part of this path is not a directory"),
    errno.EISDIR: (WRONG_KIND, "This is a directory"),
    errno.ENOTEMPTY: (WRONG_KIND, "This directory is not empty"),
    errno.EEXIST: (CONFLICT, "Something already exists at this path"),
    errno.ENXIO: (WRONG_KIND, "This is not a regular file"),
    errno.ELOOP: (PATH_OUTSIDE, "This path changed while it was being opened, or its symbolic links form a loop"),
    errno.EXDEV: (PATH_OUTSIDE, "This path leads outside the directory in which it was opened"),
    errno.EACCES: (NOT_PERMITTED, "Permission denied for the tool user"),
    errno.EPERM: (NOT_PERMITTED, "Permission denied for the tool user"),
    errno.EROFS: (NOT_PERMITTED, "This part of the file system is read-only"),
    errno.EBUSY: (NOT_PERMITTED, "This is in use by the system"),
    errno.ETXTBSY: (NOT_PERMITTED, "This program is running"),
    errno.ENAMETOOLONG: (REFUSED, "This name is too long"),
    errno.E2BIG: (REFUSED, "The command and its environment are too long; put the text in a file"),
    errno.EINVAL: (REFUSED, "The kernel rejected this as invalid"),
    errno.ENOSPC: (LIMIT_REACHED, "The disk is full"),
    errno.EDQUOT: (LIMIT_REACHED, "The disk quota is used up"),
    errno.EFBIG: (LIMIT_REACHED, "The file would be too large"),
    errno.EMFILE: (LIMIT_REACHED, "Too many files are open"),
    errno.ENFILE: (LIMIT_REACHED, "Too many files are open"),
    errno.ENOMEM: (LIMIT_REACHED, "There is no memory left"),
    errno.EAGAIN: (LIMIT_REACHED, "There are too many processes"),
    errno.ENOSYS: (UNAVAILABLE, "The kernel lacks openat2 (Linux 5.6 or later), which safe file access needs"),
}
"""The code and the beginning of the message for errors of system calls."""


class Refusal(Exception):
    """An error that ends a request; the client gets an error response with this code and message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def from_os_error(error: OSError, path: str) -> Refusal:
    """Return the refusal for an error of a system call. `path` is named in the message unless it is empty."""
    code, text = BY_ERRNO.get(
        error.errno or 0, (UNAVAILABLE, f"The system reported an error: {error.strerror or error}")
    )
    return Refusal(code, f"{text}: {path}" if path else f"{text}.")
