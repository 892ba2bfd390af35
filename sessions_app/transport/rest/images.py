"""REST endpoints for the images that operators registered, and for the image of a project's workspaces."""

from typing import Final, Literal

from django.http import HttpRequest
from ninja import Router
from pydantic import Field

from agentsite.base.pagination import Page, paginate
from agentsite.http.etags import accepted_versions, set_version
from agentsite.http.operation_marks import conditional
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project
from sessions_app.actions.images import choose_image, version_of_choice
from sessions_app.events.schema import View
from sessions_app.models import SandboxImage, Workspace
from tools_app.policies.current import current_policies
from tools_app.policies.images import SITE_IMAGE

router = Router(tags=["projects"])
SITE_DESCRIPTION: Final = "The site's own image"


class ImageView(View):
    """An image. `refused_by` is the highest policy that does not allow it; empty if every policy allows it."""

    name: str
    description: str
    refused_by: Literal["", "site", "team", "project"]


class WantedImageView(View):
    """The image that a repository requests in the file `source`. `name` is the registered image that workspaces use for
    this request; if it is empty, `note` says why."""

    source: str
    image: str
    name: str
    note: str


class ProjectImageView(View):
    """The image of a project's workspaces. `problem` is a sentence if the policies do not allow this image any longer.
    `images` are all registered images; `default` is the site's own. `wanted` is the image that the repository of the
    most recently used workspace asks for."""

    image: str
    problem: str
    images: list[ImageView]
    wanted: WantedImageView | None


class RegisteredImageView(View):
    """An image that policies can name. `programs` are the languages and servers that a trial found in it."""

    name: str
    description: str
    programs: list[str]


class ImageChoice(RequestBody):
    image: str = Field(min_length=1, max_length=40)


@router.get("/images", response=Page[RegisteredImageView], operation_id="list_images")
def list_images(request: HttpRequest, cursor: str | None = None, limit: int = 50) -> Page[RegisteredImageView]:
    """List the images that operators registered. The site's own image, `default`, is not in the list."""
    page = paginate(SandboxImage.objects.order_by("id"), cursor=cursor, limit=limit)
    return Page[RegisteredImageView].of(page, _registered)


def _registered(row: SandboxImage) -> RegisteredImageView:
    programs = {name for trial in row.trials.values() for name in trial.get("programs", ())}
    return RegisteredImageView(name=row.name, description=row.description, programs=sorted(programs))


@router.get("/projects/{project_id}/image", response=ProjectImageView, operation_id="get_project_image")
def get_project_image(request: HttpRequest, project_id: str) -> ProjectImageView:
    """Return the image of the project's workspaces, and the images that the project may choose."""
    return _view(request, Project.objects.visible_to(current_user(request)).by_public_id(project_id))


@router.put("/projects/{project_id}/image", response=ProjectImageView, operation_id="choose_project_image")
@conditional
def choose_project_image(request: HttpRequest, project_id: str, payload: ImageChoice) -> ProjectImageView:
    """Choose the image of the project's workspaces. Running workspaces keep their image until they are rebuilt."""
    user = current_user(request)
    project = Project.objects.visible_to(user).by_public_id(project_id)
    choose_image(actor=user, project=project, name=payload.image, versions=accepted_versions(request))
    return _view(request, project)


def _view(request: HttpRequest, project: Project) -> ProjectImageView:
    set_version(request, version_of_choice(project))
    policy = current_policies(team_id=project.team_id, project_id=project.pk).images
    chosen = SandboxImage.objects.filter(projects__project=project).values_list("name", flat=True).first()
    rows = [(SITE_IMAGE, SITE_DESCRIPTION), *SandboxImage.objects.values_list("name", "description")]
    return ProjectImageView(
        image=chosen or SITE_IMAGE,
        problem=policy.refusal(chosen or SITE_IMAGE),
        images=[ImageView(name=name, description=text, refused_by=policy.decides(name)) for name, text in rows],
        wanted=_wanted(project),
    )


def _wanted(project: Project) -> WantedImageView | None:
    rows = Workspace.objects.filter(project=project, remove_at=None).order_by("-last_used_at")
    found = rows.values_list("wanted_image", flat=True).first()
    return WantedImageView(**found) if found else None
