"""Patches, applied by `git apply` to a fresh copy, result in exactly the files of the workspace."""

import random
import subprocess
from pathlib import Path

import pytest

from sandbox.errors import NotFound
from sandbox.ports import ArchiveSummary
from tests.contract.sandbox.conftest import Sandbox

ROOM = 1 << 30
START = r"""
mkdir -p src && seq 200 > src/long.txt && printf 'no end' > end.txt && echo tool > tool.sh && echo gone > gone.txt
printf '\0\1\2' > image.bin && printf '\0old' > old.bin && ln -s src/long.txt link && echo x > 'a name with spaces'
seq 300 > moved.txt && seq 400 500 > "edited and moved.txt" && echo file > becomes-link && : > empty
"""
WORK = r"""
sed -i 's/^100$/hundred/; $d' src/long.txt && printf 'no end now' > end.txt && chmod 755 tool.sh && rm gone.txt
head -c 300000 /dev/urandom > image.bin && rm old.bin && head -c 5000 /dev/urandom > new.bin
ln -sfn tool.sh link && echo y >> 'a name with spaces' && mkdir -p sub && mv moved.txt sub/moved.txt
mv "edited and moved.txt" sub/edited.txt && sed -i 's/450/four/' sub/edited.txt
rm becomes-link && ln -s end.txt becomes-link
: > "$(printf 'caf\303\251 \"q\"\t\n\351')" && echo b > 'b\c' && rm empty
"""


async def patch_of(sandbox: Sandbox, base: str) -> tuple[bytes, ArchiveSummary]:
    pieces: list[bytes] = []

    async def keep(piece: bytes) -> None:
        pieces.append(piece)

    summary = await sandbox.runtime.patch(base, keep, limit=ROOM)
    return b"".join(pieces), summary


def apply(folder: Path, patch: bytes, *options: str) -> None:
    subprocess.run(["git", "apply", *options, "-"], cwd=folder, input=patch, check=True)


async def tree_of(sandbox: Sandbox) -> str:
    """Return the names, kinds, executable bits and contents of all files in the workspace."""
    listed = "find . ! -type d -printf '%y %l ' -a \\( -perm -100 -printf x -o -true \\) -printf ' %P\\0'"
    return await sandbox.shell(f"{listed} | sort -z | sha256sum; find . -type f -print0 | sort -z | xargs -0 sha256sum")


async def test_a_patch_makes_a_fresh_copy_what_the_workspace_is(sandbox: Sandbox) -> None:
    await sandbox.shell(START)
    base = await sandbox.runtime.snapshot()
    await sandbox.shell(WORK)
    wanted = await tree_of(sandbox)
    patch, summary = await patch_of(sandbox, base)
    assert summary.left_out == 0
    assert b"rename from moved.txt\nrename to sub/moved.txt\n" in patch
    assert b"rename from edited and moved.txt\nrename to sub/edited.txt\n" in patch
    assert b"old mode 100644\nnew mode 100755\n" in patch
    await sandbox.shell("find . -mindepth 1 -delete")
    await sandbox.shell(START)
    await sandbox.runtime.write("the.patch", patch)
    assert await sandbox.shell("git apply the.patch && rm the.patch") == ""
    assert await tree_of(sandbox) == wanted


async def test_a_patch_is_complete_whatever_the_repository_is_configured_to(sandbox: Sandbox) -> None:
    await sandbox.shell(
        "git init -q . && git config diff.external /bin/false && git config diff.noprefix true"
        " && git config diff.x.textconv false && echo '* -diff diff=x' > .gitattributes && echo one > a"
    )
    base = await sandbox.runtime.snapshot()
    await sandbox.shell("echo two > a && git add -A && git -c user.name=x -c user.email=x commit -qm x")
    patch, _ = await patch_of(sandbox, base)
    assert patch.startswith(b"diff --git a/a b/a\nindex ")
    assert patch.endswith(b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n")


async def test_what_was_not_recorded_is_named_before_the_first_change(sandbox: Sandbox) -> None:
    await sandbox.shell("echo one > a")
    base = await sandbox.runtime.snapshot()
    await sandbox.shell("echo two > a && head -c 3000000 /dev/zero > large")
    patch, summary = await patch_of(sandbox, base)
    assert patch.startswith(
        b"# Left out, because its content is not kept (more than 2 MiB, or too old): large\ndiff --git"
    )
    assert (summary.entries, summary.left_out) == (1, 1)
    await sandbox.shell("echo one > a")
    await sandbox.runtime.write("the.patch", patch)
    assert await sandbox.shell("git apply the.patch && cat a") == "two\n"


async def test_texts_too_long_for_a_diff_are_written_as_binary(sandbox: Sandbox, tmp_path: Path) -> None:
    noise = random.Random(7)
    before, after = ("".join(f"{noise.random()}\n" for _ in range(60_000)) for _ in range(2))
    await sandbox.runtime.write("a", before.encode())
    base = await sandbox.runtime.snapshot()
    await sandbox.runtime.write("a", after.encode())
    patch, _ = await patch_of(sandbox, base)
    assert b"GIT binary patch\n" in patch
    (tmp_path / "a").write_text(before)
    apply(tmp_path, patch)
    assert (tmp_path / "a").read_text() == after
    apply(tmp_path, patch, "-R")
    assert (tmp_path / "a").read_text() == before


async def test_no_change_is_an_empty_patch_and_an_unknown_snapshot_none(sandbox: Sandbox) -> None:
    base = await sandbox.runtime.snapshot()
    assert (await patch_of(sandbox, base))[0] == b""
    with pytest.raises(NotFound):
        await patch_of(sandbox, "0" * 64)
