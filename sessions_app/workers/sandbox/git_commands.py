"""Run git in a workspace for people: what is not committed and not pushed, commits and pushes.

git runs inside the container as the tool user, as if an agent had run it. A push leaves through the door, which judges
it.
"""

import re
import uuid
from typing import Any, Final

from sandbox.ports import RunRequest, RunResult, Runtime
from sessions_app.queries.questions import CommitQuestion, GitQuestion, GitStateQuestion
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
STATE: Final = f"""{_BEGIN}export GIT_OPTIONAL_LOCKS=0
printf 'branch %s\\0head %s\\0' "$(git symbolic-ref -q --short HEAD)" "$(git rev-parse -q --verify HEAD)"
git status --porcelain=v1 -z --no-renames | head -zn {MAX_PATHS} | sed -z 's/^/file /'
git log -z --format='commit %H %s' -n {MAX_COMMITS} HEAD --not --remotes=origin 2> /dev/null || true
"""
COMMIT: Final = f"""{_BEGIN}git add -A || exit 1
git diff --cached --quiet && exit {NOTHING}
printf '%s' "$MESSAGE" | git commit -q --cleanup=whitespace -F - || exit 1
printf '\\ncommit %s\\n' "$(git rev-parse HEAD)"
"""
PUSH: Final = f'{_BEGIN}git push --porcelain origin "$COMMIT:refs/heads/$BRANCH"'
_STATUSES: Final = {"?": "added", "A": "added", "D": "deleted", "U": "conflict"}
_REMOTE: Final = re.compile(r"^remote: (.+?)\s*$", re.MULTILINE)
_SAID: Final = re.compile(r"^(?:fatal|error): *(?:remote error: *)?(.+)$", re.MULTILINE)


async def run_git(runtime: Runtime, question: GitQuestion) -> dict[str, Any]:
    """Return what git did or found. `problem` names what went wrong, and `message` says it in words."""
    match question:
        case GitStateQuestion():
            return _state(await _run(runtime, STATE, {}))
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
    facts: dict[str, Any] = {"current_branch": "", "head": "", "uncommitted": [], "unpushed": []}
    for entry in result.output.decode("utf-8", "replace").split("\0"):
        kind, _, rest = entry.partition(" ")
        if kind == "branch":
            facts["current_branch"] = rest
        elif kind == "head":
            facts["head"] = rest
        elif kind == "file" and len(rest) > 3:
            facts["uncommitted"].append({"path": rest[3:], "status": _status(rest[:2])})
        elif kind == "commit":
            facts["unpushed"].append(_commit(rest))
    return facts


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
    if result.exit_code == NOTHING:
        return {"problem": "nothing", "message": "All changes in the workspace are committed already."}
    return {"problem": "commit", "message": f"git did not commit. {_words(result, text)}"}


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
    """Return the end of what git or a hook printed, as a sentence."""
    if result.end == "timeout":
        return f"It took longer than {TIMEOUT_SECONDS:.0f} s."
    if result.exit_code == NO_REPOSITORY:
        return "The workspace has no git repository any more."
    return f"It printed: {text.strip()[-MAX_WORDS:]}" if text.strip() else f"It ended with {result.exit_code}."
