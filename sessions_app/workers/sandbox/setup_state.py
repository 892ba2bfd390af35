"""Find the set-up of a workspace, and store whether it still has to run."""

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.utils import timezone

from sandbox.files import FileStat
from sandbox.ports import Runtime
from sessions_app.models import ProjectSetup, Workspace
from tools_app.setup_scripts import SETTINGS, Setup, find_setup

SetupFinder = Callable[[Runtime], Awaitable[tuple[Setup | None, dict[str, FileStat]]]]


def finder_of(workspace: Workspace) -> SetupFinder:
    """Return a function that finds the workspace's current set-up."""

    async def find(runtime: Runtime) -> tuple[Setup | None, dict[str, FileStat]]:
        script, services = await sync_to_async(in_settings, thread_sensitive=False)(workspace)
        return await find_setup(runtime, script, workspace.image or settings.SANDBOX_IMAGE, services)

    return find


def in_settings(workspace: Workspace) -> tuple[str, str]:
    """Return the set-up script and the services script from the project's settings; each is "" if it is not set.

    The settings are loaded with the project when the workspace starts (`claim_workspace`). Later the workspace's row
    tells whether its set-up came from the settings, so that projects without such settings need no query.
    """
    if ProjectSetup.project.field.remote_field.is_cached(workspace.project):
        return _settings_of(workspace.project)
    services = workspace.setup.get("services") or {}
    if SETTINGS not in (workspace.setup.get("source"), services.get("source")):
        return "", ""
    rows = ProjectSetup.objects.filter(pk=workspace.project_id)
    return rows.values_list("script", "services").first() or ("", "")


def _settings_of(project: Any) -> tuple[str, str]:
    try:
        return project.setup.script, project.setup.services
    except ProjectSetup.DoesNotExist:
        return "", ""


def store_found_setup(workspace: Workspace, setup: Setup | None) -> None:
    """Store the set-up that was found for a workspace in the workspace's row. A set-up that has not run yet becomes
    due."""
    known = workspace.setup
    found = _found(known, setup)
    if found == known:
        return
    if Workspace.objects.filter(pk=workspace.pk, setup=known).update(setup=found):
        workspace.setup = found


def _found(known: dict[str, Any], setup: Setup | None) -> dict[str, Any]:
    if setup is None:
        return {}
    facts: dict[str, Any] = {"source": setup.source, "digest": setup.digest, "key": setup.key, "problem": setup.problem}
    if setup.services:
        facts |= {"services": {**setup.services.as_dict(), "states": (known.get("services") or {}).get("states") or {}}}
    if known and setup.key in (known["key"], known.get("after")) and setup.problem == known["problem"]:
        return known
    return {**facts, "state": Workspace.SetupState.DUE.value, "at": timezone.now().isoformat()}
