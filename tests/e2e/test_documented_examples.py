"""The examples of the documentation work as described, on a real site."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import httpx
import pytest

from deploy import demo_project
from deploy.demo import SCOPES, make_token
from deploy.demo_forge import Forge
from deploy.demo_project import fix
from tests.support.running_site import REPOSITORY, RunningSite

DOCS: Final = REPOSITORY / "docs"
SECONDS: Final = 180


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(command: list[str], place: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, cwd=place, env=environment, check=False
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def test_the_commands_of_the_api_page_run_one_after_the_other(site: RunningSite, tmp_path: Path) -> None:
    commands = blocks("api.md", "sh")
    assert len(commands) >= 4
    script = tmp_path / "examples.sh"
    start = f"set -euo pipefail\nsite={site.address}\nTOKEN={make_token(site.address, 'examples')}\n"
    script.write_text(start + "\n".join(f"{block}\necho" for block in commands))
    printed = run(["bash", "-x", str(script)], tmp_path)
    assert "event: permission.settled" in printed
    assert '"bash"' in printed


@pytest.mark.parametrize("page", ["client.md", "api.md"])
def test_the_python_examples_of_a_page_run(page: str, site: RunningSite, tmp_path: Path) -> None:
    programs = blocks(page, "python")
    if page == "client.md":
        assert len(programs) >= 2
    token = make_token(site.address, "examples")
    for program in programs:
        file = tmp_path / "example.py"
        file.write_text(f"site_address, token = {site.address!r}, {token!r}\n{program}")
        run([sys.executable, str(file)], tmp_path)


def revoke_connections(site: RunningSite, token: str) -> None:
    """Revoke the connections of the site's team, because other tests expect none."""
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{site.address}/api/v1", headers=headers, trust_env=False) as api:
        for team in api.get("/teams").json()["items"]:
            for row in api.get(f"/teams/{team['id']}/connections").json()["items"]:
                api.post(f"/connections/{row['id']}/revoke", json={}).raise_for_status()


def test_ten_lines_lead_from_a_connection_to_a_pull_request(
    site: RunningSite, forge_site: Forge, tmp_path: Path
) -> None:
    kim = forge_site.account("kim-of-ten-lines")
    shop = forge_site.repository("tea/shop", demo_project.files(), writers=[kim])
    program = blocks("repositories.md", "python")[0]
    start, _, below = program.partition("\n\n")
    assert len([start, *below.splitlines()]) <= 10
    token = make_token(site.address, "ten lines", (*SCOPES, "admin"))
    given = {
        "site_address": site.address,
        "token": token,
        "forge_address": forge_site.url,
        "forge_token": kim.token,
    }
    file = tmp_path / "example.py"
    file.write_text("".join(f"{name} = {value!r}\n" for name, value in given.items()) + program)
    try:
        printed = run([sys.executable, str(file)], tmp_path)
    finally:
        revoke_connections(site, token)
    [pull] = shop.pulls
    assert (pull.head[:10], pull.base, pull.draft) == ("agentsite/", "main", True)
    assert f"/tea/shop/pull/{pull.number}" in printed
    assert fix.NEW in shop.read(fix.PATH, branch=pull.head)
