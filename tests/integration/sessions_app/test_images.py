"""Images of a project's workspaces: registered by operators, chosen by the project, and allowed by policies."""

import io
import json
import threading
from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
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
from sessions_app.actions.images import choose_image
from sessions_app.agent.built_in import BUILD
from sessions_app.agent.context import AgentEnvironment, joined, prompt_blocks
from sessions_app.models import ProjectImage, SandboxImage, Workspace
from sessions_app.workers.sandbox.deployment import registered_of, sandbox_spec
from sessions_app.workers.sandbox.workspace_setup import prepare
from tests.support.asking import audited, set_policy
from tests.support.builders import browser_of, make_member
from tests.support.nodes import seen
from tests.support.session_site import SessionSite

pytestmark = pytest.mark.one_database


@pytest.fixture(autouse=True)
def _engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fake an engine that has every image except those whose names contain `lacking`."""

    def prepare(source: ImageSource, *, site_image: str, docker_host: str | None = None) -> str:
        if "lacking" in source.text:
            raise ImageRefused("The image is refused: it has no python3.")
        return f"prepared:{source.text}"

    monkeypatch.setattr(registered, "prepare_image", prepare)
    monkeypatch.setattr(registered, "digest_of_image", lambda *_, **__: "sha256:0")


@pytest.fixture(autouse=True)
def _node_at_work(monkeypatch: pytest.MonkeyPatch, site: SessionSite) -> Iterator[None]:
    threads: list[threading.Thread] = []

    def work(name: str, args: tuple[Any, ...]) -> None:
        try:
            current_app.tasks[name](*args)
        finally:
            connections.close_all()

    def deliver(name: str, *args: Any, queue: str, delay: float = 0.0) -> None:
        if queue.startswith("sandbox."):
            threads.append(threading.Thread(target=work, args=(name, args)))
            threads[-1].start()

    monkeypatch.setattr(task_table, "_send", deliver)
    yield
    for thread in threads:  # which may have started more of them
        thread.join()


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


def wanting(site: SessionSite, content: object, *, path: str = ".devcontainer/devcontainer.json") -> Workspace:
    """Prepare the workspace as a new one whose repository has a devcontainer.json with this content."""
    site.write(path, json.dumps(content))
    Workspace.objects.filter(pk=site.workspace.pk).update(seeded=False, state=Workspace.State.NEW)
    prepare(site.workspace.pk, node=site.settings.NODE_NAME)
    site.workspace.refresh_from_db()
    return site.workspace


def test_a_registered_image_that_the_repository_asks_for_is_used(site: SessionSite, java: SandboxImage) -> None:
    workspace = wanting(site, {"image": "java:21"})
    assert (workspace.wanted_image["name"], workspace.image) == ("java", "prepared:java:21")
    assert image(site)["wanted"] == {
        "source": ".devcontainer/devcontainer.json", "image": "java:21", "name": "java", "note": ""
    }  # fmt: skip


def test_a_registered_dockerfile_is_used_for_the_same_text(site: SessionSite) -> None:
    SandboxImage.objects.create(name="built", kind="dockerfile", source="FROM x\n")
    site.write(".devcontainer/Dockerfile", "FROM x\n")
    assert wanting(site, {"build": {"dockerfile": "Dockerfile"}}).wanted_image["name"] == "built"


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ({"image": "other:1"}, "no operator has registered this image"),
        ({"build": {"dockerfile": "Dockerfile"}}, "Dockerfiles of repositories are not built"),
        ({"dockerFile": "../../etc/passwd"}, "Dockerfiles of repositories are not built"),
        ({"image": "lacking"}, "it has no python3"),
    ],
)
def test_an_image_that_is_not_used_is_named_with_the_reason(content: object, note: str, site: SessionSite) -> None:
    SandboxImage.objects.create(name="broken", kind="tag", source="lacking")
    workspace = wanting(site, content)
    assert (workspace.image, workspace.state) == ("", "running")
    assert note in image(site)["wanted"]["note"]
    around = AgentEnvironment("p", "m", date(2026, 1, 1), wanted_image=workspace.wanted_image)
    assert note in joined(prompt_blocks(BUILD, around))


def test_what_the_policies_and_the_project_say_counts_before_the_repository(
    site: SessionSite, java: SandboxImage
) -> None:
    allow(site, "default")
    assert (
        "The policy of the team does not allow the image java"
        in wanting(site, {"image": "java:21"}).wanted_image["note"]
    )
    allow(site, "default", "java", "go")
    choose_image(actor=site.user, project=site.project, name="java")
    assert "the project's settings choose the image java" in wanting(site, {"image": "go"}).wanted_image["note"]


@pytest.mark.parametrize("content", [[], {"image": 5}, {"image": "a\nb"}, {"build": []}, {"build": {"dockerfile": ""}}])
def test_a_devcontainer_without_an_image_asks_for_none(content: object, site: SessionSite) -> None:
    assert wanting(site, content, path=".devcontainer.json").wanted_image == {}


def test_everybody_can_list_the_images_with_what_is_in_them(site: SessionSite, java: SandboxImage) -> None:
    SandboxImage.objects.filter(pk=java.pk).update(trials={"n1": {"programs": ["java"]}, "n2": {"programs": ["java"]}})
    listed = browser_of(site.user).get("/api/v1/images").json()["items"]
    assert [(each["name"], each["programs"]) for each in listed] == [("java", ["java"])]


def test_operators_see_trials_and_users_of_an_image(site: SessionSite, java: SandboxImage) -> None:
    at = "2026-01-01T00:00:00"
    passed = {"at": at, "tag": "t:1", "digest": "sha256:1", "checks": 40, "programs": ["java"]}
    trials = {"n1": passed, "n2": {"at": at, "problem": "<no> python3"}}
    SandboxImage.objects.filter(pk=java.pk).update(trials=trials)
    choose_image(actor=site.user, project=site.project, name="java")
    User.objects.filter(pk=site.user.pk).update(is_staff=True)
    site.user.refresh_from_db()
    browser = browser_of(site.user)
    assert "passed on 1 of 2 nodes" in browser.get("/admin/sessions_app/sandboximage/").content.decode()
    page = browser.get(f"/admin/sessions_app/sandboximage/{java.pk}/change/").content.decode()
    assert "40 checks passed" in page
    assert "sha256:1" in page
    assert "&lt;no&gt; python3" in page
    assert f"{site.team.slug} / {site.project.slug}" in page
