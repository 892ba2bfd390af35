"""with_arguments(): insert the arguments of a call into code that the shell text writes or contains.

Examples: `printf 'git "$@"' > a.sh; ./a.sh push`, `python3 -c '... sys.argv ...' push`, and a file with the task `a:
git`, to which `npm run a push` appends its last word.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Final

from tools_app.permission.shell.model import Command

MAX_FILLED: Final = 64  # texts
_MAX_CHARS: Final = 3_000  # of one text in which arguments are looked for
_MAX_WORDS: Final = 6  # of a command, in front of its arguments
_PLACE: Final = re.compile(
    r"\"?\$(?:[@*1-9]|\{[@*1-9]\})\"?|\*?\bsys\.argv(?:\[[^\]\n]{1,8}\])?|\bprocess\.argv(?:\.slice\(\d\)|\[\d\])?"
    r"|[*@]?\bARGV(?:\[\d\])?|\$argv(?:\[\d\])?|\{\{\s*\.?\w+\s*\}\}|\{(?:pos)?args(?::[^}\n]{0,40})?\}|\*?\b\w+\.posargs"
    r"|@(?:no_)?additional_args|\$\{\w+\}|#\{\w+\[:\w+\]\}|\$\(ARGS\[\d\]\)|\bARGS\[\d\]|\"\s*\.\s*argv\(\d\)"
)
"""References to arguments in languages and in files of tasks."""
_HAS_TASKS: Final = re.compile(r"\w['\"\]]?\s?[:=]\s?[\[{'\"\w]")
_TASK: Final = (
    r"['\"]?(?<![\w-]){0}['\"]?\s{{0,9}}(?:\]\s{{0,9}}\n\s{{0,9}}\w{{1,40}}\s{{0,9}})?[:=]"
    r"\s{{0,9}}(?:\[|\{{\s{{0,9}}\w{{1,40}}\s{{0,9}}[:=])?\s{{0,9}}['\"]?([^'\"\n,}}\]]{{1,100}})"
)
"""The value of a task, or the first value of its section."""
_RUNS: Final = re.compile(r"exec|system|spawn|popen|run|passthru|call|`|%x|\\|", re.IGNORECASE)
_LIKE_CODE: Final = re.compile(r"[ ({]")
_OPTION: Final = re.compile(r"--?([A-Za-z]\w{0,30})=(.+)|-([A-Za-z])([\w./-]+)|--?([A-Za-z][\w-]{0,30})", re.DOTALL)
_SETTING: Final = re.compile(r"(?:-v|--assign=)?([A-Za-z]\w{0,30})=([^=\"]{1,100})")
"""A variable of awk."""
_QUOTES: Final = re.compile(r"[\"\\\n$]")
_MAX_VALUES: Final = 12
_MAX_VALUE: Final = 100  # characters


def with_arguments(codes: Iterable[str], commands: Sequence[Command]) -> list[str]:
    """Return variants of code and tasks in which the arguments that `commands` pass to them are inserted."""
    given = [each.words for each in commands if len(each.words) > 1]
    return list(islice(dict.fromkeys(_filled(codes, given)), MAX_FILLED)) if given else []


def _filled(codes: Iterable[str], all_words: Sequence[Sequence[str]]) -> Iterator[str]:
    for code in dict.fromkeys(codes):
        has_place = len(code) <= _MAX_CHARS and _PLACE.search(code)
        for words in all_words:
            yield from _tasks(code[:_MAX_CHARS], words) if _HAS_TASKS.search(code) else ()
            yield from _with_options(code, words) if code in words[1:] else ()
            for index in range(1, min(len(words), _MAX_WORDS)) if has_place and code not in words[:1] else ():
                rest = " ".join(_plain(words[index:]))
                if rest and rest not in code:
                    yield from (given.join(_PLACE.split(code)) for given in (rest, f'"{rest}"'))


def _with_options(code: str, words: Sequence[str]) -> Iterator[str]:
    """Yield code that runs something with the options and words behind it as values of names: `perl -se 'exec $a, $b'
    -- -a=git -b=push`, `python3 -c '... parse_args().x ...' --x push`."""
    if len(code) > _MAX_CHARS or not (_LIKE_CODE.search(code) and _RUNS.search(code)):
        return
    given = [each for each in words[words.index(code, 1) + 1 :] if each != "--" and len(each) <= _MAX_VALUE]
    values = [(f"word{number}", each) for number, each in enumerate(given) if each[:1] != "-"]
    values += [(found[1], found[2]) for each in words if each != code and (found := _SETTING.fullmatch(each))]
    for each, after in pairwise([*given, ""]):
        if found := _OPTION.fullmatch(each):
            joined = [(name, value) for name, value in ((found[1], found[2]), (found[3], found[4])) if name]
            values += joined or [(found[5].replace("-", "_"), after)]
    lines = [f'${name} = "{value}";' for name, value in values[:_MAX_VALUES] if value and not _QUOTES.search(value)]
    if lines:
        yield "\n".join([*lines, code])


def _tasks(code: str, words: Sequence[str]) -> Iterator[str]:
    """Find tasks in `code` (a name with a command) that an argument of the command line `words` names. Yields the
    command of each, followed by the remaining arguments."""
    for index in range(1, min(len(words), _MAX_WORDS)):
        if re.fullmatch(r"[\w:.-]{1,40}", words[index]) and words[index] in code:
            found = re.search(_TASK.format(re.escape(words[index])), code)
            rest = " ".join(_plain(words[index + 1 :]))
            if found and words[0] == "git":
                yield f"git {found[1]} {rest}"
            elif found and rest:
                yield f"{found[1]} {rest}"


def _plain(words: Sequence[str]) -> list[str]:
    return [re.sub(r".*\w[\[=](\w+)\]?", r"\1", each) for each in words if each != "--" and len(each) <= 100]
