"""Uploaded files become a workspace with a repository; hostile and broken ones are refused in plain words."""

import gzip
import io
import os
import stat
import subprocess
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sessions_app.uploads.kinds import kind_of
from sessions_app.uploads.unpack import clean_path, run

MIB = 1 << 20


def unpacked(folder: Path, content: bytes, **options: Any) -> dict[str, Any]:
    given = {"kind": kind_of(content[:512]), "size": len(content), "max_bytes": 64 * MIB, "max_entries": 1_000}
    return run(str(folder), given | {"disk_mib": 128} | options, io.BytesIO(content))


def zipped(files: dict[str, bytes | tuple[int, bytes]]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            mode, text = content if isinstance(content, tuple) else (stat.S_IFREG | 0o644, content)
            info.external_attr = mode << 16
            archive.writestr(info, text)
    return packed.getvalue()


def tarred(entries: list[tuple[tarfile.TarInfo, bytes]], mode: str = "w:gz") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
        for info, content in entries:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def entry(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", mode: int = 0o644) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, target, mode
    return info


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def without_mode(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.mode = 0 if info.isreg() else 0o755
    return info


def names(folder: Path) -> list[str]:
    paths = (path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())
    return sorted(str(path) for path in paths if path.parts[0] != ".git")


def test_a_zip_becomes_files_in_one_commit(tmp_path: Path) -> None:
    content = zipped({"a.txt": b"a\n", "b/run.sh": (stat.S_IFREG | 0o755, b"echo\n"), "l": (stat.S_IFLNK, b"a.txt")})
    facts = unpacked(tmp_path, content)
    assert facts == {"kind": "zip", "files": 3, "left_out": 0, "branch": "main", "bytes": 7}
    assert names(tmp_path) == ["a.txt", "b/run.sh", "l"]
    assert os.access(tmp_path / "b/run.sh", os.X_OK)
    assert (tmp_path / "l").readlink() == Path("a.txt")
    assert git(tmp_path, "log", "--format=%an %s") == "agentsite Start of the project\n"
    assert git(tmp_path, "status", "--porcelain") == ""


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_tar_becomes_files_however_it_is_compressed(tmp_path: Path, mode: str) -> None:
    content = tarred([(entry("./a.txt"), b"a"), (entry("b", tarfile.LNKTYPE, "./a.txt"), b"")], mode)
    assert unpacked(tmp_path, content)["files"] == 2
    assert (tmp_path / "b").read_bytes() == b"a"


def test_a_single_top_folder_is_left_out_of_the_paths(tmp_path: Path) -> None:
    unpacked(tmp_path, zipped({"shop-main/a.py": b"1", "shop-main/.env": b"2", "__MACOSX/x": b"", ".DS_Store": b""}))
    assert names(tmp_path) == [".env", "a.py"]


def test_a_single_source_folder_stays(tmp_path: Path) -> None:
    unpacked(tmp_path, zipped({"src/a.py": b"1"}))
    assert names(tmp_path) == ["src/a.py"]


def test_a_repository_in_the_upload_is_kept_with_its_history(tmp_path: Path) -> None:
    (source := tmp_path / "source").mkdir()
    git(source, "init", "-q", "-b", "trunk")
    (source / "a").write_text("1")
    git(source, "add", "-A")
    git(source, "commit", "-q", "-m", "First")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.add(source, "source")
    (target := tmp_path / "target").mkdir()
    assert unpacked(target, packed.getvalue())["branch"] == "trunk"
    assert git(target, "log", "--format=%s") == "First\n"


def test_a_bundle_is_cloned_with_all_branches(tmp_path: Path) -> None:
    (source := tmp_path / "source").mkdir()
    git(source, "init", "-q", "-b", "trunk")
    (source / "a").write_text("1")
    git(source, "add", "-A")
    git(source, "commit", "-q", "-m", "First")
    git(source, "branch", "other")
    git(source, "tag", "v1")
    git(source, "bundle", "create", "../all.bundle", "--all", "HEAD")
    (target := tmp_path / "target").mkdir()
    facts = unpacked(target, (tmp_path / "all.bundle").read_bytes())
    assert (facts["files"], facts["branch"], names(target)) == (1, "trunk", ["a"])
    assert git(target, "for-each-ref", "--format=%(refname)").split() == [
        "refs/heads/other", "refs/heads/trunk", "refs/tags/v1",
    ]  # fmt: skip
    assert git(target, "remote") == ""


def test_a_bundle_that_lacks_commits_is_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    for name in ("a", "b"):
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", name)
    git(tmp_path, "bundle", "create", "part.bundle", "HEAD~1..main")
    (target := tmp_path / "target").mkdir()
    assert "needs commits" in unpacked(target, (tmp_path / "part.bundle").read_bytes())["refused"]
    assert not (target / ".agentsite-upload.part").exists()


def test_names_that_lead_out_devices_and_bad_links_are_left_out(tmp_path: Path) -> None:
    (inside := tmp_path / "inside").mkdir()
    hostile = [
        (entry("../out"), b"x"),
        (entry("/tmp/out"), b"x"),
        (entry("a/../../out"), b"x"),
        (entry("null", tarfile.CHRTYPE), b""),
        (entry("pipe", tarfile.FIFOTYPE), b""),
        (entry("up", tarfile.SYMTYPE, "/etc"), b""),
        (entry("up/passwd"), b"x"),
        (entry("hard", tarfile.LNKTYPE, "../../etc/passwd"), b""),
        (entry("hard2", tarfile.LNKTYPE, "up/passwd"), b""),
        (entry("ok"), b"fine"),
    ]
    facts = unpacked(inside, tarred(hostile))
    assert facts["left_out"] == 8
    assert names(inside) == ["ok", "up"]
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]


def test_a_zip_bomb_is_refused_with_the_limits_name(tmp_path: Path) -> None:
    bomb = zipped({"zeros": bytes(65 * MIB)})
    assert len(bomb) < MIB
    assert "disk_mib (128 MiB)" in unpacked(tmp_path, bomb)["refused"]
    assert names(tmp_path) == []


def test_a_zip_that_lies_about_its_sizes_is_refused(tmp_path: Path) -> None:
    bomb = bytearray(zipped({"zeros": bytes(65 * MIB)}))
    size = (65 * MIB).to_bytes(4, "little")
    while (at := bomb.find(size)) >= 0:
        bomb[at : at + 4] = (10).to_bytes(4, "little")
    assert "refused" in unpacked(tmp_path, bytes(bomb))
    assert names(tmp_path) == []


def test_a_tar_bomb_is_refused_while_it_is_unpacked(tmp_path: Path) -> None:
    assert "disk_mib" in unpacked(tmp_path, tarred([(entry("zeros"), bytes(65 * MIB))]))["refused"]
    assert names(tmp_path) == []


def test_too_many_entries_are_refused(tmp_path: Path) -> None:
    assert "inodes" in unpacked(tmp_path, zipped({f"d/{n}": b"" for n in range(1_001)}))["refused"]


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    content = bytearray(zipped({"a": b"secret"}))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.find(mark) + at] |= 1
    assert "password" in unpacked(tmp_path, bytes(content))["refused"]


@pytest.mark.parametrize(
    "content",
    [
        zipped({"a": b"x" * 1000})[:-30],
        gzip.compress(b"no tar at all" * 100),
        tarred([(entry("a"), b"x" * 100_000)], "w:gz")[:100],
        b"# v2 git bundle\nnothing\n",
        b"BZh9" + b"\1" * 100,
    ],
    ids=["zip", "gzip", "tar", "bundle", "bzip2"],
)
def test_damaged_files_are_refused(tmp_path: Path, content: bytes) -> None:
    assert unpacked(tmp_path, content)["refused"]
    assert names(tmp_path) == []


def test_a_file_that_ends_early_is_refused(tmp_path: Path) -> None:
    content = zipped({"a": b"x"})
    assert "not sent completely" in unpacked(tmp_path, content, size=len(content) + 1)["refused"]


def test_an_archive_without_files_is_refused(tmp_path: Path) -> None:
    assert "no files" in unpacked(tmp_path, tarred([(entry("d", tarfile.DIRTYPE), b"")]))["refused"]


def test_the_file_of_a_worktree_is_not_taken_for_a_repository(tmp_path: Path) -> None:
    unpacked(tmp_path, zipped({".git": b"gitdir: /elsewhere\n", "a": b"1"}))
    assert git(tmp_path, "log", "--format=%s") == "Start of the project\n"


def test_names_without_the_utf8_flag_are_read_as_utf8(tmp_path: Path) -> None:
    content = zipped({"\u00fcber.txt": b"1"}).replace(b"\x00\x08\x08\x00", b"\x00\x00\x08\x00")
    assert "refused" not in unpacked(tmp_path, content)


def test_files_without_modes_get_those_of_the_repository_or_of_their_first_line(tmp_path: Path) -> None:
    scripts = [(entry("run", mode=0), b"#!/bin/sh\n"), (entry("a.txt", mode=0), b"#1\n")]
    unpacked(tmp_path, tarred(scripts, "w"))
    modes = {name: os.access(tmp_path / name, os.X_OK) for name in ("run", "a.txt")}
    assert modes == {"run": True, "a.txt": False}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(tmp_path, "shop", filter=without_mode)
    (again := tmp_path / "again").mkdir()
    unpacked(again, packed.getvalue())
    assert git(again, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a//b/./c", "a/b/c"),
        ("a\\b", "a/b"),
        ("C:\\x", None),
        ("..", None),
        ("", ""),
        ("x" * 300, None),
        ("a\0b", None),
    ],
)
def test_paths(name: str, path: str | None) -> None:
    assert clean_path(name) == path


@pytest.mark.parametrize(("beginning", "kind"), [(b"%PDF", None), (b"", None), (b"MZ", None), (b"PK\x03\x04", "zip")])
def test_kinds(beginning: bytes, kind: str | None) -> None:
    assert kind_of(beginning) == kind
