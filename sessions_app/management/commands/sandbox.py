"""Operator commands for workspaces. They work on any machine of the site, because they query nodes over the queue."""

import asyncio
import os
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from agentsite.base.errors import SiteError
from sessions_app.actions.archives import export_workspace
from sessions_app.actions.nodes import names_of_nodes
from sessions_app.models import Workspace
from sessions_app.queries.live import query_node
from sessions_app.queries.questions import CheckQuestion, ListQuestion, ReapQuestion
from sessions_app.storage.archives import archive_storage, is_local

POLL_INTERVAL: Final = 0.25  # seconds
COLUMNS: Final = ("workspace", "node", "state", "container", "runtime", "disk", "memory", "team", "name")


class Command(BaseCommand):
    help = "List, check, clean up and export the sandboxes of this site."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, parser_class=type(parser))
        listing = verbs.add_parser("list", help="list the workspaces, with their state in the database and on the node")
        listing.add_argument("--node", help="list only the workspaces of this node")
        listing.add_argument("--state", choices=Workspace.State.values, help="list only the workspaces in this state")
        check = verbs.add_parser("check", help="run the self-check inside a workspace; exits with status 1 if it fails")
        check.add_argument("workspace", help="id of the workspace (wsp_...)")
        reap = verbs.add_parser(
            "reap", help="remove containers, mounts, processes and other resources that belong to no workspace"
        )
        reap.add_argument("--node", help="only on this node; by default on every node that answers")
        export = verbs.add_parser("export", help="create a new archive of a workspace's files and write it to a file")
        export.add_argument("workspace", help="id of the workspace (wsp_...)")
        export.add_argument("file", type=Path, help="path of the gzipped tar file; must not exist")
        export.add_argument(
            "--timeout",
            "--patience",
            type=float,
            default=600.0,
            help="seconds to wait; default: %(default)s",
        )

    def handle(self, *args: Any, verb: str, **options: Any) -> None:
        act: Callable[[dict[str, Any]], None] = getattr(self, f"_{verb}")
        try:
            act(options)
        except SiteError as error:
            raise CommandError(f"{error.message} {error.hint}") from error

    def _list(self, options: dict[str, Any]) -> None:
        rows = Workspace.objects.select_related("project__team").order_by("node", "id")
        rows = rows.filter(node=options["node"]) if options["node"] else rows
        rows = rows.filter(state=options["state"]) if options["state"] else rows
        found = {node: self._containers(node) for node in sorted({row.node for row in rows if row.node})}
        table = [COLUMNS, *(_line(row, found.get(row.node, {})) for row in rows)]
        widths = [max(len(line[column]) for line in table) for column in range(len(COLUMNS))]
        for line in table:
            self.stdout.write("  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip())
        self._print_unknown_containers(found, {row.public_id for row in Workspace.objects.only("id")})

    def _containers(self, node: str) -> dict[str, str]:
        try:
            return dict(asyncio.run(query_node(node, ListQuestion())))
        except SiteError as error:
            self.stderr.write(f"{node}: {error.message}")
            return {}

    def _print_unknown_containers(self, found: dict[str, dict[str, str]], known: set[str]) -> None:
        unknown = sorted(f"{node}: {name}" for node, containers in found.items() for name in set(containers) - known)
        for workspace in unknown:
            self.stdout.write(f"{workspace} has a container but no workspace; `manage.py sandbox reap` removes it")

    def _check(self, options: dict[str, Any]) -> None:
        row = Workspace.objects.all().by_public_id(options["workspace"])
        if not row.node:
            raise CommandError("This workspace has not been assigned to a node yet.")
        report = asyncio.run(query_node(row.node, CheckQuestion(workspace=row.id)))
        self.stdout.write(f"{row.public_id} on {report['runtime']}, kernel {report['kernel']}")
        for item in report["items"]:
            self.stdout.write(f"  {'passed' if item['passed'] else 'FAILED'}  {item['name']}: {item['found']}")
        if not report["passed"]:
            raise CommandError("The self-check failed: this sandbox is not confined correctly.")

    def _export(self, options: dict[str, Any]) -> None:
        row = Workspace.objects.select_related("project").by_public_id(options["workspace"])
        file: Path = options["file"]
        if file.exists():
            raise CommandError(f"{file} already exists; choose another name.")
        if not os.access(file.parent, os.W_OK | os.X_OK):
            raise CommandError(
                f"The folder {file.parent} is not writable; choose an existing folder that you can write to."
            )
        export_workspace(actor=None, workspace=row)
        name = _await_archive(row, timeout=options["timeout"])
        if not is_local():
            self.stdout.write(f"The archive is in the storage as {name}, but this machine has no keys for it.")
            return
        fresh = partial(os.open, mode=0o600)  # the archive holds files that agents can read only with permission
        with archive_storage().open(name) as source, open(file, "xb", opener=fresh) as target:
            shutil.copyfileobj(source, target)
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes")

    def _reap(self, options: dict[str, Any]) -> None:
        nodes = [options["node"]] if options["node"] else names_of_nodes(timezone.now())
        silent = [node for node in nodes if not self._reap_node(node)]
        if silent:
            raise CommandError(f"These nodes did not answer: {', '.join(silent)}.")

    def _reap_node(self, node: str) -> bool:
        try:
            reaped = asyncio.run(query_node(node, ReapQuestion()))
        except SiteError as error:
            self.stderr.write(f"{node}: {error.message}")
            return False
        for kind, names in sorted(reaped.items()):
            for name in names:
                self.stdout.write(f"{node}: removed from {kind}: {name}")
        if not any(reaped.values()):
            self.stdout.write(f"{node}: nothing to remove")
        return True


def _await_archive(row: Workspace, *, timeout: float) -> str:
    """Wait for the workspace's next archive and return its name."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        fresh = Workspace.objects.only("archive", "archived_at").get(pk=row.pk)
        if fresh.archive and fresh.archived_at != row.archived_at:
            return str(fresh.archive)
        time.sleep(POLL_INTERVAL)
    raise CommandError(f"The node '{row.node}' created no archive within {timeout:.0f} s; its log shows why.")


def _line(row: Workspace, containers: dict[str, str]) -> tuple[str, ...]:
    state = row.state if row.remove_at is None else f"removing {timezone.localtime(row.remove_at):%Y-%m-%d}"
    container = containers.get(row.public_id, "-")
    disk, memory = _gauge(row.usage, "disk"), _gauge(row.usage, "memory")
    team = row.project.team.slug
    return (row.public_id, row.node or "-", state, container, row.runtime or "-", disk, memory, team, _plain(row.name))


def _plain(text: str) -> str:
    """Replace control characters, because people choose names and a terminal interprets escape codes."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _gauge(usage: dict[str, Any], name: str) -> str:
    """Format a gauge of a workspace's last measurement as used amount and limit in MiB."""
    gauge = usage.get(name)
    if not gauge:
        return "-"
    used, limit = gauge["used"] >> 20, gauge["limit"] >> 20
    return f"{used}/{limit} MiB" if limit else f"{used} MiB"
