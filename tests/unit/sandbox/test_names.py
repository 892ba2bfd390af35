"""Finding files by a part of their path in the runner, without a sandbox."""

from sandbox.runner import names
from sandbox.runner.budgets import MemoryPool
from sandbox.runner.names import Listing, NameBlock, NameFinder, best_names

FILES = ["./src/app.py", "./src/wrapper/x.py", "./docs/apps.md", "./App.tsx", "./a\udcff.txt", "./src/app/main.py"]


def listing(files: list[str] = FILES, *, is_complete: bool = True) -> Listing:
    names = [name.encode("utf-8", "surrogateescape") for name in files]
    return Listing.of(b"\0".join([b"", *names, b""]), is_complete=is_complete)


def found(text: str, limit: int = 100) -> list[str]:
    return best_names(listing(), text, limit).names


def test_names_that_begin_with_the_text_come_first_and_shorter_ones_before_longer() -> None:
    assert found("app") == ["App.tsx", "src/app.py", "docs/apps.md", "src/app/main.py", "src/wrapper/x.py"]
    assert found("src/") == ["src/app.py", "src/app/main.py", "src/wrapper/x.py"]
    assert found("X.PY") == ["src/wrapper/x.py"]


def test_each_name_is_found_once_and_no_further_than_the_limit() -> None:
    assert best_names(listing(["./aa/aa/aa"]), "a", 10).names == ["aa/aa/aa"]
    cut = best_names(listing(), "a", 2)
    assert (len(cut.names), cut.is_cut) == (2, True)
    assert best_names(listing(is_complete=False), "x.py", 9).is_cut


def test_odd_texts_find_nothing_and_names_without_text_are_found() -> None:
    assert [found(text) for text in ("", "\0", "nothing", "app.py\0./docs")] == [[], [], [], []]
    assert found("a\udcff") == ["a\udcff.txt"]
    assert best_names(listing([]), "a", 9).names == []


def test_a_listing_is_kept_for_a_few_seconds_and_for_its_folder_only() -> None:
    pool, made = MemoryPool(), []

    def make() -> Listing:
        made.append(1)
        return listing()

    finder = NameFinder(pool)
    assert finder.listing("/workspace", make) is finder.listing("/workspace", make)
    finder.listing("/workspace/src", make)
    assert len(made) == 2
    finder._made_at -= names.FRESH_SECONDS
    finder.listing("/workspace/src", make)
    assert len(made) == 3


def test_a_listing_for_which_there_is_no_memory_is_used_once_and_takes_none() -> None:
    pool = MemoryPool(memory=300)
    finder = NameFinder(pool)
    assert finder.listing("/workspace", listing) is not finder.listing("/workspace", listing)
    assert pool.take(pool.total)


def test_a_block_that_is_cut_has_whole_names_only_and_says_so() -> None:
    with MemoryPool().budget() as budget:
        block = NameBlock(budget, 2)
        assert block.feed(b"./a.py\0./src/b") == ""
        assert block.feed(b".py\0./c.py\0") == "enough"
        assert block.is_cut
        assert best_names(Listing.of(bytes(block.kept), is_complete=False), "py", 9).names == ["a.py"]


def test_a_block_ends_when_the_memory_for_it_is_spent() -> None:
    pool = MemoryPool(memory=9 << 16)
    with pool.budget() as budget:
        block = NameBlock(budget, 1_000_000)
        chunks = 0
        while not block.feed(b"./a\0" * 1_000):
            chunks += 1
        assert 0 < chunks < 100
        assert block.is_cut
