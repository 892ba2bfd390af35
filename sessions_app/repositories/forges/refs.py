"""Read the branches and tags of a repository over git's own protocol, which all servers speak.

Version 2 of the protocol sends only what is asked for; an older server sends all refs at once.
"""

from collections.abc import Iterator
from typing import Final

from sessions_app.repositories.forges.client import GitClient
from sessions_app.repositories.forges.port import MAX_FOUND, ForgeError, RefInfo, Refs

SERVICE: Final = "git-upload-pack"
_HEADS, _TAGS = "refs/heads/", "refs/tags/"
_FLUSH, _DELIMITER = b"0000", b"0001"
_V2: Final = {"Git-Protocol": "version=2"}


async def read_refs(client: GitClient, search: str = "") -> Refs:
    """Return the refs of the repository at the client's address whose names contain `search`. Raises ForgeError."""
    advertised = await client.send("GET", "/info/refs", query={"service": SERVICE}, headers=_V2)
    lines = list(_lines(advertised))
    if b"version 2" in lines:
        headers = {**_V2, "Content-Type": f"application/x-{SERVICE}-request"}
        request = _ls_refs(unborn=b"ls-refs=unborn" in lines)
        lines = list(_lines(await client.send("POST", f"/{SERVICE}", content=request, headers=headers)))
    return _chosen(lines, search.lower())


def _ls_refs(*, unborn: bool) -> bytes:
    wanted = ["peel", "symrefs", "ref-prefix HEAD", f"ref-prefix {_HEADS}", f"ref-prefix {_TAGS}"]
    if unborn:  # names the default branch of a repository without commits
        wanted.append("unborn")
    return b"".join((_line("command=ls-refs"), _DELIMITER, *map(_line, wanted), _FLUSH))


def _line(text: str) -> bytes:
    return f"{len(text) + 5:04x}{text}\n".encode()


def _lines(received: bytes) -> Iterator[bytes]:
    """Yield the pkt-lines of an answer. Raises ForgeError if the answer does not consist of pkt-lines."""
    at = 0
    while at < len(received):
        try:
            length = int(received[at : at + 4], 16)
        except ValueError:
            length = -1
        if length < 0 or length == 3 or at + length > len(received):
            raise ForgeError("broken", "This address does not lead to a git repository.", "Check the address.")
        if length >= 4:
            yield received[at + 4 : at + length].rstrip(b"\n")
        at += max(length, 4)


def _chosen(lines: list[bytes], search: str) -> Refs:
    default, found = "", []
    for line in lines:
        text, _, capabilities = line.partition(b"\0")
        commit, _, rest = text.decode("utf-8", "replace").partition(" ")
        name, *more = rest.split(" ")
        if name == "HEAD":
            default = _head_of([*more, *capabilities.decode("utf-8", "replace").split(" ")])
        elif name.startswith(_HEADS):
            found.append(RefInfo(name.removeprefix(_HEADS), "branch", commit))
        elif name.startswith(_TAGS) and not name.endswith("^{}"):
            peeled = next((word.removeprefix("peeled:") for word in more if word.startswith("peeled:")), commit)
            found.append(RefInfo(name.removeprefix(_TAGS), "tag", peeled))
    wanted = [each for each in found if search in each.name.lower()]
    wanted.sort(key=lambda each: (each.name != default, each.kind == "tag", each.name))
    return Refs(default, wanted[:MAX_FOUND], max(0, len(wanted) - MAX_FOUND))


def _head_of(words: list[str]) -> str:
    for word in words:
        for start in ("symref-target:", "symref=HEAD:"):
            if word.startswith(start + _HEADS):
                return word.removeprefix(start + _HEADS)
    return ""
