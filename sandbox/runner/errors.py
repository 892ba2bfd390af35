"""How the runner says no: a code of `sandbox.errors` and a plain sentence."""

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
    errno.EEXIST: (CONFLICT, "Something exists there already"),
    errno.ENXIO: (WRONG_KIND, "This is not a regular file"),
    errno.ELOOP: (PATH_OUTSIDE, "This path changed while it was being opened, or its links lead in a circle"),
    errno.EXDEV: (PATH_OUTSIDE, "This path leads out of the place where it was looked for"),
    errno.EACCES: (NOT_PERMITTED, "The tool user may not do this"),
    errno.EPERM: (NOT_PERMITTED, "The tool user may not do this"),
    errno.EROFS: (NOT_PERMITTED, "This part of the file system is read-only"),
    errno.EBUSY: (NOT_PERMITTED, "This is in use by the system"),
    errno.ETXTBSY: (NOT_PERMITTED, "This program is running"),
    errno.ENAMETOOLONG: (REFUSED, "This name is too long"),
    errno.E2BIG: (REFUSED, "The command and its environment are too long; put the text in a file"),
    errno.EINVAL: (REFUSED, "The system did not accept this"),
    errno.ENOSPC: (LIMIT_REACHED, "The disk is full"),
    errno.EDQUOT: (LIMIT_REACHED, "The disk quota is used up"),
    errno.EFBIG: (LIMIT_REACHED, "The file would be too large"),
    errno.EMFILE: (LIMIT_REACHED, "Too many files are open"),
    errno.ENFILE: (LIMIT_REACHED, "Too many files are open"),
    errno.ENOMEM: (LIMIT_REACHED, "There is no memory left"),
    errno.EAGAIN: (LIMIT_REACHED, "There are too many processes"),
    errno.ENOSYS: (UNAVAILABLE, "The kernel lacks openat2, which safe file access needs; Linux 5.6 or later has it"),
}


class Refusal(Exception):
    """Ends a request with an error answer."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def from_os_error(error: OSError, path: str) -> Refusal:
    code, text = BY_ERRNO.get(error.errno or 0, (UNAVAILABLE, f"The system answered: {error.strerror or error}"))
    return Refusal(code, f"{text}: {path}" if path else f"{text}.")
