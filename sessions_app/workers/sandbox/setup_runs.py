"""WorkspaceSetup: the access of the tool `setup` to its workspace."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeVar

import structlog
from asgiref.sync import sync_to_async

from sandbox.errors import SandboxError
from sandbox.ports import RunResult, Runtime
from sessions_app.actions.setups import lines_about, mark_setup
from sessions_app.models import ToolCall, Workspace
from sessions_app.variables.given import given_variables, note_use
from sessions_app.workers.sandbox.services import services_for_commands
from sessions_app.workers.sandbox.setup_results import keep_result
from sessions_app.workers.sandbox.setup_state import finder_of
from tools_app.setup_scripts import Setup

NOT_KEPT: Final = "(The result could not be kept for other workspaces: {reason})"

T = TypeVar("T")

logger = structlog.get_logger(__name__)


class WorkspaceSetup:
    """The `SetupRuns` of a workspace (`tools_app.setup_scripts`). Methods run on the background loop, queries in
    threads."""

    def __init__(self, workspace: Workspace, runtime: Runtime, *, call: ToolCall) -> None:
        self._workspace = workspace
        self._runtime = runtime
        self._call = call
        self._planned: list[Setup | None] = []

    async def plan(self) -> Setup | None:
        if not self._planned:
            setup, _ = await finder_of(self._workspace)(self._runtime)
            self._planned.append(setup)
        return self._planned[0]

    async def environment(self) -> Mapping[str, str]:
        return await _thread(self._variables)

    def _variables(self) -> Mapping[str, str]:
        """Return the variables of the team and the project. Variables of people are left out, because workspaces of
        other people get the result."""
        project = self._workspace.project
        given = given_variables(team_id=project.team_id, project_id=project.pk, stage="setup")
        note_use(given.rows, self._workspace.pk)
        return given.values

    async def ended(self, setup: Setup, result: RunResult) -> str:
        """Store the outcome of a run of set-up. The files that a successful run created are kept for other workspaces
        only if nothing else has run in this workspace, because otherwise an agent could put files into other
        workspaces."""
        after, _ = await finder_of(self._workspace)(self._runtime)
        went_well = result.end == "exited" and result.exit_code == 0
        facts = {
            "source": setup.source, "digest": setup.digest, "key": setup.key, "problem": "",
            "after": after.key if after else "", "exit_code": result.exit_code, "seconds": round(result.duration, 3),
            "call": self._call.public_id,
        }  # fmt: skip
        state = Workspace.SetupState.DONE if went_well else Workspace.SetupState.FAILED
        await _thread(partial(mark_setup, self._workspace, state, **facts))
        if not went_well or await _thread(self._has_run_others):
            return ""
        return await self._keep(setup, result, str(facts["after"]))

    async def _keep(self, setup: Setup, result: RunResult, after: str) -> str:
        try:
            await keep_result(self._workspace, self._runtime, started_at=result.started_at, key=setup.key, after=after)
        except (SandboxError, OSError) as error:
            logger.warning("setup_not_kept", workspace=self._workspace.public_id, error=repr(error))
            return NOT_KEPT.format(reason=getattr(error, "message", str(error)))
        return ""

    async def start_services(self) -> str:
        await services_for_commands(self._workspace, self._runtime, again=True)
        return "\n".join(lines_about(self._workspace.setup))

    def _has_run_others(self) -> bool:
        calls = ToolCall.objects.filter(session__workspace=self._workspace, started_at__isnull=False)
        return calls.exclude(pk=self._call.pk).exists()


async def _thread(work: Callable[[], T]) -> T:
    return await sync_to_async(work, thread_sensitive=False)()
