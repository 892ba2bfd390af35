"""Two real container engines on this machine act as two nodes; one is killed, and the work continues on the other."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.utils import timezone

from agentsite.base.background import background
from sandbox.docker import DockerDeployment
from sandbox.engine.private import PrivateEngine
from sandbox.ports import Deployment, RunRequest
from sessions_app.actions.recover import recover
from sessions_app.models import ToolCall, Turn, Workspace, WorkspaceNote
from sessions_app.workers.sandbox import deployment as this_node
from tests.integration.sandbox.own_engine import SECOND, own_engine
from tests.support.engine import TestEngine, docker_engine
from tests.support.model_server import calls, text, tool_call
from tests.support.nodes import archives, in_a_while, lose_node, on_node
from tests.support.session_site import SessionSite
from tests.support.workers import COUNT, taken

__all__ = ["archives", "docker_engine"]
pytestmark = pytest.mark.docker
A, B = "node-a", "node-b"
WORK = tool_call("bash", command="git init -q . && echo 1 > kept && git add . && echo x=1 > ~/.settings && mkdir empty")
LOOK = tool_call("bash", command="cat kept ~/.settings && git status --short && ls -d empty")


@dataclass
class Nodes:
    """Two nodes of one site: `a` uses an engine of its own, which a test may kill; `b` uses the shared engine."""

    engine_a: PrivateEngine
    a: Deployment
    b: Deployment


@pytest.fixture
def nodes(docker_engine: TestEngine, tmp_path: Path) -> Iterator[Nodes]:
    with own_engine(SECOND) as (engine, _):
        yield Nodes(
            engine,
            DockerDeployment(tmp_path / "a", site=docker_engine.site, docker_host=engine.host),
            DockerDeployment(tmp_path / "b", site=docker_engine.site, docker_host=docker_engine.host),
        )


def test_a_node_is_killed_and_its_workspace_goes_on_with_its_files_on_another(
    site: SessionSite, archives: Path, nodes: Nodes, docker_engine: TestEngine
) -> None:
    site.settings.SANDBOX_IMAGE = docker_engine.image
    Workspace.objects.update(node="", state=Workspace.State.NEW, seeded=False)
    session = site.open_session(allow=("*",))

    with on_node(site, A, nodes.a):  # it works on node A, and an archive is made when the turn ends
        site.script(calls(WORK), calls(COUNT), text("Done."))
        first = site.run_prompt(session=session)
    row = Workspace.objects.get(pk=site.workspace.pk)
    assert not site.open_requests().exists(), [r.metadata for r in site.open_requests()]
    assert (first.state, row.node, row.archive != "") == (Turn.State.COMPLETED, A, True)

    site.script(calls(COUNT, COUNT), calls(LOOK), text("Done."))
    second = site.prompt(session)
    site.pump.run(until=ToolCall.objects.filter(turn=second).exists)
    site.pump.lose()
    begun, never_begun = site.calls(second)
    taken(begun)  # node A dies in the middle of this call: worker and engine
    nodes.engine_a.stop()

    lose_node(A, to=B)
    with on_node(site, B, nodes.b):
        try:
            site.pump.run()
            recover(in_a_while())
            site.pump.run()
            _assert_it_went_on(site, second, begun, never_begun)
        finally:
            background.run(nodes.b.remove(site.workspace.public_id, files=True))
            background.run(nodes.b.close())


def _assert_it_went_on(site: SessionSite, turn: Turn, begun: ToolCall, never_begun: ToolCall) -> None:
    for row in (turn, begun, never_begun):
        row.refresh_from_db()
    workspace = Workspace.objects.select_related("project__team").get(pk=site.workspace.pk)
    assert (turn.state, workspace.node, workspace.state) == (Turn.State.COMPLETED, B, Workspace.State.RUNNING)
    assert (begun.state, never_begun.state) == (ToolCall.State.ERROR, ToolCall.State.COMPLETED)
    assert "may have run partly" in begun.output
    assert site.calls(turn)[2].output.split() == ["1", "x=1", "A", "kept", "??", "counter.txt", "empty"]
    request = RunRequest(f"look-{timezone.now().timestamp()}", "cat counter.txt")
    counted = background.run(this_node.runtime_of(workspace).run(request)).output
    assert counted == b"ran\n" * 2  # once on A before the archive, once on B: the call that had begun is not run again
    assert {"lost", "restored"} <= set(WorkspaceNote.objects.values_list("kind", flat=True))
