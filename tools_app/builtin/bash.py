"""The `bash` tool: run a command in the sandbox, in the foreground or in the background."""

import codecs
import shlex
from collections.abc import Callable, Sequence
from typing import Final, Literal

from pydantic import Field

from sandbox.errors import WrongKind
from sandbox.limits import LimitHit, RefusedConnection
from sandbox.ports import WORKSPACE_ROOT, RunRequest, RunResult
from tools_app.arguments import ResolvedPath, ToolArguments, needs_of_outside
from tools_app.command_needs import CommandText, needs_of_command
from tools_app.description import description_beside
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.suspension import AwaitPermission
from tools_app.text import clean, first_line

DEFAULT_TIMEOUT_MS: Final = 120_000
MAX_TIMEOUT_MS: Final = 600_000
BACKGROUND_TIMEOUT_SECONDS: Final = 3600.0
# The description is shown above the command in a permission request and must not push it out of view.
MAX_DESCRIPTION_CHARACTERS: Final = 200

_VERBS: Final = {"egress": "Connect to", "git_push": "Push to"}
_RUN_AGAIN: Final = "The agent may then run the same command again at once, without another question:"


class BashArguments(ToolArguments):
    command: str = Field(min_length=1, max_length=100_000, description="What to run, as one would type it into bash.")
    timeout: int | None = Field(
        default=None,
        gt=0,
        le=MAX_TIMEOUT_MS,
        description=f"Milliseconds after which the command is ended. Default: {DEFAULT_TIMEOUT_MS}.",
    )
    workdir: str | None = Field(default=None, description="The folder to run in. Default: the session's folder.")
    description: str | None = Field(default=None, description="What the command does, in five to ten words.")
    background: bool = Field(
        default=False,
        description="Start it and go on at once. It keeps running after the call, at most an hour; the answer gives a "
        "handle for `bash_output` and `bash_stop`. For servers and watchers.",
    )


class BashTool(Tool[BashArguments]):
    id = "bash"
    permission = "bash"
    parameters = BashArguments
    description = description_beside(__file__)
    timeout: float | None = None
    keep: Literal["head", "tail"] = "tail"

    async def needs(self, args: BashArguments, ctx: ToolContext) -> list[PermissionNeed]:
        target = await args.resolve(args.workdir or ctx.folder, ctx.runtime)
        title = f"Run {first_line(args.command)}"
        needs = await needs_of_command(
            CommandText(args.command, judged_text(args.command, target), target.real),
            ctx,
            title=title,
            path=target.shown,
            description=" ".join((args.description or "").split())[:MAX_DESCRIPTION_CHARACTERS],
        )
        return [*needs_of_outside(target, title=title), *needs]

    async def run(self, args: BashArguments, ctx: ToolContext) -> ToolResult:
        target = await args.resolve(args.workdir or ctx.folder, ctx.runtime)
        require_folder(target)
        if args.background:
            return await _start(args, target, ctx)
        milliseconds = args.timeout or DEFAULT_TIMEOUT_MS
        request = RunRequest(
            ctx.call_id,
            args.command,
            workdir=target.real,
            timeout=milliseconds / 1000,
            env=await ctx.variables(),
        )
        publish, finish = live_output(ctx)
        report_limit = reporting_once(ctx.limit)
        result = await ctx.runtime.run(request, on_output=publish, on_limit=report_limit)
        finish()
        for hit in result.limits:  # includes limits that were reached before `on_limit` was connected
            report_limit(hit)
        if result.end == "lost":
            raise ToolError(
                "The sandbox stopped while the command ran. Interrupted: it may have run partly.", lost=True
            )
        done = ToolResult(
            f"Ran {first_line(args.command)}",
            report_of(result, milliseconds),
            {"exit_code": result.exit_code, "end": result.end, "dropped": result.dropped, **kinds_of(result.limits)},
            refused=result.refused,
        )
        if needs := needs_of_refused(result.refused):
            raise AwaitPermission(needs, done, title=_title_of(needs))
        return done


async def _start(args: BashArguments, target: ResolvedPath, ctx: ToolContext) -> ToolResult:
    """Start the command in the background.

    Its handle is the id of the call, so that a repeated call finds the command that it has already started.
    """
    timeout = args.timeout / 1000 if args.timeout else BACKGROUND_TIMEOUT_SECONDS
    request = RunRequest(
        ctx.call_id,
        args.command,
        workdir=target.real,
        timeout=timeout,
        env=await ctx.variables(),
        owner=ctx.session_id,
    )
    call = await ctx.runtime.start(request)
    minutes = call.seconds_left / 60
    return ToolResult(
        f"Started {first_line(args.command)}",
        f"It runs in the background with the handle {call.call_id}, for at most {minutes:.3g} minutes. "
        "Read its output with `bash_output`, end it with `bash_stop`.",
        {"handle": call.call_id, "background": True},
    )


def reporting_once(report: Callable[[LimitHit], None]) -> Callable[[LimitHit], None]:
    """Wrap the callback `report` so that only the first LimitHit of each kind is reported."""
    reported: set[str] = set()

    def report_once(hit: LimitHit) -> None:
        if hit.kind not in reported:
            reported.add(hit.kind)
            report(hit)

    return report_once


def kinds_of(limits: Sequence[LimitHit]) -> dict[str, list[str]]:
    """Return the metadata of a result that lists the reached limits; empty if no limit was reached."""
    return {"limits": [hit.kind for hit in limits]} if limits else {}


def limit_notes(limits: Sequence[LimitHit]) -> list[str]:
    """Return a note for each reached limit except the limits on time and output, which the final note about the command
    mentions."""
    return [f"({hit.message})" for hit in limits if hit.kind not in {"time", "output"}]


def judged_text(command: str, target: ResolvedPath) -> str:
    """Return the command in the form in which it is judged: preceded by a `cd` unless it runs in the workspace's root.

    The same command can have different effects in different folders.
    """
    return command if target.real == WORKSPACE_ROOT else f"cd {shlex.quote(target.shown)} && {command}"


def require_folder(target: ResolvedPath) -> None:
    if not target.exists or target.kind != "directory":
        raise WrongKind(f"The workdir {target.shown} is not a folder. Give a folder that exists.")


def live_output(ctx: ToolContext) -> tuple[Callable[[bytes], None], Callable[[], None]]:
    """Return two functions: the first publishes chunks of output as text, the second flushes an incomplete last
    character."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def publish(chunk: bytes) -> None:
        if text := decoder.decode(chunk):
            ctx.progress(output=clean(text))

    def finish() -> None:
        if text := decoder.decode(b"", final=True):
            ctx.progress(output=text)

    return publish, finish


def report_of(result: RunResult, milliseconds: float) -> str:
    output = result.output.decode("utf-8", "replace").rstrip("\n") or "(no output)"
    if result.dropped:
        output = f"({result.dropped:,} bytes before this were not kept.)\n{output}"
    refused = [f"({each.reason})" for each in result.refused]
    notes = [*limit_notes(result.limits), *refused, _end_note(result, milliseconds)]
    return "\n\n".join([output, *filter(None, notes)])


def needs_of_refused(refused: Sequence[RefusedConnection]) -> list[PermissionNeed]:
    """Return the permissions needed for the connections and pushes that were refused but that a person could allow."""
    return [
        PermissionNeed(
            each.permission,
            (each.name,),
            (each.name,),
            {"title": f"{_VERBS[each.permission]} {each.name}", "description": _RUN_AGAIN},
        )
        for each in refused
        if each.may_ask
    ]


def _title_of(needs: Sequence[PermissionNeed]) -> str:
    """Return the title of the permission request, such as "Connect to a.example, b.example" or "Push to
    agentsite/x"."""
    names: dict[str, list[str]] = {}
    for need in needs:
        names.setdefault(_VERBS[need.permission], []).append(need.patterns[0])
    return "; ".join(f"{verb} {', '.join(of_verb)}" for verb, of_verb in names.items())


def _end_note(result: RunResult, milliseconds: float) -> str:
    if result.end == "timeout" and result.duration * 1000 < milliseconds:
        return f"(Ended after {result.duration:,.0f} s, the longest a command of this workspace may run.)"
    if result.end == "timeout":
        return f"(Ended after {milliseconds / 1000:g} s, its time limit. Give a larger timeout if it needs longer.)"
    if result.end == "aborted":
        return "(Aborted by the user: the command and everything it had started were ended.)"
    if result.end == "flooded":
        return "(Ended: its output was far too large. Redirect the output to a file, or print less.)"
    return f"(Exit code {result.exit_code}.)" if result.exit_code else ""
