"""The client can be installed alone: from its own folder, without the site."""

import shutil
import subprocess
import sys
from pathlib import Path

from agentsite.base.environment import REPOSITORY

USE_IT = """
import sys
from agentsite.client import Client, ErrorCode, Once
with Client("http://127.0.0.1:1", token="ags_none") as site:
    assert type(site).__name__ == "Client"
assert "agentsite.tenancy" not in sys.modules and "django" not in sys.modules
import agentsite.client
print(agentsite.client.__file__)
"""


def test_the_client_is_installed_and_imported_without_the_site(tmp_path: Path) -> None:
    source, target = tmp_path / "client", tmp_path / "installed"
    shutil.copytree(REPOSITORY / "agentsite" / "client", source)
    install = [
        sys.executable, "-m", "uv", "pip", "install", "--quiet", "--offline", "--no-deps", "--no-build-isolation",
        "--python", sys.executable, "--target", str(target), str(source),
    ]  # fmt: skip
    subprocess.run(install, check=True)
    ran = subprocess.run(
        [sys.executable, "-P", "-c", USE_IT], env={"PYTHONPATH": str(target)}, cwd=tmp_path, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    assert ran.stdout.strip() == str(target / "agentsite" / "client" / "__init__.py")
    assert not (target / "agentsite" / "tenancy").exists()
