import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


def written(command: str) -> set[str]:
    return {use.path.removeprefix("/workspace/") for use in analyzed(command).paths if use.mode == "write"}


@pytest.mark.parametrize(
    ("command", "folders"),
    [
        ("cpio -i", {"."}), ("cpio -pd out", {".", "out"}), ("cpio -i -D out", {".", "out"}), ("pax -r", {"."}),
        ("cpio --extract --directory=out", {".", "out"}), ("jar xf a.jar", {"."}), ("unrar x a out", {".", "out"}),
        ("unsquashfs -d out a", {".", "out"}), ("dpkg -x a out", {".", "out"}), ("uudecode a", {"."}),
    ],
)  # fmt: skip
def test_what_is_unpacked_may_have_any_name(command: str, folders: set[str]) -> None:
    uses = {use.path.removeprefix("/workspace/") for use in analyzed(command).paths if use.known == "nothing"}
    assert folders <= uses


@pytest.mark.parametrize("command", ["cpio -o", "jar cf a.jar b", "pax -w b", "unrar l a", "dpkg -l", "dpkg -I a"])
def test_programs_that_pack_or_list_unpack_nothing(command: str) -> None:
    assert not [use for use in analyzed(command).paths if use.known == "nothing"]


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("unzstd a.lock.zst", "a.lock"), ("uncompress a.lock.Z", "a.lock"), ("unlzma a.lock.lzma", "a.lock"),
        ("cargo new a/b", "a/b"), ("poetry new a/b", "a/b"), ("uv init a/b", "a/b"),
    ],
)  # fmt: skip
def test_names_of_results_come_from_operands(command: str, file: str) -> None:
    assert file in written(command)


def test_other_commands_make_no_project() -> None:
    assert "a" not in written("cargo build a")


def test_what_is_unpacked_may_be_a_link() -> None:
    assert not analyzed("unrar x a; cat b/c").complete
    assert analyzed("unrar l a; cat b/c").complete
