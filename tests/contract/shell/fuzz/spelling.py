"""Functions that change the spelling of a command line; most results mean the same to bash."""

import re
from collections.abc import Callable
from random import Random
from typing import Final

Change = Callable[[str, Random], str]

_RUN: Final = re.compile(r"(?:'[^']*'|\"[^\"]*\"|\\.|[^\s;&|<>()])+", re.DOTALL)
_LONG: Final = re.compile(r"(?<!\S)--[a-z][a-z-]{3,}")
_JOINED: Final = re.compile(r"(?<!\S)(--[a-z-]+)=(?=\S)|(?<!\S)(--[a-z-]+) (?=[^\s-])|(?<!\S)(-[A-Za-z]) (?=[^\s-])")
_PRELUDES: Final = (
    "x=$(echo {0}); {1}",
    "x={0}; {1}",
    "x='{0}'; {1}",
    "read x <<< '{0}'; {1}",
    "for x in '{0}'; do {1}; done",
    "x=a; x+='{0}'; {1}",
    "x='{0}' y=2; {1}",
    "printf -v x %s '{0}'; {1}",
    "export x='{0}'; {1}",
    "x=f; while x='{0}'; do {1}; break; done",
    "TEST_A='{0}'; x=$TEST_A; {1}",
    "x='{0}'; local x=safe; {1}",
    "x='{0}'; declare -p x=safe; {1}",
    "true && x='{0}'; false && x=safe; {1}",
    "x='{0}'; (x=safe); {1}",
    "x='{0}'; echo | read x; {1}",
    "IFS=1; x='{0}'; {1}",
    "set -- '{0}'; x=$1; {1}",
)
_USES: Final = ('"$x"', "$x", "${x}", '"${x}"', "$x{1,}", "{,$x}", "${x:-a}", "${x#q}", '"${x[@]}"')

_AROUND: Final = (
    "time {0}", "! {0}", "({0})", "{{ {0}; }}", "eval {1}", "bash -c {1}", "cd src; {0}", "{0} &", "trap {1} EXIT",
    "cd -P up && {0}", "if {0}; then :; fi", "x=$({0})", 'echo "$({0})"', "{0} > new.txt", "env {0}", "command {0}",
    "coproc {0}", "cat <({0})", "\n{0}\n",
)  # fmt: skip
"""`{0}` is the text, `{1}` the same in single quotes."""
_BLANKS: Final = ("\t", "  ", "\n", " -- ", " \\\n", ";", " ! ", " time ", "\r", "")


def continue_line(text: str, random: Random) -> str:
    """Insert a line continuation (a backslash and a line feed) at any place."""
    at = random.randint(0, len(text))
    return f"{text[:at]}\\\n{text[at:]}"


def continue_dollar(text: str, random: Random) -> str:
    places = [at for at, char in enumerate(text) if char in "$<>`(&|;\\{}[]"]
    at = random.choice(places) + 1 if places else len(text)
    return f"{text[:at]}\\\n{text[at:]}"


def quote_a_word(text: str, random: Random) -> str:
    def quoted(word: str) -> str:
        at = random.randrange(len(word))
        return random.choice(
            (
                f"'{word}'",
                f'"{word}"',
                f"{word[:at]}\\{word[at:]}",
                f"{word[:at]}''{word[at:]}",
                f'{word[:at]}"{word[at:]}"',
                f"$'{word}'",
            )
        )

    return _one_word(text, random, quoted)


def hide_in_a_variable(text: str, random: Random) -> str:
    """Replace a part of a word by a variable with that value."""
    hidden: list[str] = []

    def used(word: str) -> str:
        start = random.choice((0, 0, random.randrange(len(word))))
        end = random.choice((len(word), random.randint(start, len(word))))
        hidden.append(word[start:end].strip("'\""))
        return f"{word[:start]}{random.choice(_USES)}{word[end:]}"

    changed = _one_word(text, random, used)
    return random.choice(_PRELUDES).format(hidden[0], changed) if hidden else text


def brace_a_word(text: str, random: Random) -> str:
    def braced(word: str) -> str:
        at = random.randrange(len(word))
        return random.choice(
            (f"{{{word},}}", f"{word[:at]}{{{word[at:]},}}", f"{word}{{,x}}", f"{{{word[:at]},{word[at:]}}}")
        )

    return _one_word(text, random, braced)


def cut_an_option(text: str, random: Random) -> str:
    """Abbreviate a random long option in the text, for example `--recursive` to `--rec`."""
    found = list(_LONG.finditer(text))
    if not found:
        return text
    option = random.choice(found)
    end = random.randint(option.start() + 3, option.end())
    return text[:end] + text[option.end() :]


def join_or_split_an_option(text: str, random: Random) -> str:
    found = list(_JOINED.finditer(text))
    if not found:
        return text
    option = random.choice(found)
    long, apart, short = option.groups()
    other = f"{long} " if long else f"{apart}=" if apart else short
    return text[: option.start()] + other + text[option.end() :]


def repeat_a_word(text: str, random: Random) -> str:
    words = text.split(" ")
    words.insert(random.randint(0, len(words)), random.choice(words))
    return " ".join(words)


def swap_words(text: str, random: Random) -> str:
    words = text.split(" ")
    one, two = random.randrange(len(words)), random.randrange(len(words))
    words[one], words[two] = words[two], words[one]
    return " ".join(words)


def drop_a_word(text: str, random: Random) -> str:
    words = text.split(" ")
    del words[random.randrange(len(words))]
    return " ".join(words) or text


def change_a_blank(text: str, random: Random) -> str:
    blanks = [at for at, char in enumerate(text) if char == " "]
    if not blanks:
        return text
    at = random.choice(blanks)
    return text[:at] + random.choice(_BLANKS) + text[at + 1 :]


def wrap(text: str, random: Random) -> str:
    quoted = "'" + text.replace("'", "'\\''") + "'"
    return random.choice(_AROUND).format(text, quoted)


def _one_word(text: str, random: Random, change: Callable[[str], str]) -> str:
    found = list(_RUN.finditer(text))
    if not found:
        return text
    word = random.choice(found)
    return text[: word.start()] + change(word[0]) + text[word.end() :]


CHANGES: Final[tuple[Change, ...]] = (
    continue_line, continue_dollar, quote_a_word, hide_in_a_variable, hide_in_a_variable, brace_a_word, cut_an_option,
    join_or_split_an_option, repeat_a_word, swap_words, drop_a_word, change_a_blank, wrap,
)  # fmt: skip
