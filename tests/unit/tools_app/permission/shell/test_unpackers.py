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


@pytest.mark.parametrize("command", ["jar cf a.jar b", "jar -c -f a.jar b", "jar --create --file=a.jar b", "jar u b"])
def test_jar_reads_folders_through_links(command: str) -> None:
    uses = [use for use in analyzed(command).paths if use.path == "/workspace/b" and use.recursive]
    assert uses
    assert all(use.follow for use in uses)


def test_the_folder_of_a_file_stands_in_front_of_it() -> None:
    assert "/workspace/b/x" in {use.path for use in analyzed("jar cf a.jar -C b x").paths}


@pytest.mark.parametrize("command", ["git diagnose --mode=all", "git bugreport --diag=all", "scalar diagnose"])
def test_a_report_contains_the_settings_of_the_repository(command: str) -> None:
    assert "/workspace/.git/config" in {use.path for use in analyzed(command).paths}


def test_a_report_without_all_contains_no_settings() -> None:
    assert "/workspace/.git/config" not in {use.path for use in analyzed("git diagnose --mode=stats").paths}
