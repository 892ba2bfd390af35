"""A sentence for people about the files in Git LFS of a new workspace. Pure."""

from collections.abc import Mapping
from typing import Final

GET: Final = "`git lfs pull --include=PATH --exclude=` gets some of them."
TEXTS: Final[Mapping[str, str]] = {
    "done": "Its {files} in Git LFS ({size}) {are} there.",
    "off": "Its {files} in Git LFS ({size}) stay pointers, as the project's settings want. " + GET,
    "large": "Its {files} in Git LFS {have} {size}, and a new workspace gets at most {limit}, so they stay pointers. "
    + GET,
    "missing": "Its {files} in Git LFS ({size}) stay pointers: the image has no git-lfs.",
    "failed": "Not all of its {files} in Git LFS ({size}) came: {said} The others are pointers. "
    "`git lfs pull` tries again.",
}


def lfs_note(facts: Mapping[str, str], limit_kib: int) -> str:
    """Return a sentence about the files in Git LFS, from the facts that the clone script printed; "" for a repository
    without LFS."""
    count = int(facts.get("lfsfiles", "0"))
    text = TEXTS.get(facts.get("lfs", ""), "")
    if not count or not text:
        return ""
    return text.format(
        files=f"{count:,} files" if count > 1 else "file",
        are="are" if count > 1 else "is",
        have="have" if count > 1 else "has",
        size=shown_size(int(facts.get("lfsbytes", "0"))),
        limit=shown_size(limit_kib * 1024),
        said=facts.get("lfssaid", "").strip() or "git-lfs failed.",
    )


def shown_size(count: int) -> str:
    """Return a number of bytes as text, such as "1.5 MiB"."""
    if count < 1 << 20:
        return f"{count / 1024:,.1f} KiB"
    return f"{count / (1 << 20):,.1f} MiB" if count < 1 << 30 else f"{count / (1 << 30):,.1f} GiB"
