"""The `setup` tool: run the project's set-up script."""

from typing import Final, Literal

from sandbox.ports import HOME, RunRequest, RunResult
from tools_app.arguments import ToolArguments
from tools_app.builtin.bash import live_output, needs_of_refused, report_of, reporting_once
from tools_app.description import description_beside
from tools_app.setup_scripts import SETTINGS, Setup, SetupRuns
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.suspension import AwaitPermission

PERMISSION: Final = "setup"
MAX_SECONDS: Final = 3600.0
TEMPORARY: Final = f"{HOME}/.cache/agentsite"
"""The folder for temporary files of a set-up: /tmp is in memory, and too small for what package managers unpack."""
MAX_SHOWN_CHARACTERS: Final = 20_000  # of the script in a permission request


class SetupArguments(ToolArguments):
    pass


class SetupTool(Tool[SetupArguments]):
    id = "setup"
    permission = PERMISSION
    parameters = SetupArguments
    description = description_beside(__file__)
    timeout: float | None = None
    requires = "setup"
    keep: Literal["head", "tail"] = "tail"

    async def needs(self, args: SetupArguments, ctx: ToolContext) -> list[PermissionNeed]:
        setup = await _usable(ctx)
        declared = setup.services
        needs = [need_of(setup)] if setup.script and not setup.is_from_settings else []
        if declared and declared.source != SETTINGS and not declared.problem:
            needs.append(_need(declared.source, declared.digest, declared.text, "Start the services of"))
        return needs

    async def run(self, args: SetupArguments, ctx: ToolContext) -> ToolResult:
        setup, runs = await _usable(ctx), _runs(ctx)
        publish, finish = live_output(ctx)
        report_limit = reporting_once(ctx.limit)
        environment = {**await runs.environment(), "TMPDIR": TEMPORARY}
        request = RunRequest(ctx.call_id, command_of(setup), timeout=MAX_SECONDS, env=environment)
        result = await ctx.runtime.run(request, on_output=publish, on_limit=report_limit)
        finish()
        for hit in result.limits:
            report_limit(hit)
        if result.end == "lost":
            raise ToolError("The sandbox stopped during set-up. It may have run partly; it runs again.", lost=True)
        note = await runs.ended(setup, result)
        note = "\n\n".join(filter(None, (note, await runs.start_services() if setup.services else "")))
        done = _result(setup, result, note)
        if needs := needs_of_refused(result.refused):
            raise AwaitPermission(needs, done, title=f"Connect to {', '.join(need.patterns[0] for need in needs)}")
        return done


def need_of(setup: Setup) -> PermissionNeed:
    """Return the permission needed to run a set-up script of the repository. Its pattern contains the hash of the
    script, so a grant does not apply to a changed script."""
    return _need(setup.source, setup.digest, setup.script, "Run")


def _need(source: str, digest: str, text: str, verb: str) -> PermissionNeed:
    pattern = f"{source} {digest}"
    metadata = {"title": f"{verb} {source}", "path": source, "command": text[:MAX_SHOWN_CHARACTERS]}
    return PermissionNeed(PERMISSION, (pattern,), (pattern,), metadata)


def command_of(setup: Setup) -> str:
    """Return the command that runs the stored text of the script, even if the script's file has changed since it was
    read."""
    return f'mkdir -p "$TMPDIR" && trap \'rm -rf "$TMPDIR"\' EXIT\n{setup.script}'


def _runs(ctx: ToolContext) -> SetupRuns:
    if ctx.setup is None:
        raise ToolError("There is no workspace to set up here.")
    return ctx.setup()


async def _usable(ctx: ToolContext) -> Setup:
    setup = await _runs(ctx).plan()
    if setup is None:
        raise ToolError("This project has no set-up script.")
    if setup.problem:
        raise ToolError(f"The set-up script {setup.source} cannot be run. {setup.problem}")
    return setup


def _result(setup: Setup, result: RunResult, note: str) -> ToolResult:
    name = "the project's settings" if setup.is_from_settings else setup.source or "its services"
    went_well = result.end == "exited" and result.exit_code == 0
    title = f"Set up the workspace with {name}" if went_well else f"Set-up failed with {name}"
    output = "\n\n".join(filter(None, [report_of(result, MAX_SECONDS * 1000), note]))
    metadata = {
        "exit_code": result.exit_code, "end": result.end, "dropped": result.dropped, "source": setup.source,
        "digest": setup.digest, "key": setup.key, "seconds": round(result.duration, 3),
    }  # fmt: skip
    return ToolResult(title, output, metadata, refused=result.refused)
