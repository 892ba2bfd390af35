"""Archives restore the same files, in another sandbox too, and hostile archives do no harm."""

import asyncio
import gzip
import io
import os
import tarfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest

from agentsite.base.background import background
from sandbox.errors import LimitReached, SandboxRefused
from sandbox.limits import Limits
from sandbox.local import LocalDeployment
from sandbox.ports import ArchiveSummary, Deployment, SandboxSpec
from tests.contract.sandbox.conftest import KINDS, Sandbox
from tests.support.hostile_archives import (
    GOOD,
    LEFT_OUT,
    LINKS,
    NO_ARCHIVES,
    behind,
    in_pieces,
    member,
    packed,
)  # fmt: skip

ROOM = 1 << 30
FILL = r"""
cd "$W" && mkdir -p src/deep closed empty && echo 'print(1)' > src/a.py && chmod 750 src/a.py
git init -q . && echo b > "src/deep/a name with
a line break"
printf 'x' > "$(printf 'src/\351')" && touch -d @1000000000 src/a.py
ln -s /etc/passwd out && ln -s src/a.py in && ln -s nowhere dangling
mkfifo pipe; echo secret > hidden && chmod 000 hidden
echo c > closed/c && chmod 555 closed
echo 'alias x=y' > ~/.bashrc; mkdir -p ~/.cache/pip ~/.config && echo big > ~/.cache/pip/wheel && echo k > ~/.config/k
long=$(printf 'n%.0s' $(seq 200)); mkdir -p $long/$long && echo deep > $long/$long/f
head -c 700000 /dev/urandom > random.bin; chmod 4755 random.bin; ln random.bin twin.bin
"""
LIST = r"""
for root in "$W" ~; do cd "$root"; find . -mindepth 1 \( -name hidden -o -name pipe -o -path ./.cache \) -prune -o \
 -not -name .cache -printf '%P %y %#m %l\n' | sort; find . -type f -not -path './.cache/*' -readable \
 -exec sha256sum {} + | sort; done
"""


def _shell(sandbox: Sandbox, script: str) -> str:
    root = "/workspace" if sandbox.is_contained else str(sandbox.files)
    return f"W={root}; {script}"


@pytest.fixture(scope="module", params=KINDS)
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """Provide one sandbox of each kind for all tests, because starting one for each test would take most of the
    time."""
    root, kind = tmp_path_factory.mktemp("a"), request.param
    spec = SandboxSpec(f"wsp_{uuid.uuid4().hex[:12]}", "none", limits=Limits(memory_mib=512, pids=256, tmp_mib=64))
    deployment: Deployment = LocalDeployment(root, for_tests=True)
    if kind != "local":
        from sandbox.docker import CarrierKind, DockerDeployment

        engine = request.getfixturevalue("docker_engine")
        carrier: CarrierKind = "stream" if kind == "docker-stream" else "socket"
        deployment = DockerDeployment(root, site=engine.site, docker_host=engine.host, carrier=carrier)
        spec = replace(spec, image=engine.image)
    runtime = background.run(deployment.ensure(spec))
    yield Sandbox(deployment, spec, runtime, root / spec.workspace_id / "files", kind)
    background.run(deployment.remove(spec.workspace_id, files=True))
    background.run(deployment.close())


@pytest.fixture
async def sandbox(shared: Sandbox) -> Sandbox:
    await _empty(shared)
    return shared


async def _archive(sandbox: Sandbox, *, limit: int = ROOM) -> tuple[bytes, ArchiveSummary]:
    pieces: list[bytes] = []

    async def keep(piece: bytes) -> None:
        pieces.append(piece)

    summary = await sandbox.runtime.archive(keep, limit=limit)
    return b"".join(pieces), summary


async def _empty(sandbox: Sandbox) -> None:
    await sandbox.shell(_shell(sandbox, 'chmod -R u+rwx "$W" ~; find "$W" ~ -mindepth 1 -delete'))


async def _restore(sandbox: Sandbox, data: bytes, *, limit: int = ROOM) -> ArchiveSummary:
    return await sandbox.runtime.restore(in_pieces(data), limit=limit)


async def test_what_was_archived_comes_back_as_it_was(sandbox: Sandbox) -> None:
    await sandbox.shell(_shell(sandbox, FILL))
    before = (await sandbox.shell(_shell(sandbox, LIST))).replace("04755", "0755")
    data, summary = await _archive(sandbox)
    await _empty(sandbox)

    restored = await _restore(sandbox, data)

    assert await sandbox.shell(_shell(sandbox, LIST)) == before
    assert (restored.entries, restored.left_out) == (summary.entries, 0)
    assert summary.left_out == (2 if os.getuid() or sandbox.is_contained else 1)  # the FIFO, and what may not be read
    assert (await sandbox.shell(_shell(sandbox, 'stat -c %Y "$W/src/a.py"'))).strip() == "1000000000"


async def test_an_archive_is_a_plain_tar_with_the_repository_and_without_caches(sandbox: Sandbox) -> None:
    await sandbox.shell(_shell(sandbox, FILL))
    data, _ = await _archive(sandbox)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        names = archive.getnames()
    assert "workspace/.git/HEAD" in names
    assert "home/.bashrc" in names
    assert not [name for name in names if ".cache" in name or name.startswith("/")]


async def test_the_state_changes_with_the_files_and_only_then(sandbox: Sandbox) -> None:
    await sandbox.shell(_shell(sandbox, 'echo 1 > "$W/a"; echo 1 > ~/h'))
    first = await sandbox.runtime.archive_state()
    _, summary = await _archive(sandbox)
    assert summary.state == first == await sandbox.runtime.archive_state()
    for change in ('echo 2 > "$W/a"', "echo 2 > ~/h", 'chmod 600 "$W/a"', 'mkdir "$W/d"', "rm ~/h", 'ln -s b "$W/l"'):
        await sandbox.shell(_shell(sandbox, change))
        second = await sandbox.runtime.archive_state()
        assert second != first, change
        first = second
    await sandbox.shell(_shell(sandbox, "mkdir -p ~/.cache && echo cached > ~/.cache/x"))
    assert await sandbox.runtime.archive_state() == first


async def test_files_that_change_while_they_are_read_do_not_break_it(sandbox: Sandbox) -> None:
    churn = (
        'cd "$W"; end=$((SECONDS+1)); while [ $SECONDS -lt $end ]; do for i in 1 2 3 4 5 6; do'
        " head -c $((RANDOM*20)) /dev/zero > f$i; mv f$i g$i; truncate -s 3 g$i; rm -rf d$i; mkdir d$i; done; done"
    )
    running = asyncio.create_task(sandbox.shell(_shell(sandbox, churn)))
    while not running.done():
        data, _ = await _archive(sandbox)
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            assert all(entry.isfile() or entry.isdir() for entry in archive)


async def test_what_does_not_fit_is_left_out_and_counted(sandbox: Sandbox) -> None:
    await sandbox.shell(_shell(sandbox, 'echo small > "$W/a"; truncate -s 1T "$W/sparse"; echo small > "$W/z"'))
    data, summary = await _archive(sandbox, limit=1000)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        assert {"workspace/a", "workspace/z"} <= set(archive.getnames())
    assert (summary.left_out, summary.size) == (1, 12)


async def test_a_slow_receiver_slows_the_archive_and_nothing_else(sandbox: Sandbox) -> None:
    await sandbox.shell(_shell(sandbox, 'head -c 6000000 /dev/urandom > "$W/random"'))
    sizes: list[int] = []
    answered: list[int] = []

    async def slowly(piece: bytes) -> None:
        sizes.append(len(piece))
        if len(sizes) % 5 == 0:
            await sandbox.runtime.ping()
            answered.append(len(sizes))

    await sandbox.runtime.archive(slowly, limit=ROOM)
    assert max(sizes) < 1 << 20
    assert len(answered) >= 3
    assert sum(sizes) > 6_000_000


async def test_a_receiver_that_fails_ends_the_archive_and_leaves_the_sandbox_well(sandbox: Sandbox) -> None:
    await sandbox.shell(_shell(sandbox, 'head -c 4000000 /dev/urandom > "$W/random"'))

    async def full(piece: bytes) -> None:
        raise OSError("the disk of the storage is full")

    with pytest.raises(OSError, match="storage is full"):
        await sandbox.runtime.archive(full, limit=ROOM)
    assert (await sandbox.shell("echo well")) == "well\n"


async def test_hostile_entries_are_left_out_and_the_rest_is_restored(sandbox: Sandbox) -> None:
    for what, members in LEFT_OUT.items():
        await _empty(sandbox)
        summary = await _restore(sandbox, packed(GOOD, *members))
        assert summary.left_out == 1, what
        assert (await sandbox.runtime.read("good.txt")).content == b"good", what
        found = await sandbox.shell(_shell(sandbox, 'find "$W" ~ -name "evil" -o -name "nnn*"; ls /tmp/evil 2>&-'))
        assert found == "", what


async def test_no_link_of_an_archive_is_a_way_to_anywhere(sandbox: Sandbox) -> None:
    for what, (target, name) in LINKS.items():
        await _empty(sandbox)
        await sandbox.shell(_shell(sandbox, 'mkdir "$W/real"'))
        summary = await _restore(sandbox, behind(target, name))
        assert summary.left_out == 1, what
        assert (await sandbox.shell(_shell(sandbox, 'find "$W" ~ -name evil; ls /tmp/evil 2>&-'))) == "", what


async def test_a_link_that_stands_where_a_file_goes_is_replaced_and_not_followed(sandbox: Sandbox) -> None:
    await sandbox.shell(_shell(sandbox, 'echo mine > ~/target; ln -s ~/target "$W/good.txt"'))
    await _restore(sandbox, packed(GOOD))
    assert (await sandbox.shell(_shell(sandbox, 'cat ~/target; cat "$W/good.txt"'))) == "mine\ngood"


async def test_special_bits_do_not_survive(sandbox: Sandbox) -> None:
    await _restore(sandbox, packed(member("workspace/root", mode=0o6777)))
    assert (await sandbox.runtime.stat("root")).mode == 0o777


async def test_what_is_no_archive_is_refused_in_plain_words(sandbox: Sandbox) -> None:
    for what, make in NO_ARCHIVES.items():
        with pytest.raises(SandboxRefused, match="not a valid workspace archive"):
            await _restore(sandbox, make())
        assert (await sandbox.runtime.ping()).protocol, what


async def test_a_bomb_is_refused_before_it_fills_the_disk(sandbox: Sandbox) -> None:
    bomb = gzip.compress(packed_plain(bytes(50_000_000)), 6)
    with pytest.raises(LimitReached, match="larger than the limit for a restore"):
        await _restore(sandbox, bomb, limit=10_000_000)


def packed_plain(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info, _ = member("workspace/bomb", content)
        archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


async def test_a_sender_that_fails_leaves_the_sandbox_well(sandbox: Sandbox) -> None:
    async def breaks() -> AsyncIterator[bytes]:
        yield packed(GOOD)[:20]
        raise OSError("the storage is away")

    with pytest.raises(OSError, match="storage is away"):
        await sandbox.runtime.restore(breaks(), limit=ROOM)
    assert (await sandbox.shell("echo well")) == "well\n"


async def test_an_archive_of_new_files_leaves_out_what_was_there(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("before/old", b"old")
    await asyncio.sleep(0.05)  # a tick of the clock by which the kernel dates files
    since_ns = time.time_ns()
    await asyncio.sleep(0.05)
    await sandbox.runtime.write("before/new", b"new")
    await sandbox.runtime.write("/home/agent/.cache/tool/browser", b"kept")
    await sandbox.runtime.write("/home/agent/.cache/pip/wheel", b"download")
    pieces: list[bytes] = []

    async def sink(piece: bytes) -> None:
        pieces.append(piece)

    await sandbox.runtime.archive(sink, limit=ROOM, since_ns=since_ns)
    with tarfile.open(fileobj=io.BytesIO(b"".join(pieces))) as content:
        files = {each.name for each in content if each.isfile()}
    assert files == {"workspace/before/new", "home/.cache/tool/browser"}


async def test_a_restore_that_keeps_files_replaces_none_of_the_workspace(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("a", b"mine")
    await sandbox.runtime.write("/home/agent/.profile", b"mine")
    entries = (("workspace/a", b"theirs"), ("workspace/d/b", b"theirs"), ("home/.profile", b"theirs"))
    content = packed(*(member(name, text) for name, text in entries))
    summary = await sandbox.runtime.restore(in_pieces(content), limit=ROOM, keep_files=True)
    assert summary.left_out == 1
    for path, text in (("a", b"mine"), ("d/b", b"theirs"), ("/home/agent/.profile", b"theirs")):
        assert (await sandbox.runtime.read(path)).content == text
