"""Put the submodules of a repository into a new workspace, each from where the project's settings let it come."""

import re
import secrets
from collections.abc import Sequence
from typing import Final

from agentsite.base.background import background
from sandbox.ports import RunRequest, RunResult, Runtime
from sessions_app.models import Workspace
from sessions_app.repositories.models import ProjectRepository
from sessions_app.repositories.submodules import MAX_SUBMODULES, Submodule, placed, read_settings

TIMEOUT: Final = 900.0  # seconds
MAX_NAMED: Final = 5
LIST: Final = "git config -z --file .gitmodules --list 2> /dev/null; true"
UPDATE: Final = r"""export GIT_TERMINAL_PROMPT=0 LC_ALL=C
[ -n "$LFS" ] || export GIT_LFS_SKIP_SMUDGE=1
while IFS=$'\t' read -r name path url; do
    [ "$url" = "${url#door:}" ] || url=$HTTP_PROXY/git/${url#door:}.git
    git config "submodule.$name.url" "$url" && git config "submodule.$name.active" true
    if git -c core.hooksPath=/dev/null -c gc.auto=0 -c protocol.file.allow=never -c protocol.ext.allow=never \
        submodule --quiet update --init --recursive -- "$path" > /tmp/submodule.$$ 2>&1; then
        printf 'done\t%s\n' "$path"
    else
        said=$(grep -E '^(remote|fatal|error):' /tmp/submodule.$$ | grep -v 'clone of .* failed' | head -n 1)
        printf 'failed\t%s\t%s\n' "$path" "${said:0:300}"
    fi
done <<< "$MODULES"
rm -f /tmp/submodule.$$
"""
_SAID: Final = re.compile(r"^(?:remote|fatal|error): *(?:remote error: *)?")
PREFIX: Final = "submodules-"


def get_submodules(workspace: Workspace, row: ProjectRepository, runtime: Runtime, count: int) -> str:
    """Put the submodules in place, of which the commit has `count`, and return what people have to know about them, by
    name. Nothing has run in the workspace. Raises SandboxError."""
    listed = _run(runtime, workspace, LIST, "").output.decode("utf-8", "replace")
    found = [placed(each, row) for each in read_settings(listed)]
    wanted = [each for each in found if each.address][:MAX_SUBMODULES]
    lines = "\n".join(f"{each.name}\t{each.path}\t{each.address}" for each in wanted)
    result = _run(runtime, workspace, UPDATE, lines, lfs=row.lfs) if wanted else None
    nameless = max(0, count - len(found))
    without = f"{nameless} of its submodules are left out: .gitmodules has no address for them." if nameless else ""
    return " ".join(filter(None, (_summary(found, result), without)))


def end_leftovers(workspace: Workspace, runtime: Runtime) -> None:
    """End what a worker before this one had started here: the clone begins again."""
    for call_id in background.run(runtime.ping()).live_calls:
        if call_id.startswith(f"{PREFIX}{workspace.public_id}"):
            background.run(runtime.abort(call_id))


def _run(runtime: Runtime, workspace: Workspace, script: str, modules: str, *, lfs: bool = False) -> RunResult:
    call_id = f"{PREFIX}{workspace.public_id}-{secrets.token_hex(4)}"
    variables = {"MODULES": modules, "LFS": "yes" if lfs else ""}
    return background.run(runtime.run(RunRequest(call_id, script, timeout=TIMEOUT, env=variables)))


def _summary(found: Sequence[Submodule], result: RunResult | None) -> str:
    output = result.output.decode("utf-8", "replace") if result else ""
    outcomes = {words[1]: words for words in (line.split("\t") for line in output.splitlines()) if len(words) > 1}
    there = [each.path for each in found if outcomes.get(each.path, [""])[0] == "done"]
    texts = [f"Its submodule{'s' if there[1:] else ''} {_named(there)} {'are' if there[1:] else 'is'} there."]
    missing = [each for each in found if each.path not in there]
    texts = texts if there else []
    for each in missing[:MAX_NAMED]:
        said = _SAID.sub("", outcomes.get(each.path, ["", "", ""])[-1])
        texts.append(
            f"Its submodule {each.path or each.name} is left out: {each.problem or said or 'git did not get it.'}"
        )
    if missing[MAX_NAMED:]:
        texts.append(f"{len(missing) - MAX_NAMED} more submodules are left out.")
    return " ".join(texts)


def _named(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - MAX_NAMED} more" if paths[MAX_NAMED:] else ""
    return f"{', '.join(paths[:MAX_NAMED])}{more}"
