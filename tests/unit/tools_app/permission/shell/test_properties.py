import time
from typing import Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.lanes import sampled
from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.cursor import Unreadable
from tools_app.permission.shell.grammar import read
from tools_app.permission.shell.parse import second_opinion

PIECES = (
    "ls", "rm", "cat", "git", "cd", "eval", "bash -c", "echo", "x", "a=1",
    "$x", "$(", "`", ")", "(", "{", "}", ";", "&&",
    "|", "&", "\n", " ", "'", '"', "\\", "<<EOF\n", "EOF\n", ">", "<", "2>&1", "$((", "))", "[[", "]]", "if",
    "then", "fi",
    "for", "in", "do", "done", "case", "esac",
    "..", "/", "~", "*", "{a,b}", "${x:-", "#", "!", "é", "\x00", "\ud800",
)  # fmt: skip
TEXTS = (
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
    | st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join)
    | st.text(max_size=60)
)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_any_text_has_an_answer_and_always_the_same(text: str) -> None:
    found = analyzed(text)
    assert found == analyzed(text)
    assert found.patterns or not text
    assert found.complete == (not found.reasons)
    assert len(found.reasons) <= 12


@settings(max_examples=400, deadline=None)
@given(TEXTS.filter(lambda text: "\0" not in text))
@example("git $x; env $! a; > $x; bash $x; rm -$x; echo $((a)) $(ls)*; [[ -v $x ]]; npm $x y; gzip $x")
def test_no_placeholder_for_unknown_text_is_shown(text: str) -> None:
    assert "\\x00" not in repr(analyzed(text))


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_only_what_is_complete_offers_an_always(text: str) -> None:
    found = analyzed(text)
    if not found.complete:
        assert found.always == ()


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_what_is_complete_was_read_alike_by_both_readers(text: str) -> None:
    if analyzed(text).complete:
        reading = read(text)
        opinion = second_opinion(reading.text)
        assert (opinion.broken, opinion.unusual, opinion.marks) == (False, "", frozenset(reading.marks))


NASTY: Final = [
    "(", "$(", "((", "<<E\n", "`", "'", '"', "a;", "{ ", "if a; then ", "case a in ", "a|", "${", "[[ ",
    "<(", "$((", "\\",
    "a=(", "\n", "#\n", "{a,", "<<<", "a b c ",
    '"$(', "f() { ", "&", ">", "$", "!", ")", "${a:-", "a=1 ", "a{b,c}",
    "*/", "../", "cd a;", "x=a;", "bash -c '",
]  # fmt: skip


@pytest.mark.parametrize("piece", sampled(NASTY, every=3))
def test_nasty_texts_take_no_longer_than_others(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    began = time.process_time()
    analyzed(text)
    assert time.process_time() - began < 20  # a second on a quiet machine


def test_nesting_does_not_reach_the_limit_of_recursion() -> None:
    with pytest.raises(Unreadable, match="nested too deeply"):
        read("$(" * 5_000)
    assert not analyzed("(" * 3_000 + "ls" + ")" * 3_000).complete
    assert not analyzed("bash -c " * 50 + "ls").complete
