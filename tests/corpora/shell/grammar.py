"""Generate command lines that test how much of bash the analysis understands.

A strategy for Hypothesis: lists, pipes, groups, loops, conditions, functions, redirects, here-documents, expansions,
quoting, assignments, wrappers, moves and wildcards, over tools of the sandbox and names of tools that it lacks. Some
command lines are broken by a misplaced character, because bash may still run a text that the analysis cannot parse.
"""

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

WORDS: Final[dict[str, list[str]]] = tomllib.loads((Path(__file__).parent / "vocabulary.toml").read_text())

PLACES: Final = WORDS["places"]
WILD: Final = WORDS["wild"]
PLAIN: Final = WORDS["plain"]
TOOLS: Final = WORDS["tools"]
WRAPPERS: Final = WORDS["wrappers"]
VARIABLES: Final = WORDS["variables"]
OPERATORS: Final = WORDS["operators"]
REDIRECTS: Final = WORDS["redirects"]
SIGNS: Final = WORDS["signs"]
FORMS: Final = WORDS["forms"]

Text = st.SearchStrategy[str]


def _quoted(text: str, how: int, at: int) -> str:
    if how == 1 and "'" not in text:
        return f"'{text}'"
    if how == 2 and not set(text) & set('"$`\\!'):
        return f'"{text}"'
    at %= len(text)
    if how == 3 and text[at].isalnum():
        return f"{text[:at]}\\{text[at:]}"
    if how == 4 and "'" not in text:
        return f"{text[:at]}'{text[at:]}'"
    if how == 5 and text.isascii() and "'" not in text:
        return f"$'{text[:at]}\\x{ord(text[at]):02x}{text[at + 1 :]}'"
    if how == 6:
        return f'{text[:at]}""{text[at:]}'
    return text


def _heredoc(command: str, body: str, mark: str) -> str:
    bare = mark.strip("'\"-").replace("\\", "")
    return f"{command} <<{mark}\n{body}\n{bare}\n"


def _broken(text: str, sign: str, at: int) -> str:
    at %= len(text) + 1
    return text[:at] + sign + text[at:]


def _in_single_quotes(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _names() -> Text:
    tools = st.sampled_from(TOOLS)
    return st.one_of(
        tools,
        tools,
        tools,
        st.builds(_quoted, st.sampled_from(("cat", "ls", "rm", "echo")), st.integers(1, 6), st.integers(0, 9)),
    )


def _words(inner: Text) -> Text:
    """Return a strategy for one word; `inner` generates the content of substitutions."""
    places = st.sampled_from(PLACES)
    expansions: Sequence[Callable[[str, str], str]] = (
        lambda name, _: f"${name}",
        lambda name, _: f'"${name}"',
        lambda name, word: f"${{{name}:-{word}}}",
        lambda name, word: f'"${{{name}:={word}}}"',
        lambda name, word: f"${{{name}%{word}}}",
        lambda name, word: f"${{{name}}}/{word}",
        lambda name, word: f"{word}${{#{name}}}",
        lambda name, _: f"$(({name} + 1))",
        lambda name, _: f"${{!{name}}}",
    )
    expanded = st.builds(
        lambda how, name, word: how(name, word), st.sampled_from(expansions), st.sampled_from(VARIABLES), places
    )
    substituted = st.builds(
        lambda form, text: form.format(text), st.sampled_from(("$({})", '"$({})"', "`{}`", "<({})", "x$({})")), inner
    )
    quoted = st.builds(_quoted, places, st.integers(0, 6), st.integers(0, 9))
    return st.one_of(
        places, places, quoted, quoted, st.sampled_from(WILD), st.sampled_from(PLAIN), expanded, substituted
    )


def _simple(inner: Text) -> Text:
    words = _words(inner)
    blank = st.sampled_from((" ", " ", " ", "  ", "\t", " \\\n"))
    command = st.builds(lambda name, gap, rest: gap.join([name, *rest]), _names(), blank, st.lists(words, max_size=3))
    redirect = st.builds(
        lambda sign, gap, word: f"{sign}{gap}{word}", st.sampled_from(REDIRECTS), st.sampled_from(("", " ")), words
    )
    redirected = st.builds(
        lambda text, more: f"{text} {' '.join(more)}", command, st.lists(redirect, min_size=1, max_size=2)
    )
    wrapped = st.builds(
        lambda wrappers, text: f"{' '.join(wrappers)} {text}",
        st.lists(st.sampled_from(WRAPPERS), min_size=1, max_size=2),
        command,
    )
    shell = st.builds(
        lambda form, text: form.format(_in_single_quotes(text)),
        st.sampled_from(("bash -c {}", "sh -c {}", "eval {}", "bash -ec {} x", "env bash -c {}")),
        inner,
    )
    found = st.builds(
        lambda text, end: f"find src -name '*.py' -exec {text} {{}} {end}",
        st.sampled_from(TOOLS),
        st.sampled_from((r"\;", "+", "';'")),
    )
    assigned = st.builds(
        lambda name, sign, word: f"{name}{sign}{word}",
        st.sampled_from(("x", "y", "HOME", "PATH", "IFS", "x[1]")),
        st.sampled_from(("=", "+=")),
        words,
    )
    declared = st.builds(
        lambda how, name, word: f"{how} {name}={word}",
        st.sampled_from(("export", "declare", "local", "readonly", "declare -i")),
        st.sampled_from("xy"),
        words,
    )
    moved = st.builds(
        lambda how, place: f"{how} {place}", st.sampled_from(("cd", "cd -P", "pushd", "cd --", "command cd")), words
    )
    documents = st.builds(
        _heredoc,
        command,
        st.builds(lambda word, text: f"a {word}\n{text}", words, inner),
        st.sampled_from(("E", "'E'", '"E"', "-E", "\\E")),
    )
    tested = st.builds(lambda word, other: f"[[ {word} == {other} ]]", words, words)
    rare = (shell, found, assigned, declared, documents, tested)
    return st.one_of(*[command] * 3, *[redirected] * 2, *[wrapped] * 2, *[moved] * 2, *rare)


def _compound(inner: Text) -> Text:
    words = _words(st.just("echo src"))
    filled = st.builds(
        lambda form, one, two, three: form.format(one, two, three), st.sampled_from(FORMS), inner, inner, inner
    )
    joined = st.builds(lambda one, sign, two: f"{one}{sign}{two}", inner, st.sampled_from(OPERATORS), inner)
    loop = st.builds(
        lambda name, these, text: f"for {name} in {' '.join(these)}; do {text} ${name}; done",
        st.sampled_from("xy"),
        st.lists(words, max_size=3),
        inner,
    )
    return st.one_of(filled, joined, joined, loop)


def command_lines() -> Text:
    simple = _simple(st.sampled_from(("echo src", "cat hosts", "pwd", "rm -f x", "echo $x", "ls ..")))
    whole = st.recursive(
        simple, lambda inner: st.one_of(_simple(inner), _compound(inner), _compound(inner)), max_leaves=4
    )
    broken = st.builds(_broken, whole, st.sampled_from(SIGNS), st.integers(0, 200))
    return st.one_of(whole, whole, whole, broken).filter(lambda text: len(text) < 600 and "\0" not in text)


def generate(count: int, number: int) -> list[str]:
    """Return at most `count` different command lines, always the same for the same seed `number`."""
    found: dict[str, None] = {}

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(command_lines())
    def collect(text: str) -> None:
        found[text] = None

    collect()
    return list(found)
