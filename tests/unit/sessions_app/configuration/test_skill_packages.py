"""Valid and hostile packages with which people upload skills."""

import io
import stat
import zipfile
from collections.abc import Mapping

import pytest

from sessions_app.configuration import skill_packages
from sessions_app.configuration.skill_packages import BadPackage, pack, read_package, unpack

SKILL = "---\nname: pdf\ndescription: Fills in forms\n---\nRun fill.py.\n"


def zipped(files: Mapping[str, str | bytes], modes: Mapping[str, int] | None = None) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (modes or {}).get(path, 0) << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


def test_a_skill_is_read_with_its_files() -> None:
    files = {"SKILL.md": SKILL, "fill.py": "#!/usr/bin/env python3\n", "parts/a.txt": "a"}
    found = read_package(zipped(files))
    assert (found.name, found.description, sorted(found.files)) == ("pdf", "Fills in forms", sorted(files))
    assert [path for path, file in found.files.items() if file.runnable] == ["fill.py"]


def test_a_single_top_folder_is_left_out_and_names_a_skill_without_a_name() -> None:
    text = SKILL.replace("name: pdf\n", "")
    found = read_package(zipped({"forms/SKILL.md": text, "forms/a.txt": "a", "__MACOSX/forms/x": "junk"}))
    assert (found.name, sorted(found.files)) == ("forms", ["SKILL.md", "a.txt"])
    assert read_package(zipped({"SKILL.md": text}), file_name="C/tables.zip").name == "tables"


def test_packing_is_the_same_for_the_same_files_and_keeps_what_is_runnable() -> None:
    files = read_package(zipped({"SKILL.md": SKILL, "run": "x"}, {"run": stat.S_IFREG | 0o755})).files
    again = read_package(zipped({"run": "x", "SKILL.md": SKILL}, {"run": stat.S_IFREG | 0o700})).files
    assert pack(files) == pack(again)
    assert unpack(pack(files)) == files
    assert files["run"].runnable


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"not a zip", "not a zip file"),
        (zipped({"SKILL.md": SKILL})[:-30], "not a zip file"),
        (zipped({"README.md": "x"}), "has no SKILL.md"),
        (zipped({"a/SKILL.md": SKILL, "b/x": "x"}), "has no SKILL.md"),
        (zipped({"SKILL.md": SKILL, "../evil": "x"}), "'../evil' leads out"),
        (zipped({"SKILL.md": SKILL, "/etc/passwd": "x"}), "'/etc/passwd' leads out"),
        (zipped({"SKILL.md": SKILL, "a/../../evil": "x"}), "leads out"),
        (zipped({"SKILL.md": SKILL, "..\\evil": "x"}), "leads out"),
        (zipped({"SKILL.md": SKILL, "C:/evil": "x"}), "leads out"),
        (zipped({"SKILL.md": SKILL, "a//b": "x"}), "leads out"),
        (zipped({"SKILL.md": SKILL, "a\nb": "x"}), "a\\nb"),
        (zipped({"SKILL.md": SKILL, "n" * 300: "x"}), "too long"),
        (zipped({"SKILL.md": SKILL, "l": "/etc/passwd"}, {"l": stat.S_IFLNK | 0o777}), "'l' is a link"),
        (zipped({"SKILL.md": SKILL, "d": ""}, {"d": stat.S_IFCHR | 0o777}), "'d' is not a file"),
        (zipped({"SKILL.md": SKILL, "A": "x", "a": "y"}), "the path 'a'"),
        (zipped({"SKILL.md": SKILL} | {f"f{number}": "x" for number in range(100)}), "more than 100 files"),
        (zipped({"SKILL.md": SKILL, "bomb": bytes(5 << 20)}), "more than 4 MiB"),
        (zipped({"SKILL.md": "---\nname: ../x\ndescription: d\n---\n"}), "name may only have"),
        (zipped({"SKILL.md": "no fields"}), "no description"),
        (zipped({"SKILL.md": b"\xff\xfe"}), "not UTF-8"),
        (zipped({"SKILL.md": f"{SKILL}Use ghp_0123456789abcdefghij."}), "looks like a key"),
        (zipped({"SKILL.md": SKILL + "x" * (1 << 19)}), "more than 256 KiB"),
        (bytes(3 << 20), "larger than 2 MiB"),
    ],
)
def test_what_is_no_skill_is_refused_and_named(content: bytes, named: str) -> None:
    with pytest.raises(BadPackage) as refused:
        read_package(content, file_name="x.zip")
    assert named in str(refused.value)


def test_an_encrypted_package_is_refused() -> None:
    content = bytearray(zipped({"SKILL.md": SKILL}))
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + place] |= 1
    with pytest.raises(BadPackage, match="encrypted"):
        read_package(bytes(content))


def test_a_size_that_is_a_lie_does_not_unpack_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skill_packages, "MAX_BYTES", 1000)
    content = bytearray(zipped({"SKILL.md": SKILL, "bomb": bytes(5000)}))
    at = content.rindex(b"PK\x01\x02")
    content[at + 24 : at + 28] = (10).to_bytes(4, "little")
    with pytest.raises(BadPackage):
        read_package(bytes(content))
