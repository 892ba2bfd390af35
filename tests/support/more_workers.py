"""Additional workers of a running site, as an operator starts them beside the workers of the launcher."""

import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from honcho.environ import parse_procfile
from redis import Redis

from agentsite.base.environment import site_label
from sandbox.disk.workspace_disks import release_all
from sandbox.engine import api
from tests.support.deadline import wait_until
from tests.support.running_site import REPOSITORY, RunningSite, what_stays

STOP_SECONDS: Final = 10.0


@contextmanager
def more_workers(site: RunningSite, *, agents: int = 0, sandboxes: int = 0) -> Iterator[None]:
    """Run additional agent workers and sandbox workers during the block; they are ready when it begins.

    Each sandbox worker has its own node and state directory.
    """
    with ExitStack() as stack:
        for number in range(2, agents + 2):
            stack.enter_context(_worker(site, "agent", {"AGENTSITE_NODE": f"node-{number}"}))
        for number in range(2, sandboxes + 2):
            stack.enter_context(_worker(site, "sandbox", _settings_of_node(site, f"node-{number}")))
        yield


def _settings_of_node(site: RunningSite, name: str) -> dict[str, str]:
    """Return the settings of another node: its own state directory, and the storage that all nodes share."""
    return {
        "AGENTSITE_NODE": name,
        "AGENTSITE_STATE": str(site.state / name),
        "REDIS_URL": f"unix://{site.state}/run/valkey.sock",
        "ARCHIVE_STORAGE": (site.state / "archives").as_uri(),
        "ATTACHMENT_STORAGE": (site.state / "attachments").as_uri(),
    }


@contextmanager
def _worker(site: RunningSite, role: str, settings: Mapping[str, str]) -> Iterator[None]:
    environment = {**site.environment_of(role), **settings}
    command = parse_procfile((REPOSITORY / "Procfile").read_text()).processes[role]
    state = Path(environment["AGENTSITE_STATE"])
    consumers = _consumers(site)
    with (site.state / "logs" / f"{role}-{settings['AGENTSITE_NODE']}.log").open("w") as log:
        process = subprocess.Popen(["bash", "-c", command], cwd=REPOSITORY, env=environment, stdout=log, stderr=log)
        site.more_workers.append((role, process.pid))
        try:
            wait_until(lambda: _consumers(site) > consumers, f"another {role} consumes", seconds=60)
            yield
        finally:
            site.more_workers.remove((role, process.pid))
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if state != site.state:
                _release_node(state, environment)


def _release_node(state: Path, environment: Mapping[str, str]) -> None:
    """Remove the containers of a node whose worker has ended, and unmount its workspaces."""
    api.kill_containers(environment["DOCKER_HOST"], f"agentsite.site={site_label(state)}")
    release_all(state / "workspaces")
    wait_until(lambda: not what_stays(state, environment), "nothing of the node stays", seconds=10)


def _consumers(site: RunningSite) -> int:
    """Return the number of connections to the broker that wait for tasks."""
    with Redis(unix_socket_path=str(site.state / "run" / "valkey.sock")) as valkey:
        return sum(1 for each in valkey.client_list() if each["cmd"] == "brpop")
