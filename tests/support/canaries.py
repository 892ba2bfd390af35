"""Plant secrets in a running site, and search the site for them in files, processes and responses that must not contain
them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from agentsite.base.environment import TABLE, ProcessRole
from tests.support.api_client import ApiClient
from tests.support.running_site import MARKS, RunningSite

PLANTED: Final = (
    "METRICS_TOKEN", "SECRET_KEY", "MODEL_API_KEY", "SEARCH_KEY", "EMAIL_PASSWORD", "ARCHIVE_S3_KEY",
    "ARCHIVE_S3_SECRET", "ATTACHMENT_S3_KEY", "ATTACHMENT_S3_SECRET",
)  # fmt: skip
CANARIES: Final[Mapping[str, str]] = {
    name: f"canary-{name.lower().replace('_', '-')}-7f3a9c51e0b84d26b7f3a9c51e0b84d26-7f3a9c51e0b8" for name in PLANTED
}
"""Environment variables of a site, with a distinct value for each secret."""

PROCESSES: Final = {"web", "agent", "sandbox", "door", "preview", "beat"}
NOT_OURS: Final = ("docker", "workspaces", "engine")
"""Directories of the state that hold images and the files of workspaces."""
PIECE: Final = 8 << 20
_MAPPING: Final = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+\s*(.*)")


def strays(site: RunningSite, *, made: Mapping[str, str]) -> list[str]:
    """Return a sentence for each file, process and response that contains a planted secret and must not.

    `made` are secrets that the site issued or received while it ran: processes that handled them may have them in
    memory, but they may be stored nowhere.
    """
    found = [
        f"{name} in the file {path}"
        for path in files_of_state(site.state)
        for name in _in_file(path, {**CANARIES, **made})
    ]
    for process in MARKS:
        pid = site.pid_of(process)
        if pid is not None:
            hidden = {name: value for name, value in ({**CANARIES, **made}).items() if not _may_know(process, name)}
            found += [f"{name} in the environment of {process}" for name in environment_holds(pid, hidden)]
            found += [f"{name} in the memory of {process}" for name in memory_holds(pid, hidden)]
    return found + [f"{name} in the answer of {path}" for path, name in _in_answers(site)]


def _may_know(process: str, name: str) -> bool:
    if process not in PROCESSES:
        return False
    return name not in TABLE or TABLE[name].visible_in(ProcessRole(process))


def files_of_state(state: Path) -> Iterator[Path]:
    """Yield the files of a site's state, except images and the disks of workspaces."""
    for entry in state.iterdir():
        if entry.name not in NOT_OURS:
            yield from (path for path in (entry.rglob("*") if entry.is_dir() else (entry,)) if path.is_file())


def _in_file(path: Path, wanted: Mapping[str, str]) -> set[str]:
    with path.open("rb") as file:
        return _in_pieces(iter(lambda: file.read(PIECE), b""), wanted)


def _in_pieces(pieces: Iterable[bytes], wanted: Mapping[str, str]) -> set[str]:
    """Return the names of the wanted values that the joined pieces contain, including values that span two pieces."""
    found: set[str] = set()
    before = b""
    for piece in pieces:
        text = before + piece
        found |= {name for name, value in wanted.items() if value.encode() in text}
        before = text[-256:]
    return found


def environment_holds(pid: int, wanted: Mapping[str, str]) -> set[str]:
    """Return the names of the wanted values in the environment that a process was started with."""
    return _in_pieces([Path(f"/proc/{pid}/environ").read_bytes()], wanted)


def memory_holds(pid: int, wanted: Mapping[str, str]) -> set[str]:
    """Return the names of the wanted values in the writable memory of a process: its heaps and stacks.

    At its start, the process dropped all settings that are not for its role. `environment_holds` checks the kernel's
    copy of its first environment.
    """
    found: set[str] = set()
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            mapping = _MAPPING.fullmatch(line)
            if mapping is None or not mapping[3].startswith("rw"):
                continue
            found |= _in_pieces(_read(memory, int(mapping[1], 16), int(mapping[2], 16)), wanted)
    return found


def _read(memory: "object", start: int, end: int) -> Iterator[bytes]:
    while start < end:
        try:
            memory.seek(start)  # type: ignore[attr-defined]
            piece = memory.read(min(PIECE, end - start))  # type: ignore[attr-defined]
        except OSError:
            return
        if not piece:
            return
        yield piece
        start += len(piece)


def _in_answers(site: RunningSite) -> Iterator[tuple[str, str]]:
    with ApiClient(site.address) as api:
        for path in ("/", "/api/docs", "/api/v1/openapi.json", "/api/v1/site", "/api/v1/me", "/api/v1/health/ready"):
            text = api.http.get(path).content
            yield from ((path, name) for name in _in_pieces([text], CANARIES))


def make_secrets(site: RunningSite) -> dict[str, str]:
    """Create secrets of people: a token and a ticket that the site issues, and a provider's key that it receives."""
    key = "sk-canary-provider-7f3a9c51e0b84d26b7f3a9c51e0b84d26"
    with ApiClient(site.address) as api:
        token = api.post("/api/v1/tokens", {"name": "canary"})["token"]
        team = api.get("/api/v1/me")["teams"][0]["id"]
        provider = {"name": "Canary", "slug": "canary", "kind": "openai", "key": key}
        api.post(f"/api/v1/teams/{team}/providers", provider)
        ticket = api.post("/api/v1/socket-tickets")["ticket"]
        api.http.get(f"/ws/me?ticket={ticket}")
    return {"a token": token, "a provider's key": key, "a ticket": ticket}
