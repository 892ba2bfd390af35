"""Which image the workspaces of a project have: registered by operators, chosen by the project, allowed by policies."""

import io
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.core.management import CommandError, call_command
from django.db import connections

from agentsite.base import task_table
from agentsite.tenancy.models import AuditEntry, User
from agentsite.tenancy.roles import Role
from sandbox.errors import SandboxUnavailable
from sandbox.image import registered
from sandbox.image.registered import ImageRefused, ImageSource
from sandbox.limits import Limits
from sessions_app.models import ProjectImage, SandboxImage, Workspace
from sessions_app.workers.sandbox.deployment import registered_of, sandbox_spec
from tests.support.asking import audited, set_policy
from tests.support.builders import browser_of, make_member
from tests.support.nodes import seen
from tests.support.session_site import SessionSite

pytestmark = pytest.mark.one_database


@pytest.fixture(autouse=True)
def _engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that has every image but `lacking`."""

    def prepare(source: ImageSource, *, site_image: str, docker_host: str | None = None) -> str:
        if "lacking" in source.text:
            raise ImageRefused("The image is refused: it has no python3.")
        return f"prepared:{source.text}"

    monkeypatch.setattr(registered, "prepare_image", prepare)


@pytest.fixture(autouse=True)
def _node_at_work(monkeypatch: pytest.MonkeyPatch, site: SessionSite) -> None:
    def work(name: str, args: tuple[Any, ...]) -> None:
        try:
            current_app.tasks[name](*args)
        finally:
            connections.close_all()

    def deliver(name: str, *args: Any, queue: str, delay: float = 0.0) -> None:
        if queue.startswith("sandbox."):
            threading.Thread(target=work, args=(name, args)).start()

    monkeypatch.setattr(task_table, "_send", deliver)


@pytest.fixture
def java() -> SandboxImage:
    return SandboxImage.objects.create(name="java", kind="tag", source="java:21", description="Java 21")


def image(site: SessionSite, user: User | None = None) -> Any:
    return browser_of(user or site.user).get(f"/api/v1/projects/{site.project.public_id}/image").json()


def choose(site: SessionSite, name: str, user: User | None = None) -> Any:
    path = f"/api/v1/projects/{site.project.public_id}/image"
    return browser_of(user or site.user).put(path, {"image": name}, content_type="application/json")


def allow(site: SessionSite, *names: str) -> None:
    set_policy(site.team, options={"sandbox": {"images": list(names)}})


def spec_image(site: SessionSite) -> str:
    row = Workspace.objects.select_related("project").get(pk=site.workspace.pk)
    return registered_of(sandbox_spec(row))


def stopped(site: SessionSite) -> None:
    Workspace.objects.filter(pk=site.workspace.pk).update(state=Workspace.State.STOPPED)


def test_a_project_has_the_sites_image_until_it_chooses_another(site: SessionSite, java: SandboxImage) -> None:
    stopped(site)
    assert (image(site)["image"], spec_image(site)) == ("default", "")

    assert choose(site, "java").json()["image"] == "java"

    assert spec_image(site) == "prepared:java:21"
    (entry,) = audited(site.team, "project.image_chosen")
    assert entry.data == {"before": "default", "after": "java"}
    assert choose(site, "default").json()["image"] == "default"
    assert spec_image(site) == ""


def test_a_running_container_keeps_its_image(site: SessionSite, java: SandboxImage) -> None:
    Workspace.objects.filter(pk=site.workspace.pk).update(state="running", limits=asdict(Limits()))

    choose(site, "java")

    assert spec_image(site) == ""
    stopped(site)
    assert spec_image(site) == "prepared:java:21"


def test_an_image_must_be_in_the_list_of_every_policy(site: SessionSite, java: SandboxImage) -> None:
    SandboxImage.objects.create(name="go", kind="tag", source="go")
    allow(site, "default", "java")
    set_policy(site.project, options={"sandbox": {"images": ["java", "go"]}})

    refused = {each["name"]: each["refused_by"] for each in image(site)["images"]}

    assert refused == {"default": "project", "java": "", "go": "team"}
    assert image(site)["problem"].startswith("The policy of the project does not allow the image default.")
    answer = choose(site, "go")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "image_not_allowed")
    assert "The policy of the team does not allow the image go. It allows: default, java." in answer.content.decode()
    assert not ProjectImage.objects.exists()


def test_a_workspace_does_not_start_from_an_image_that_is_not_allowed_any_more(
    site: SessionSite, java: SandboxImage
) -> None:
    choose(site, "java")
    allow(site, "default")
    stopped(site)

    with pytest.raises(SandboxUnavailable, match="The policy of the team does not allow the image java"):
        spec_image(site)


def test_only_who_manages_the_project_chooses_and_others_see(site: SessionSite, java: SandboxImage) -> None:
    member = make_member(site.team, Role.MEMBER)

    assert choose(site, "java", member).status_code == 403
    assert image(site, member)["image"] == "default"
    assert choose(site, "unknown").status_code == 404
    assert choose(site, "").status_code == 400


def run(*words: str) -> str:
    out = io.StringIO()
    call_command("sandbox_image", *words, stdout=out, stderr=out)
    return out.getvalue()


def test_an_operator_registers_an_image_that_every_node_tried(site: SessionSite, tmp_path: Path) -> None:
    seen(site.settings.NODE_NAME)
    (tmp_path / "Dockerfile").write_text("FROM own")

    assert "local: prepared:FROM own" in run("add", "own", "--dockerfile", str(tmp_path / "Dockerfile"))

    assert run("list").split() == ["own", "dockerfile"]
    assert AuditEntry.objects.filter(chain__team=None, action="image.registered").count() == 1
    assert Workspace.objects.exclude(pk=site.workspace.pk).count() == 0
    run("remove", "own")
    assert run("list") == ""


def test_an_image_that_is_refused_is_not_registered(site: SessionSite) -> None:
    seen(site.settings.NODE_NAME)
    with pytest.raises(CommandError, match="it has no python3"):
        run("add", "bad", "--tag", "lacking:1")
    assert not SandboxImage.objects.exists()


def test_an_image_that_projects_chose_is_not_removed(site: SessionSite, java: SandboxImage) -> None:
    choose(site, "java")
    with pytest.raises(CommandError, match="The image java is chosen by 1 project"):
        run("remove", "java")
    assert SandboxImage.objects.exists()


@pytest.mark.parametrize("name", ["default", "with space", "x" * 41])
def test_a_name_that_cannot_be_used_is_refused(site: SessionSite, name: str) -> None:
    with pytest.raises(CommandError, match="cannot be registered"):
        run("add", name, "--tag", "a")
