"""Read from a workspace the material for the draft of a commit message or pull request.

git runs inside the container as the tool user. Contents are shown to a model, so files that the rules do not let agents
read are left out.
"""

import uuid
from collections.abc import Iterable
from typing import Any, Final

from asgiref.sync import sync_to_async

from sandbox.ports import RunRequest, Runtime
from sessions_app.models import Session
from sessions_app.policy import SessionLayers, current_layers
from sessions_app.queries.questions import DraftQuestion
from sessions_app.repositories.drafts.text import MAX_PATHS, MAX_TEMPLATE_CHARS, ChangedFile, Material
from sessions_app.repositories.pulls.opening import TEMPLATES
from sessions_app.variables.given import masks_of
from tools_app.masking import Masks
from tools_app.permission.engine import decide
from tools_app.permission.model import Request
from tools_app.text import clean_value

TIMEOUT_SECONDS: Final = 5.0  # for each of two runs of git
MAX_FILES: Final = 500
MAX_COMMITS: Final = 30
MAX_PATCH_BYTES: Final = 200_000
MAX_NAMES_CHARS: Final = 30_000  # of the files whose contents are asked for
_FROM: Final = """export LC_ALL=C GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0
git rev-parse --git-dir > /dev/null 2>&1 || exit 0
ref() { git rev-parse -q --verify "$1^{commit}"; }
if [ "$WHAT" = commit ]; then
    at=$(ref HEAD) range=$at
    [ -n "$range" ] || range=$(git hash-object -t tree /dev/null)
    place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
    cp "$(git rev-parse --git-path index)" "$place/index" 2> /dev/null
    export GIT_INDEX_FILE=$place/index
    git add -N . 2> /dev/null
else
    at=$(ref "refs/remotes/origin/$BASE" || ref refs/remotes/origin/HEAD) || exit 0
    tip=$(ref "refs/remotes/origin/$BRANCH" || ref HEAD) || exit 0
    range="$(git merge-base "$at" "$tip" || echo "$at") $tip"
fi
"""
LISTED: Final = f"""{_FROM}[ "$WHAT" = commit ] || for path in $TEMPLATES; do
    text=$(git show "$at:$path" 2> /dev/null | head -c {MAX_TEMPLATE_CHARS} | tr -d '\\0')
    [ -z "$text" ] || {{ printf 'template %s\\0' "$text"; break; }}
done
[ "$WHAT" = commit ] || git log -z --format='commit %B' -n {MAX_COMMITS} "$at..$tip" | head -c 20000
printf '\\0'
git diff --numstat -z --no-renames $range -- | head -zn {MAX_FILES} | sed -z 's/^/file /'
"""
SHOWN: Final = f"""{_FROM}mapfile -t paths <<< "$FILES"
git --literal-pathspecs diff --no-color --no-ext-diff --no-textconv --no-renames $range -- "${{paths[@]}}" \
    | head -c {MAX_PATCH_BYTES}
"""


async def read_material(runtime: Runtime, question: DraftQuestion) -> dict[str, Any]:
    """Return a `Material` as JSON, without secrets. Raises SandboxError."""
    session = await sync_to_async(_load, thread_sensitive=False)(question.session)
    given = {"WHAT": question.what, "BASE": question.base, "BRANCH": question.branch, "TEMPLATES": " ".join(TEMPLATES)}
    listed = _parse(await _run(runtime, LISTED, given))
    layers, masks = await sync_to_async(_rules, thread_sensitive=False)(session)
    hidden = {each.path for each in listed["files"] if decide(Request("read", each.path), *layers).action != "allow"}
    patch = ""
    if paths := _asked(each.path for each in listed["files"] if each.path not in hidden):
        patch = (await _run(runtime, SHOWN, {**given, "FILES": paths})).decode("utf-8", "replace")
    found = Material(what=question.what, patch=patch, withheld=sorted(hidden), **listed)
    material: dict[str, Any] = masks.mask_value(clean_value(found.model_dump(mode="json")))
    return material


def _load(session_id: uuid.UUID) -> Session:
    return Session.objects.select_related("project", "workspace").get(pk=session_id)


def _rules(session: Session) -> tuple[SessionLayers, Masks]:
    return current_layers(session), masks_of(session.project)


async def _run(runtime: Runtime, script: str, environment: dict[str, str]) -> bytes:
    request = RunRequest(f"draft-{uuid.uuid4().hex}", script, timeout=TIMEOUT_SECONDS, env=environment)
    result = await runtime.run(request)
    return result.output


def _parse(output: bytes) -> dict[str, Any]:
    facts: dict[str, Any] = {"files": [], "log": [], "template": ""}
    for entry in output.decode("utf-8", "replace").split("\0"):
        kind, _, rest = entry.partition(" ")
        if kind == "template":
            facts["template"] = rest.strip()
        elif kind == "commit":
            facts["log"].append(rest.strip())
        elif kind == "file" and rest.count("\t") >= 2:
            added, deleted, path = rest.split("\t", 2)
            facts["files"].append(ChangedFile(path=path, added=added, deleted=deleted))
    return facts


def _asked(paths: Iterable[str]) -> str:
    """Return the standard input for the script that prints files: their paths, one per line. Names that contain a line
    feed are left out."""
    lines = [path for path in paths if "\n" not in path][:MAX_PATHS]
    return "\n".join(lines)[:MAX_NAMES_CHARS]
