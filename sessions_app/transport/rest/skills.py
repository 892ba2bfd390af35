"""REST endpoints: uploaded skills of the site, of teams, projects and people, and the skills of a session."""

from datetime import datetime
from typing import Literal, Self

from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from ninja import Field, File, Router, Schema, Status, UploadedFile

from agentsite.base.errors import Missing, TooLarge
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.configurations import find_owner
from sessions_app.actions.skills import choose_version, remove_skill, upload_skill
from sessions_app.configuration.skill_packages import MAX_ZIP_BYTES
from sessions_app.events import schema, views
from sessions_app.models import SkillPackage, SkillVersion
from sessions_app.models.skill import SkillPackageQuerySet
from sessions_app.queries.sessions import find_session
from sessions_app.toolset import listed_skills, skills_of
from sessions_app.transport.rest.attachments import SANDBOXED

router = Router(tags=["skills"])


class SkillFileView(Schema):
    """A file of an uploaded skill."""

    path: str
    size: int


class SkillVersionView(Schema):
    """One version of a skill."""

    number: int
    description: str
    files: list[SkillFileView]
    uploaded_by: schema.PersonView | None
    created_at: datetime

    @classmethod
    def of(cls, row: SkillVersion) -> Self:
        return cls(
            number=row.number,
            description=row.description,
            files=[SkillFileView(**file) for file in row.files],
            uploaded_by=views.person(row.uploaded_by),
            created_at=row.created_at,
        )


class SkillPackageView(Schema):
    """A skill that was uploaded, or fetched from `address`. `place` is "site", or the id of the team, project or
    person. `in_force` is the number of the version that agents load, null if the skill is switched off. `versions` are
    the newest 20, the newest first."""

    id: str
    place: str
    name: str
    address: str
    in_force: int | None
    changed_by: schema.PersonView | None
    changed_at: datetime
    can_edit: bool
    versions: list[SkillVersionView]


class SkillPackageList(Schema):
    """The skills of the site, a team, a project or a person. `can_edit`: you may upload and remove skills."""

    items: list[SkillPackageView]
    can_edit: bool


class SkillChange(RequestBody):
    """A change of a skill. `in_force` is the version that agents load from the next step on; null switches the skill
    off."""

    in_force: int | None = Field(ge=1, le=2**31 - 1)


class SessionSkillView(Schema):
    """A skill of a session. `source` is the level at which the skill was added, or `file` for a skill in the
    workspace's files. `folder` is the folder of the skill's files. `problem` says why the skill cannot be loaded.
    `listed`: the session's agent gets its name and description."""

    name: str
    description: str
    source: Literal["site", "team", "person", "file", "project"]
    folder: str
    problem: str
    listed: bool


class SessionSkillList(Schema):
    """The skills of a session. If several skills have the same name, the list contains only the skill that agents
    load."""

    items: list[SessionSkillView]


@router.get("/configurations/{place}/skills", response=SkillPackageList, operation_id="list_skill_packages")
def list_skill_packages(request: HttpRequest, place: str) -> SkillPackageList:
    """List the skills of the site, a team, a project or a person. `place` is "site", the id of a team or project, or
    your own id."""
    user = current_user(request)
    owner = find_owner(user, place)
    rows = _visible(request).filter(place=owner.key).order_by("name")
    can_edit = owner.may_edit(user)
    return SkillPackageList(items=[_view(row, can_edit=can_edit) for row in rows], can_edit=can_edit)


@router.post("/configurations/{place}/skills", response={201: SkillPackageView}, operation_id="upload_skill_package")
def post_skill_package(request: HttpRequest, place: str, file: File[UploadedFile]) -> Status[SkillPackageView]:
    """Upload a skill as multipart/form-data: a zip file of at most 2 MiB with a SKILL.md at its top or in its single
    folder. If there is a skill of this name, this is its new version. It is in force at once."""
    if (file.size or 0) > MAX_ZIP_BYTES:
        raise TooLarge(f"A skill may have at most {MAX_ZIP_BYTES >> 20} MiB.", fields={"file": "too large"})
    owner = find_owner(current_user(request), place)
    row = upload_skill(actor=current_user(request), owner=owner, file_name=file.name or "", content=file.read())
    return Status(201, _show(request, row))


@router.get("/skill-packages/{skill_package_id}", response=SkillPackageView, operation_id="get_skill_package")
def get_skill_package(request: HttpRequest, skill_package_id: str) -> SkillPackageView:
    """Return an uploaded skill."""
    return _show(request, _find(request, skill_package_id))


@router.patch("/skill-packages/{skill_package_id}", response=SkillPackageView, operation_id="update_skill_package")
def patch_skill_package(request: HttpRequest, skill_package_id: str, payload: SkillChange) -> SkillPackageView:
    """Choose the version of a skill that is in force, or switch the skill off."""
    package = _find(request, skill_package_id)
    return _show(request, choose_version(actor=current_user(request), package=package, number=payload.in_force))


@router.delete("/skill-packages/{skill_package_id}", response={204: None}, operation_id="delete_skill_package")
def delete_skill_package(request: HttpRequest, skill_package_id: str) -> Status[None]:
    """Remove a skill with all its versions. Agents cannot load it from the next step on."""
    remove_skill(actor=current_user(request), package=_find(request, skill_package_id))
    return Status(204, None)


@router.get(
    "/skill-packages/{skill_package_id}/versions/{version}",
    operation_id="download_skill_version",
    response={200: None},
    openapi_extra={
        "responses": {200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}}
    },
)
def download_skill_version(request: HttpRequest, skill_package_id: str, version: int) -> HttpResponse:
    """Download a version of a skill as a zip file."""
    package = _find(request, skill_package_id)
    row = package.versions.filter(number=version).first()
    if row is None:
        raise Missing(f"This skill has no version {version}.")
    response = HttpResponse(bytes(row.content), content_type="application/zip")
    for name, value in SANDBOXED.items():
        response[name] = value
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=f"{package.name}.zip")
    return response


@router.get("/sessions/{session_id}/skills", response=SessionSkillList, operation_id="list_session_skills")
def list_session_skills(request: HttpRequest, session_id: str) -> SessionSkillList:
    """List the skills of a session, each with its source. They come from the session's workspace or were uploaded."""
    session = find_session(request, session_id)
    listed = {skill["name"] for skill in listed_skills(session)}
    skills = sorted(skills_of(session), key=lambda skill: skill["name"])
    return SessionSkillList(
        items=[SessionSkillView.model_validate({**skill, "listed": skill["name"] in listed}) for skill in skills]
    )


def _visible(request: HttpRequest) -> SkillPackageQuerySet:
    rows = SkillPackage.objects.visible_to(current_user(request))
    versions = Prefetch("versions", SkillVersion.objects.defer("content").select_related("uploaded_by"))
    return rows.select_related("changed_by").prefetch_related(versions)


def _find(request: HttpRequest, skill_package_id: str) -> SkillPackage:
    return _visible(request).by_public_id(skill_package_id)


def _show(request: HttpRequest, row: SkillPackage) -> SkillPackageView:
    user = current_user(request)
    return _view(_find(request, row.public_id), can_edit=find_owner(user, row.place).may_edit(user))


def _view(row: SkillPackage, *, can_edit: bool) -> SkillPackageView:
    versions = list(row.versions.all())
    return SkillPackageView(
        id=row.public_id,
        place=row.place,
        name=row.name,
        address=row.address,
        in_force=next((each.number for each in versions if each.pk == row.in_force_id), None),
        changed_by=views.person(row.changed_by),
        changed_at=row.changed_at,
        can_edit=can_edit,
        versions=[SkillVersionView.of(each) for each in versions],
    )
