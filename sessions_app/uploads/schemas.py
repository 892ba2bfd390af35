"""API schemas of uploads."""

from datetime import datetime
from typing import Literal, Self, cast

from ninja import Field

from agentsite.base.ids import to_public
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.actions.projects import MAX_TEXT_CHARS
from sessions_app.events.schema import PersonView, View
from sessions_app.events.views import person
from sessions_app.models import Upload
from sessions_app.uploads.storage import PART_BYTES

UploadState = Literal["receiving", "checking", "ready", "refused", "deleting"]


class UploadFacts(View):
    """The contents of a checked upload. `left_out` counts entries that a workspace cannot have: devices, and paths that
    lead out of the workspace. `branch` is the checked-out branch."""

    kind: Literal["zip", "tar", "bundle"]
    files: int
    bytes: int
    left_out: int
    branch: str


class UploadView(View):
    """A file that a project can start with.

    Send the part that begins at byte `received` next; each part except the last has `part_bytes` bytes. After the last
    part the upload is `checking`, then `ready`, or `refused` for the reason in `problem`. `project_id` is the project
    that starts with it.
    """

    id: str
    team_id: str
    project_id: str | None
    name: str
    size: int
    received: int
    part_bytes: int
    state: UploadState
    problem: str
    facts: UploadFacts | None
    created_by: PersonView | None
    created_at: datetime

    @classmethod
    def of(cls, row: Upload) -> Self:
        return cls(
            id=row.public_id,
            team_id=to_public("tea", row.team_id),
            project_id=to_public("prj", row.project_id) if row.project_id else None,
            name=row.name,
            size=row.size,
            received=row.received,
            part_bytes=PART_BYTES,
            state=cast(UploadState, row.state),
            problem=row.problem,
            facts=UploadFacts(**row.facts) if row.facts else None,
            created_by=person(row.created_by),
            created_at=row.created_at,
        )


class NewUpload(RequestBody):
    """A file that will be sent in parts: its name, for people, and its size in bytes."""

    name: str = Field(min_length=1, max_length=1000)
    size: int = Field(gt=0, le=2**50)


class ProjectOfUpload(RequestBody):
    name: str = Field(min_length=1, max_length=120)
    description: str = Field("", max_length=MAX_TEXT_CHARS)


class ProjectFiles(View):
    """The files that new workspaces of a project start with: the files of `upload`, or an empty repository if it is
    null."""

    upload: UploadView | None


class ProjectFilesChange(RequestBody):
    upload_id: str | None
