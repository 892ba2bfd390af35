"""unlisted_actions(): the usual commands that a program without a table counts as, because a word says what it does.

`frob pkg publish` counts as `npm publish`. Nobody has judged such a program, so the words decide with which nearly all
programs name the actions that leave the container. The result is only used by rules that ask or deny.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names, ordered_names
from tools_app.permission.shell.started_programs import started
from tools_app.permission.shell.unlisted_names import commands_of_name
from tools_app.permission.shell.unlisted_options import commands_of_options
from tools_app.permission.shell.unlisted_programs import (
    MAY_BE_NAMES,
    has_rule,
    names_of_files,
    runs_project,
)
from tools_app.permission.shell.words import Field

_PUSHES: Final = ("git push",)
_PUBLISHES: Final = ("npm publish",)
_DEPLOYS: Final = ("serverless deploy",)
_LOGS_IN: Final = ("npm login",)
_LOGINS: Final = ordered_names("login logout signin signout sign-in sign-out log-in log-out authenticate")
ACTIONS: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(("push", "submit"), _PUSHES),
    **dict.fromkeys(("publish", "unpublish", "upload"), _PUBLISHES),
    "release": (*_PUSHES, *_PUBLISHES),
    **dict.fromkeys(("deploy", "redeploy", "undeploy"), _DEPLOYS),
    **dict.fromkeys(_LOGINS, _LOGS_IN),
}
"""Actions, and the commands that they count as."""
SIGN: Final = re.compile("push|publish|upload|release|submit|deploy|(?:log|sign)-?(?:in|out)|authenticate|pages")
"""What each text contains in which a word or the name of a program says such an action."""
_MAX_WORDS: Final = 24
_MAX_NOUNS: Final = 3
"""How many words name an action at most, as in `app registry publish`."""
_PLAIN: Final = re.compile(r"[A-Za-z][\w.:-]*")
_ACTION: Final = re.compile(
    rf"(?:(?P<before>[A-Za-z][\w.:-]*)[.:-])?(?P<action>{'|'.join(sorted(ACTIONS, key=len, reverse=True))})"
    r"(?::[\w:-]+|-(?:all|to|packages?|images?|artifacts?|tags?|branch|chart|app|site|docs|pages|prod|production|staging"
    r"|preview|npm|pypi|crates?)(?:-\w+)*)?"
)
"""A word that names an action, perhaps with what it is done to: `hex.publish`, `deploy:prod`, `push-all`."""
_OTHERS: Final = names(
    "add ask bench build bump cat check clean clone commit compile configure convert copy create describe diff edit"
    " exec explain fetch find fmt format g generate get grep help history import init inspect install lint list log"
    " logs ls make merge migrate mv new open parse ps query read rename render rm run scaffold search serve set show"
    " start stash stat status stop switch test up update upgrade use validate verify watch x"
)
"""Actions behind which other words are names: `frob build release`, `frob help push`."""
_OTHERS_OR_NOUNS: Final = names("component config controller default global info local plan resource tag template view")
"""The same, but what follows may be an action of the noun: `frob template publish`."""
_BEFORE: Final = _OTHERS | names("pre post on no not un dry is can last next")
"""Words in front of an action that make another one of it: `pre-push`, `test-release`."""
_WITH_TEXT: Final = names("-m --message")
_WITH_NAMES: Final = names(
    "-b --branch --build-type --buildtype -c --channel --config --configuration -d --dir --event --filter -g --goal"
    " --group -i --input --job -k -l --label --mode -n --name -o --only --out --output -p --preset --profile --queue"
    " --stage --step -t --tag --target --task --topic --type --variant --workflow"
)
"""Options whose value is often called like an action: `--config release`."""
_HELP: Final = names("--help --version")


def unlisted_actions(name: str, args: Sequence[Field]) -> list[list[Field]]:
    """Return the usual commands that a command counts as. `name` may contain the folder of the program."""
    texts = [each.text for each in args[:_MAX_WORDS]]
    if not SIGN.search(" ".join((name, *texts))):
        return []
    programs = list(started(name, texts))
    found = [command for program, words in programs for command in _counted(program, words)]
    found += (command for program, words in programs if not _only_helps(words) for command in commands_of_name(program))
    of_project = [(name, texts)] if runs_project(name) else []
    found += (command for program, words in (*programs, *of_project) for command in commands_of_options(program, words))
    return [[Field(each) for each in command.split()] for command in dict.fromkeys(found)]


def _counted(name: str, texts: Sequence[str]) -> Iterator[str]:
    if _only_helps(texts):
        return
    for word in _words_of_action(texts, names_of_files(name)):
        found = _ACTION.fullmatch(word)
        if found and not has_rule(name, found["action"]) and _BEFORE.isdisjoint(_parts(found["before"] or "")):
            yield from ACTIONS[found["action"]]


def _parts(word: str) -> Sequence[str]:
    return re.split("[.:-]", word)


def _only_helps(texts: Sequence[str]) -> bool:
    """Return whether the last word asks for help or the version, and is not the value of an option."""
    return not _HELP.isdisjoint(texts[-1:]) and not any(each[:1] == "-" for each in texts[-2:-1])


def _words_of_action(texts: Sequence[str], files: frozenset[str]) -> Iterator[str]:
    """Yield the words that may name the action of a command, without those that are in `files`.

    It is not known whether an option takes the next word as its value, so both count.
    """
    nouns = 0
    for before, text in pairwise(("", *texts)):
        if nouns == _MAX_NOUNS or (text == "--" and nouns):
            return
        may_be_value = before[:1] == "-" and before != "--" and "=" not in before
        if text[:1] == "-" or before in _WITH_TEXT or (before in _WITH_NAMES and text in MAY_BE_NAMES):
            continue
        is_plain = _PLAIN.fullmatch(text) and (_ACTION.fullmatch(text) or "." not in text)
        if is_plain and text not in files:
            yield text
        if text in _OTHERS and not may_be_value:
            return
        if not is_plain or text in _OTHERS_OR_NOUNS or (text in _OTHERS and before not in _WITH_NAMES):
            files |= MAY_BE_NAMES
        nouns += not may_be_value
