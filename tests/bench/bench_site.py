"""A site to measure, with a scripted model that answers at once, on SQLite or on PostgreSQL."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import psycopg

from tests.support.api_client import ApiClient
from tests.support.model_server import ModelServer
from tests.support.postgres import start_postgres
from tests.support.running_site import REPOSITORY, RunningSite, cpu_seconds, free_port, process_tree, running_site

STATE: Final = REPOSITORY / "var" / "bench"
STOP_SECONDS: Final = 180.0  # 50 workspaces are unmounted
Database = Literal["sqlite", "postgres"]


@dataclass(frozen=True)
class BenchSite:
    """A running site, a client signed in to it, and its model. `others` are the name and pid of processes outside of
    the site: the scripted model, and PostgreSQL if it is used."""

    site: RunningSite
    client: ApiClient
    server: ModelServer
    others: tuple[tuple[str, int], ...]

    def cpu(self) -> dict[str, float]:
        """Return the CPU seconds used so far, by process: of the site, of the scripted model, and of this program."""
        used = self.site.cpu()
        for name, pid in self.others:
            used[name] = sum(map(cpu_seconds, process_tree(pid)))
        own = resource.getrusage(resource.RUSAGE_SELF)
        return {**used, "bench": own.ru_utime + own.ru_stime}

    def cpu_since(self, before: dict[str, float]) -> dict[str, float]:
        return {name: used - before.get(name, 0.0) for name, used in self.cpu().items()}


@contextmanager
def bench_site(
    database: Database = "sqlite", *, source: Path = REPOSITORY, state: Path = STATE, keep: bool = False
) -> Iterator[BenchSite]:
    """Run a site from the code in `source` for the duration of the block. With `keep`, start the site that is already
    in `state`."""
    with ExitStack() as stack:
        server, model_pid = stack.enter_context(scripted_model())
        environment = settings_for(server)
        others = [("scripted model", model_pid)]
        if database == "postgres":
            environment["DATABASE_URL"] = start_postgres()
            others.append(("postgres", _postmaster(environment["DATABASE_URL"])))
        site = stack.enter_context(
            running_site(state, environment, keep=keep, source=source, stop_seconds=STOP_SECONDS)
        )
        client = stack.enter_context(ApiClient(site.address))
        yield BenchSite(site, client, server, tuple(others))


def settings_for(server: ModelServer) -> dict[str, str]:
    """Return the environment of a site that uses this model, with a context window that no bench fills."""
    model = {"MODEL_NAME": "demo", "MODEL_BASE_URL": server.base_url, "MODEL_CONTEXT": "100000000"}
    limits = {f"RATE_LIMIT_{kind}": "1000000/minute" for kind in ("TOKEN", "PERSON", "TEAM")}
    return {**model, **limits, "AGENTSITE_LOG_LEVEL": "WARNING"}


@contextmanager
def scripted_model() -> Iterator[tuple[ModelServer, int]]:
    """Run the demo model with scripts in a process of its own; yield its client and its pid."""
    port = free_port()
    command = [sys.executable, "-m", "deploy.demo_model", "--port", str(port), "--chunk-delay", "0", "--control"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=REPOSITORY) as model:
        server = ModelServer(f"http://127.0.0.1:{port}")
        try:
            yield server, model.pid
        finally:
            server.close()
            model.terminate()


def _postmaster(url: str) -> int:
    """Return the pid of PostgreSQL's first process, the parent of the processes that serve connections."""
    with psycopg.connect(url.replace("postgres://", "postgresql://")) as connection:
        row = connection.execute("SELECT pg_backend_pid()").fetchone()
    assert row is not None
    status = Path(f"/proc/{row[0]}/stat")
    return int(status.read_text().rpartition(")")[2].split()[1]) if status.exists() else os.getpid()
