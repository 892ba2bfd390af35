"""Run git in a workspace for people: list uncommitted and unpushed changes, commit, and push.

git runs inside the container as the tool user, as if an agent had run it. A push goes through the door, which judges
it.
"""

import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final

from sandbox.ports import RunRequest, RunResult, Runtime
from sessions_app.queries.questions import CommitQuestion, GitQuestion, GitStateQuestion, UpdateQuestion
from tools_app.text import clean

MAX_PATHS: Final = 500
MAX_COMMITS: Final = 100
MAX_WORDS: Final = 1_500  # characters of what git or a hook printed
TIMEOUT_SECONDS: Final = 110.0  # of a commit or push, with the hooks of the repository
NO_REPOSITORY: Final = 90
NOTHING: Final = 91
_BEGIN: Final = f"""export LC_ALL=C GIT_TERMINAL_PROMPT=0
git rev-parse --git-dir > /dev/null 2>&1 || exit {NO_REPOSITORY}
"""
FIND_BASE: Final = """[ -n "$BASE" ] ||
BASE=$(git rev-parse -q --abbrev-ref origin/HEAD -- 2> /dev/null | sed -n 's|^origin/||p')
"""
"""A part of scripts that sets BASE to the server's default branch unless BASE is given."""
STATE: Final = f"""{_BEGIN}{FIND_BASE}export GIT_OPTIONAL_LOCKS=0
printf 'branch %s\\0head %s\\0' "$(git symbolic-ref -q --short HEAD)" "$(git rev-parse -q --verify HEAD)"
git status --porcelain=v1 -z --no-renames | head -zn {MAX_PATHS} | sed -z 's/^/file /'
git log -z --format='commit %H %s' -n {MAX_COMMITS} HEAD --not --remotes=origin 2> /dev/null
printf '\\0base %s\\0' "$BASE"
printf 'behind %s\\0' "$(git rev-list --count "HEAD..refs/remotes/origin/$BASE" -- 2> /dev/null)"
git rev-parse -q --verify "refs/remotes/origin/$BRANCH" > /dev/null && printf 'pushed yes\\0'
for name in rebase-merge rebase-apply MERGE_HEAD; do
    [ ! -e "$(git rev-parse --git-path $name)" ] || printf 'operation %s\\0' $name
done
true
"""
IN_CONFLICT: Final = 95
COMMIT: Final = f"""{_BEGIN}[ -z "$(git diff --name-only --diff-filter=U)" ] || exit {IN_CONFLICT}
git add -A || exit 1
git diff --cached --quiet && exit {NOTHING}
message=$(mktemp)
trap 'rm -f "$message"' EXIT
printf '%s\n' "$MESSAGE" > "$message"
[ -z "$AGENTSITE_TRAILERS" ] || printf '%s\n' "$AGENTSITE_TRAILERS" | while IFS= read -r line; do
    git interpret-trailers --in-place --if-exists addIfDifferent --trailer "$line" "$message"
done # the hook that does this does not run if the repository has hooks of its own in core.hooksPath
git commit -q --cleanup=whitespace -F "$message" || exit 1
printf '\\ncommit %s\\n' "$(git rev-parse HEAD)"
"""
PUSH: Final = f'{_BEGIN}git push --porcelain origin "$COMMIT:refs/heads/$BRANCH"'
DIRTY: Final = 92
DETACHED: Final = 93
NO_BASE: Final = 94
_FETCH: Final = f"""{_BEGIN}{FIND_BASE}[ -n "$BASE" ] || exit {NO_BASE}
git fetch -q origin "+refs/heads/$BASE:refs/remotes/origin/$BASE" || exit 1
"""
_BRING: Final = f"""{_FETCH}git symbolic-ref -q HEAD > /dev/null || exit {DETACHED}
[ -z "$(git status --porcelain --untracked-files=no)" ] || exit {DIRTY}
$BRING "origin/$BASE" && exit 0
[ -z "$(git diff --name-only --diff-filter=U)" ] || exit {IN_CONFLICT}
$UNDO 2> /dev/null
exit 1
"""
UPDATES: Final[Mapping[str, str]] = {
    "fetch": _FETCH,
    "rebase": _BRING.replace("$BRING", "git rebase -q").replace("$UNDO", "git rebase --abort"),
    "merge": _BRING.replace("$BRING", "git merge -q --no-edit").replace("$UNDO", "git merge --abort"),
    "abort": f"{_BEGIN}git rebase --abort 2> /dev/null || git merge --abort",
}
_NOT_UPDATED: Final[Mapping[int, tuple[str, str]]] = {
    DIRTY: ("uncommitted", "Some changes are not committed. Commit them first, so that nothing is lost."),
    DETACHED: ("update", "No branch is checked out in the workspace, or a rebase has begun already."),
    NO_BASE: ("update", "The workspace's repository does not know which branch it started from."),
}
_STATUSES: Final = {"?": "added", "A": "added", "D": "deleted", "U": "conflict"}
_REMOTE: Final = re.compile(r"^remote: (.+?)\s*$", re.MULTILINE)
_SAID: Final = re.compile(r"^(?:fatal|error): *(?:remote error: *)?(.+)$", re.MULTILINE)


async def run_git(runtime: Runtime, question: GitQuestion) -> dict[str, Any]:
    """Run git for a query of a person, and return the result. In the result, `problem` is the code of an error, and
    `message` describes it."""
    match question:
        case GitStateQuestion(branch=branch, base=base):
            return _state(await _run(runtime, STATE, {"BRANCH": branch, "BASE": base}))
        case UpdateQuestion(how=how, base=base, environment=names):
            result = await _run(runtime, UPDATES[how], {**names, "BASE": base, "GIT_EDITOR": "true"})
            return _updated(result, how)
        case CommitQuestion(message=message, environment=names):
            return _committed(await _run(runtime, COMMIT, {**names, "MESSAGE": message}))
    return _pushed(await _run(runtime, PUSH, {"BRANCH": question.branch, "COMMIT": question.commit}), question.branch)


async def _run(runtime: Runtime, script: str, environment: dict[str, str]) -> RunResult:
    return await runtime.run(RunRequest(f"git-{uuid.uuid4().hex}", script, timeout=TIMEOUT_SECONDS, env=environment))


def _text(result: RunResult) -> str:
    return clean(result.output.decode("utf-8", "replace").replace("\0", "\n")) if result.output else ""


def _state(result: RunResult) -> dict[str, Any]:
    if result.exit_code == NO_REPOSITORY:
        return {"problem": "The workspace has no git repository any more."}
    facts: dict[str, Any] = {"uncommitted": [], "unpushed": []}
    for entry in result.output.decode("utf-8", "replace").split("\0"):
        kind, _, rest = entry.partition(" ")
        if kind == "file" and len(rest) > 3:
            facts["uncommitted"].append({"path": rest[3:], "status": _status(rest[:2])})
        elif kind == "commit":
            facts["unpushed"].append(_commit(rest))
        elif kind in _FACTS:
            facts |= _FACTS[kind](rest)
    return facts


_FACTS: Final[Mapping[str, Callable[[str], Mapping[str, Any]]]] = {
    "branch": lambda rest: {"current_branch": rest},
    "head": lambda rest: {"head": rest},
    "base": lambda rest: {"base": rest},
    "behind": lambda rest: {"behind": int(rest) if rest.isdecimal() else 0},
    "pushed": lambda _: {"pushed": True},
    "operation": lambda rest: {"operation": "merge" if rest == "MERGE_HEAD" else "rebase"},
}


def _status(letters: str) -> str:
    if letters in ("AA", "DD"):
        return "conflict"
    return next((_STATUSES[letter] for letter in ("U", "?", "D", "A") if letter in letters), "modified")


def _commit(rest: str) -> dict[str, str]:
    commit, _, subject = rest.partition(" ")
    return {"commit": commit, "subject": subject[:300]}


def _committed(result: RunResult) -> dict[str, Any]:
    text = _text(result)
    if result.exit_code == 0 and (found := re.findall(r"^commit ([0-9a-f]{40,64})$", text, re.MULTILINE)):
        return {"commit": found[-1]}
    if result.exit_code == IN_CONFLICT:
        return {
            "problem": "commit",
            "message": "Files are in conflict. Resolve them first, or undo the merge or rebase.",
        }
    if result.exit_code == NOTHING:
        return {"problem": "nothing", "message": "All changes in the workspace are committed already."}
    return {"problem": "commit", "message": f"git did not commit. {_words(result, text)}"}


def _updated(result: RunResult, how: str) -> dict[str, Any]:
    if result.exit_code in (0, IN_CONFLICT):  # conflicts are part of the state
        return {}
    if found := _NOT_UPDATED.get(result.exit_code or 0):
        return {"problem": found[0], "message": found[1]}
    text = _text(result)
    said = " ".join(dict.fromkeys(_REMOTE.findall(text) or _SAID.findall(text))) or _words(result, text)
    return {"problem": "update", "message": f"git did not {how}. {said}"[:MAX_WORDS]}


def _pushed(result: RunResult, branch: str) -> dict[str, Any]:
    if result.exit_code == 0:
        return {}
    text = _text(result)
    said = " ".join(dict.fromkeys(_REMOTE.findall(text) or _SAID.findall(text))) or _words(result, text)
    if "(needs permission)" in text:
        return {"problem": "asks", "message": said}
    if "(fetch first)" in text or "(non-fast-forward)" in text:
        return {"problem": "rejected", "message": f"{branch} at the forge has commits that are not in the workspace."}
    return {"problem": "refused", "message": f"The push did not succeed. {said}"[:MAX_WORDS]}


def _words(result: RunResult, text: str) -> str:
    """Return a sentence that says why git failed: the timeout, the missing repository, the end of `text` (the output of
    git or a hook), or the exit code."""
    if result.end == "timeout":
        return f"It took longer than {TIMEOUT_SECONDS:.0f} s."
    if result.exit_code == NO_REPOSITORY:
        return "The workspace has no git repository any more."
    return f"It printed: {text.strip()[-MAX_WORDS:]}" if text.strip() else f"It ended with {result.exit_code}."
