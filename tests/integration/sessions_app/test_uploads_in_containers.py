"""Uploads are unpacked within limits in real containers, and no container is left afterwards."""

import io
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentsite.base.background import background
from sandbox.disk.workspace_disks import release_all
from sandbox.docker import DockerDeployment
from sandbox.ports import RunRequest
from sessions_app.models import Upload, Workspace
from sessions_app.uploads.actions import begin_upload, create_project_with, store_part
from sessions_app.uploads.storage import PART_BYTES
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox import project_files, uploads
from sessions_app.workers.sandbox.workspace_setup import prepare
from tests.support.asking import set_policy
from tests.support.engine import TestEngine, docker_engine
from tests.support.nodes import archives
from tests.support.session_site import SessionSite
from tests.support.uploads import storage, stored

__all__ = ["archives", "docker_engine", "storage"]
pytestmark = pytest.mark.docker

MIB = 1 << 20
LOG = "git log --format='%an: %s' && git status --porcelain && git branch --show-current && ls -A"


@pytest.fixture
def engine(
    site: SessionSite, archives: Path, storage: Path, docker_engine: TestEngine, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DockerDeployment]:
    site.settings.SANDBOX_IMAGE = docker_engine.image
    with tempfile.TemporaryDirectory(prefix="ags") as folder:
        deployment = DockerDeployment(Path(folder), site=docker_engine.site, docker_host=docker_engine.host)
        monkeypatch.setattr(this_node, "deployment", lambda: deployment)
        monkeypatch.setattr(uploads, "deployment", lambda: deployment)
        project_files._seen.clear()
        yield deployment
        for row in Workspace.objects.all():
            background.run(deployment.remove(row.public_id, files=True))
        assert background.run(deployment.list()) == []
        background.run(deployment.close())
        release_all(Path(folder))


def uploaded(site: SessionSite, content: bytes) -> Upload:
    row = begin_upload(actor=site.user, team=site.team, name="shop.zip", size=len(content))
    for offset in range(0, len(content), PART_BYTES):
        store_part(actor=site.user, upload=row, offset=offset, content=content[offset : offset + PART_BYTES])
    uploads.check_upload(row.pk, node=site.settings.NODE_NAME)
    row.refresh_from_db()
    return row


def seen_in_a_workspace(site: SessionSite, upload: Upload, command: str = LOG) -> list[str]:
    project = create_project_with(actor=site.user, upload=upload, name="Shop")
    row = Workspace.objects.create(project=project, name="w", node=site.settings.NODE_NAME)
    prepare(row.pk, node=site.settings.NODE_NAME)
    row = Workspace.objects.select_related("project__team").get(pk=row.pk)
    asked = background.run(this_node.runtime_of(row).run(RunRequest(f"see-{row.pk}", command)))
    return asked.output.decode().split("\n")[:-1]


def zipped(files: dict[str, Any]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def test_a_zip_of_several_parts_is_what_a_workspace_starts_with(
    site: SessionSite, engine: DockerDeployment, storage: Path
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("shop-main/big.bin", bytes(PART_BYTES + MIB))
        archive.writestr("shop-main/a.txt", "one")
    upload = uploaded(site, packed.getvalue())
    assert (upload.state, upload.problem, upload.facts["files"]) == ("ready", "", 2)
    assert stored(storage) == []
    log = "agentsite: Start of the project"
    assert seen_in_a_workspace(site, upload) == [log, "main", ".git", "a.txt", "big.bin"]


def test_a_repository_with_a_hostile_configuration_runs_nothing_when_it_is_checked(
    site: SessionSite, engine: DockerDeployment, tmp_path: Path
) -> None:
    (repository := tmp_path / "shop").mkdir()
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    for words in (["init", "-qb", "trunk"], [*who, "commit", "-q", "--allow-empty", "-m", "First"]):
        subprocess.run(["git", *words], cwd=repository, check=True)
    with (repository / ".git/config").open("a") as config:
        config.write("[core]\n\tfsmonitor = touch /workspace/ran\n\thooksPath = /workspace/hooks\n")
    (repository / "a.txt").write_text("one")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.add(repository, "shop")
    upload = uploaded(site, packed.getvalue())
    assert (upload.state, upload.facts["branch"]) == ("ready", "trunk")
    assert seen_in_a_workspace(site, upload, "ls -A; git log --format=%s") == [".git", "a.txt", "First"]


def test_a_bundle_is_what_a_workspace_starts_with(site: SessionSite, engine: DockerDeployment, tmp_path: Path) -> None:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    (tmp_path / "a.txt").write_text("one")
    steps: tuple[list[str], ...] = (
        ["init", "-qb", "trunk"],
        ["add", "a.txt"],
        [*who, "commit", "-qm", "First"],
        ["bundle", "create", "-q", "all", "--all"],
    )
    for words in steps:
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    upload = uploaded(site, (tmp_path / "all").read_bytes())
    assert seen_in_a_workspace(site, upload) == ["Ann: First", "trunk", ".git", "a.txt"]


def test_bombs_are_refused_with_the_limits_name(site: SessionSite, engine: DockerDeployment) -> None:
    set_policy(site.team, options={"sandbox": {"disk_mib": 256, "inodes": 4_000}})
    bomb = uploaded(site, zipped({"zeros": bytes(129 * MIB)}))
    assert (bomb.state, "disk_mib (256 MiB)" in bomb.problem) == ("refused", True)
    many = uploaded(site, zipped({f"d/{number}": b"" for number in range(2_001)}))
    assert (many.state, "inodes" in many.problem) == ("refused", True)
