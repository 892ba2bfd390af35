"""The resolution of paths: exactly the resolved path is opened."""

import itertools
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.runner.errors import Refusal
from sandbox.runner.tree import StatBelow, Tree, resolve

PARTS = st.sampled_from(["a", "b", "c", ".", "..", "", "none"])
RELATIVE = st.lists(PARTS, min_size=1, max_size=6).map("/".join).filter(lambda text: text.strip("/"))
ENTRIES = st.dictionaries(
    st.tuples(st.sampled_from(["", "a/", "b/"]), st.sampled_from(["a", "b", "c"])).map("".join),
    st.one_of(st.none(), RELATIVE),
    max_size=6,
)
"""Folders (None) and targets of links, by path."""


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    for name in ("files", "home"):
        (tmp_path / name).mkdir()
    tree = Tree(str(tmp_path / "files"), str(tmp_path / "home"))
    yield tree
    os.close(tree.root_fd)


def build(root: Path, entries: dict[str, str | None]) -> None:
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    for name in sorted(entries):
        target, path = entries[name], root / name
        if not path.parent.is_dir() or path.parent.resolve() != path.parent:
            continue
        if target is None:
            path.mkdir()
        else:
            path.symlink_to(target)


@given(entries=ENTRIES, path=RELATIVE)
@settings(deadline=None, max_examples=300)
def test_a_path_leads_where_the_standard_library_says(
    tmp_path_factory: pytest.TempPathFactory, entries: dict[str, str | None], path: str
) -> None:
    root = tmp_path_factory.getbasetemp() / "resolved"
    build(root, entries)
    asked = f"{root}/{path.lstrip('/')}"

    found = _resolved(asked)
    if found is not None:
        assert found == os.path.realpath(asked)
    else:
        with pytest.raises(OSError, match=f"{root}"):
            os.path.realpath(asked, strict=True)


def _resolved(path: str) -> str | None:
    """Return the resolved path; None if it is refused."""
    try:
        return resolve(path, follow=True)
    except Refusal:
        return None


def test_a_link_at_the_end_may_be_the_place_itself(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "link").symlink_to("d")
    (tmp_path / "d" / "inner").symlink_to("..")

    assert resolve(f"{tmp_path}/link/inner", follow=False) == f"{tmp_path}/d/inner"
    assert resolve(f"{tmp_path}/link/", follow=False) == f"{tmp_path}/link"
    assert resolve(f"{tmp_path}/link/.", follow=False) == f"{tmp_path}/d"


@pytest.mark.parametrize("path", ["d/../d/f", "./d/f", "d//f", "d/f/", "/workspace/d/../d/f"])
def test_an_exact_path_must_be_one_that_was_resolved(tree: Tree, path: str) -> None:
    with pytest.raises(Refusal, match="was not resolved"):
        tree.locate(path, exact=True)


@pytest.mark.parametrize("depth", range(3))
def test_an_exact_path_is_not_opened_through_a_link(tree: Tree, depth: int) -> None:
    folders = ["a", "b", "f"]
    real = Path(tree.workspace, "real")
    (real / "b").mkdir(parents=True)
    (real / "b" / "f").write_text("x")
    place = Path(tree.workspace)
    for part in folders[:depth]:
        place /= part
        place.mkdir()
    (place / folders[depth]).symlink_to(real.joinpath(*folders[1 : depth + 1]))

    with pytest.raises(OSError, match="symbolic link"), tree.opened("/workspace/a/b/f", os.O_RDONLY, exact=True):
        pass
    with tree.opened("/workspace/a/b/f", os.O_RDONLY) as (fd, found):
        assert (os.read(fd, 1), found.real) == (b"x", str(real / "b" / "f"))


def test_names_below_are_looked_at_without_following(tree: Tree) -> None:
    for name in ("d/e", "out"):
        Path(tree.workspace, name).mkdir(parents=True)
    Path(tree.workspace, "out", "f").write_text("secret")
    Path(tree.workspace, "d", "e", "f").write_text("x")
    Path(tree.workspace, "link").symlink_to("out")

    with StatBelow(tree.root_fd) as below:
        assert [below.status(name).st_size for name in ("d/e/f", "d/e/f", "link")] == [1, 1, 3]
        for name in ("link/f", "none/f", "d/none", "..", "d/..", "d/", "."):
            with pytest.raises(OSError, match=r"\[Errno"):
                below.status(name)


def test_looking_leaves_no_descriptor_behind(tree: Tree) -> None:
    for name in itertools.chain.from_iterable((f"{n}/a", f"{n}/b") for n in range(5)):
        Path(tree.workspace, name).mkdir(parents=True)
    before = set(Path("/proc/self/fd").iterdir())

    with StatBelow(tree.root_fd) as below:
        for n in range(5):
            below.status(f"{n}/a")
        with pytest.raises(FileNotFoundError):
            below.status("none/a")

    assert set(Path("/proc/self/fd").iterdir()) == before
