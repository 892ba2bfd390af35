from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.corpora.shell.corpus import everyday
from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.cursor import Unreadable
from tools_app.permission.shell.grammar import MAX_REREAD_CHARS, read

JOINED = [one.command for one in everyday() if not set("'#\\`\n") & set(one.command)]
"""bash joins lines everywhere in these: no single quotes, comments, escapes or here-documents."""


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(JOINED), st.lists(st.integers(0, 200), min_size=1, max_size=3))
@example("cat $HOME/x && ls 2>&1 | head", [5])
def test_a_line_end_after_a_backslash_changes_nothing_wherever_it_stands(command: str, places: list[int]) -> None:
    parts = [command[start:end] for start, end in _cuts(places, command)]
    divided, whole = analyzed("\\\n".join(parts)), analyzed(command)
    assert divided.complete == whole.complete
    assert divided.paths == whole.paths
    assert repr([each.words for each in divided.commands]).replace(r"\\\n", "") == repr(
        [each.words for each in whole.commands]
    )


def _cuts(places: list[int], command: str) -> list[tuple[int, int]]:
    """Divide a command at `places`; return the start and end of each piece. `((` and `))` are not divided: otherwise
    the text would count as incomplete, which only leads to more permission requests."""
    size = len(command)
    wanted = sorted({place % (size + 1) for place in places})
    return list(pairwise([0, *(place for place in wanted if command[place - 1 : place + 1] not in ("((", "))")), size]))


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("i\\\nf :; the\\\nn ls; f\\\ni", "if :; then ls; fi"),
        ('"$\\\n(ls)"', '"$(ls)"'),
        ("ls &\\\n& ls", "ls && ls"),
        ("ls \\\n  src", "ls \\\n  src"),
        ("echo 'a\\\nb'", "echo 'a\\\nb'"),
        ("ls # a\\\nls", "ls # a\\\nls"),
        ("cat <<E\na\\\nb\nE\\\n\nE", "cat <<E\nab\nE\nE"),
        ("cat <<E\na\\\\\nE", "cat <<E\na\\\\\nE"),
        ("cat <<'E'\na\\\nE", "cat <<'E'\na\\\nE"),
    ],
)
def test_lines_are_joined_where_bash_joins_them(text: str, joined: str) -> None:
    assert read(text).text == joined


def test_a_text_that_joins_too_many_words_is_not_read() -> None:
    assert read("echo a" + "\\\na" * 20).text == "echo " + "a" * 21
    with pytest.raises(Unreadable, match="several lines"):
        read("a\\\n" * (MAX_REREAD_CHARS // 3))
