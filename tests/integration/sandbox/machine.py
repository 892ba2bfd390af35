"""Find everything that belongs to one private engine on this machine, from the kernel's lists and the engine's API."""

import json
import subprocess
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sandbox.engine import api
from sandbox.engine.private import PrivateEngine, data_root

ENGINE_PROGRAMS = ("dockerd", "containerd")


def leftovers(engine: PrivateEngine, site: str) -> dict[str, list[str]]:
    """Return all leftovers of the engine and the site by kind; {} if there are none. The engine's own programs are not
    included."""
    label = urllib.parse.quote(json.dumps({"label": [f"agentsite.site={site}"]}))
    found = {
        "containers": [container["Names"][0] for container in ask(engine, "/containers/json?all=1")],
        "volumes": [volume["Name"] for volume in ask(engine, f"/volumes?filters={label}")["Volumes"] or []],
        "networks": [network["Name"] for network in ask(engine, f"/networks?filters={label}")],
        "processes": list(_processes(engine)),
        "mounts": list(_mounts(engine)),
        "cgroups": [str(path) for path in Path("/sys/fs/cgroup").glob(f"*/{engine.resources.cgroup}/*/")],
        "loops": [line for line in _loop_files() if str(engine.folder.parent) in line],
    }
    return {kind: names for kind, names in found.items() if names}


def ask(engine: PrivateEngine, path: str) -> Any:
    return json.loads(api.get(engine.host, path))


def _processes(engine: PrivateEngine) -> Iterator[str]:
    """Yield the processes that mention the engine's directory or cgroup, except the engine's own programs. The list of
    `EngineResources.processes` may lack some of them."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            cgroup = (folder / "cgroup").read_text()
        except OSError:
            continue
        mentioned = any(f"{engine.folder}/exec" in word for word in words) or engine.resources.cgroup in cgroup
        if mentioned and words[0].rpartition("/")[2] not in ENGINE_PROGRAMS:
            yield f"{folder.name} {' '.join(words)[:120]}"


def _mounts(engine: PrivateEngine) -> Iterator[str]:
    data = str(data_root(engine.folder))
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        place = line.split()[4]
        is_root_of_data = place.startswith(data) and place.count("/") == data.count("/") + 1
        if place.startswith((f"{engine.folder.parent}/", f"{data}/")) and not is_root_of_data:
            yield place


def _loop_files() -> list[str]:
    command = ["losetup", "--list", "--noheadings", "--output", "BACK-FILE"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
