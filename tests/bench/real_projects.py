"""Try real projects on a real site: upload, set up through the door (the network proxy), test, and test again in a
second workspace.

.venv/bin/python -m tests.bench.real_projects [words of the projects' names]

It needs registries of Python, npm and Debian, and says so if they cannot be reached. Where they have private addresses
behind a proxy that replaces certificates, set NETWORK_CERTIFICATES to its PEM file and NETWORK_ALLOW=registries, which
exempts the registries that the network mode `packages` allows. It exits with status 1 if a result is not as it should
be, and with 2 if nothing could be fetched.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from sandbox.engine import api
from sandbox.engine.private import PrivateEngine
from sandbox.image import recipe
from sandbox.image.build import ensure_image
from tests.bench.bench_site import STATE, STOP_SECONDS, scripted_model, settings_for
from tests.bench.project_sources import PROJECTS, NotFetched, RealProject
from tests.support.api_client import ApiClient
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import REPOSITORY, RunningSite, running_site

REGISTRIES: Final = REPOSITORY / "tools_app" / "network" / "registries.toml"
MOST_READY: Final = 2.0  # seconds
MOST_REFUSED: Final = 3.0  # seconds
TURN_SECONDS: Final = 900.0
SENTENCE: Final = "workspaces have no network here"
TIMED: Final = (
    "began=$(date +%s%N); timeout 30 bash -c '{command}'; echo \"took $? $(( ($(date +%s%N) - began) / 1000000 )) ms\""
)
ALLOW: Final = [{"permission": "*", "pattern": "*", "action": "allow"}]
"""Rules that allow every tool call. They do not open the network."""


@dataclass
class Result:
    """The result for one project: seconds of each stage by its name, seconds of each step of the second workspace's
    start, and everything that was wrong."""

    name: str
    seconds: dict[str, float] = field(default_factory=dict)
    start: dict[str, float] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    tests: str = ""

    def require(self, is_right: bool, words: str) -> None:
        if not is_right:
            self.wrong.append(words)


@dataclass(frozen=True)
class Trial:
    """A running site with its client and the model that follows scripts."""

    client: ApiClient
    server: ModelServer
    team: str

    def run(self, project_id: str, *commands: str, session: str = "") -> tuple[str, list[dict[str, Any]], float]:
        """Run each command as a call of its own, in a new workspace unless a session is given. Return the session, the
        calls of the turn in order, and the seconds from the request for the session to the end of the turn."""
        began = time.monotonic()
        session = session or self.client.site.start_session(project_id, new_workspace=True).id
        steps = [calls(tool_call("bash", command=command, timeout=600_000)) for command in commands]
        script = self.server.script(*steps, text("Done."), by="conversation")
        turn = self.client.prompt(session, f"Work. {script.marker}")
        self.client.wait_for_turn(session, turn, seconds=TURN_SECONDS)
        took = time.monotonic() - began
        made = [call for call in self.client.snapshot(session)["calls"] if call["turn_id"] == turn]
        return session, made, took

    def set_network(self, project_id: str, mode: str) -> None:
        path = f"/api/v1/policies/{project_id}"
        options = {"incomplete_commands": "allow", "sandbox": {"network": mode}}
        body = {
            "document": {"rules": ALLOW, "options": options},
            "base_version": self.client.get(path)["version"],
            "reason": "A trial",
        }
        self.client.http.put(path, json=body).raise_for_status()

    def set_up(self, project_id: str, script: str, services: str) -> None:
        path = f"/api/v1/projects/{project_id}/setup"
        tag = self.client.http.get(path).headers["ETag"]
        self.client.http.put(
            path, json={"script": script, "services": services}, headers={"If-Match": tag}
        ).raise_for_status()


def try_project(trial: Trial, project: RealProject, archive: Path) -> Result:
    result = Result(project.name)
    began = time.monotonic()
    row = trial.client.site.upload_project(trial.team, project.name, archive)
    result.seconds["upload"] = time.monotonic() - began
    if project.image != "default":
        path = f"/api/v1/projects/{row.id}/image"
        trial.client.http.put(path, json={"image": project.image}).raise_for_status()
    _try_without_network(trial, project, row.id, result)
    trial.set_network(row.id, "packages")
    trial.set_up(row.id, project.setup, project.services)
    _try_set_up(trial, project, row.id, result)
    _try_second_workspace(trial, project, row.id, result)
    return result


def _try_without_network(trial: Trial, project: RealProject, project_id: str, result: Result) -> None:
    """Check that each installation fails at once without a network, and that its output names the policy."""
    trial.set_network(project_id, "none")
    warm = "pip --version; npm --version; go version"  # from the disk, which is not what is measured
    _, made, _ = trial.run(project_id, warm, *(TIMED.format(command=command) for command in project.refused))
    for command, call in zip(project.refused, made[1:], strict=True):
        found = re.search(r"took (\d+) (\d+) ms", call["output"])
        if found is None:
            result.wrong.append(f"{command}: {call['output'][-300:]}")
            continue
        took = int(found[2]) / 1000
        result.seconds["refused"] = max(result.seconds.get("refused", 0), took)
        result.require(found[1] != "0", f"{command} succeeded without a network")
        result.require(took <= MOST_REFUSED, f"{command} failed only after {took:.1f} s")
        result.require(SENTENCE in call["output"], f"{command}: no sentence in {call['output'][-300:]}")


def _try_set_up(trial: Trial, project: RealProject, project_id: str, result: Result) -> None:
    session, (setup, *_), _ = trial.run(project_id)
    _, (tested, *_), _ = trial.run(project_id, project.tests, session=session)
    result.require(setup["tool"] == "setup" and setup["metadata"].get("exit_code") == 0, setup["output"][-600:])
    result.seconds["set-up"] = _seconds_of(setup)
    result.seconds["tests"] = _seconds_of(tested)
    result.require(tested["metadata"].get("exit_code") == 0, f"tests: {tested['output'][-600:]}")
    result.tests = _summary(tested["output"])


def _try_second_workspace(trial: Trial, project: RealProject, project_id: str, result: Result) -> None:
    """Check that a second workspace starts with the files of the set-up, and passes the tests without another
    set-up."""
    session, (first, *_), took = trial.run(project_id, "true")
    result.seconds["second ready"] = took
    for note in trial.client.snapshot(session)["workspace_notes"]:
        result.start |= note["data"].get("steps", {})
    result.start["rest"] = took - sum(result.start.values())
    result.require(first["tool"] == "bash", "the second workspace ran set-up")
    result.require(took <= MOST_READY, f"the second workspace was ready only after {took:.1f} s")
    _, made, _ = trial.run(project_id, project.tests, session=session)
    result.seconds["tests again"] = _seconds_of(made[-1])
    result.require([call["tool"] for call in made] == ["bash"], "the second workspace ran set-up")
    result.require(made[-1]["metadata"].get("exit_code") == 0, f"second tests: {made[-1]['output'][-600:]}")


def _seconds_of(call: Mapping[str, Any]) -> float:
    began, ended = (datetime.fromisoformat(call[name]) for name in ("started_at", "ended_at"))
    return (ended - began).total_seconds()


def _summary(output: str) -> str:
    """Return the lines of the output that state the number of tests, joined by "; "."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output)
    lines = re.findall(r"^(?:Ran \d+ tests.*|\s*Tests\s+\d+.*|ok\s.*|. tests \d+)$", plain, re.MULTILINE)
    return "; ".join(" ".join(line.split()) for line in lines)


@contextmanager
def trial_site(images: bool) -> Iterator[Trial]:
    """Run a site with the network of this machine. With `images`, the image with further services is registered as
    `go`."""
    with ExitStack() as stack:
        server, _ = stack.enter_context(scripted_model())
        environment = {**settings_for(server), **network()}
        engine = PrivateEngine(REPOSITORY / "var" / "test" / "bench")
        environment["DOCKER_HOST"] = api.running_engine() or engine.start()
        stack.callback(engine.stop)
        site = stack.enter_context(running_site(STATE, environment, stop_seconds=STOP_SECONDS))
        client = stack.enter_context(ApiClient(site.address))
        if images:
            register_image(site, environment)
        yield Trial(client, server, client.site.me().teams[0].id)


def network() -> dict[str, str]:
    """Return the settings with which the door (the network proxy) reaches the registries from this machine."""
    names = ("NETWORK_ALLOW", "NETWORK_CERTIFICATES")
    found = {name: os.environ[name] for name in names if os.environ.get(name)}
    if found.get("NETWORK_ALLOW") == "registries":
        hosts = [host for table in tomllib.loads(REGISTRIES.read_text()).values() for host in table["hosts"]]
        found["NETWORK_ALLOW"] = ",".join(f"{host}:{port}" for host in hosts for port in (80, 443))
    return found


def register_image(site: RunningSite, environment: Mapping[str, str]) -> None:
    file = environment.get("NETWORK_CERTIFICATES")
    tag = ensure_image(
        REPOSITORY / "var" / "cache",
        docker_host=environment["DOCKER_HOST"],
        further=recipe.service_packages(),
        certificates=Path(file).read_bytes() if file else b"",
        report=lambda line: sys.stderr.write(f"{line}\n"),
    )
    own = {**site.environment_of("web"), "AGENTSITE_ROLE": "manage"}
    command = [sys.executable, "manage.py", "sandbox_image", "add", "go", "--tag", tag]
    subprocess.run(command, cwd=REPOSITORY, env=own, check=True, stdout=sys.stderr)


def fetch_all(folder: Path, words: list[str]) -> list[tuple[RealProject, Path]]:
    """Pack the projects whose names contain one of the words; print why a project cannot be fetched."""
    found = []
    for number, project in enumerate(PROJECTS):
        if words and not any(word.lower() in project.name.lower() for word in words):
            continue
        own = folder / str(number)
        own.mkdir()
        try:
            found.append((project, project.pack(own)))
        except NotFetched as error:
            print(f"{project.name}: left out, because a registry of this machine did not answer. {error}")
    return found


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        found = fetch_all(Path(name), sys.argv[1:])
        if not found:
            print("No registry can be reached, so nothing was tried.")
            return 2
        with trial_site(any(project.image != "default" for project, _ in found)) as trial:
            right = [_is_right(try_project(trial, project, archive)) for project, archive in found]
            return int(not all(right))


def _is_right(result: Result) -> bool:
    """Print the result; return whether nothing is wrong."""
    print(f"{result.name}: {'WRONG' if result.wrong else 'as it should be'}")
    print("  " + ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in result.seconds.items()))
    print("  start: " + ", ".join(f"{step} {seconds:.2f} s" for step, seconds in result.start.items()))
    print(f"  load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"  {result.tests}", *(f"  wrong: {words}" for words in result.wrong), sep="\n", flush=True)
    return not result.wrong


if __name__ == "__main__":
    os.environ.setdefault("AGENTSITE_ROLE", "manage")
    sys.exit(main())
