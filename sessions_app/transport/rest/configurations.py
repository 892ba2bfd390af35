"""REST endpoints: the configuration documents of the site, of teams, projects and people."""

from datetime import datetime

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from agentsite.http.etags import accepted_versions, require_version, set_version
from agentsite.http.operation_marks import conditional
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.configurations import (
    ConfigurationOwner,
    find_configuration,
    find_owner,
    save_configuration,
)
from sessions_app.actions.defaults import choose_defaults, read_again
from sessions_app.configured import default_settings, row_settings
from sessions_app.events import schema, views
from sessions_app.models import Configuration
from sessions_app.transport.rest.configuration import ConfigurationValue

router = Router(tags=["configuration"])


class PublishedDefaults(Schema):
    """Defaults that an organisation publishes at `/.well-known/opencode` of `address`: the weakest level of the
    configuration. `text` is the document that was last read, at `read_at`; it applies until another one was read. If
    the attempt at `tried_at` failed, `problem` says why. `notes` are the values that do not apply."""

    address: str
    text: str
    read_at: datetime | None
    tried_at: datetime | None
    problem: str
    notes: list[ConfigurationValue]

    @classmethod
    def of(cls, row: Configuration) -> "PublishedDefaults | None":
        if not row.defaults_address:
            return None
        return cls(
            address=row.defaults_address,
            text=row.defaults_text,
            read_at=row.defaults_read_at,
            tried_at=row.defaults_tried_at,
            problem=row.defaults_problem,
            notes=[ConfigurationValue.not_applied(each) for each in default_settings(row) if each.reason],
        )


class SkillSource(Schema):
    """An address in `skills.urls` and the `skills` that were last fetched from it. If the attempt at `tried_at` failed,
    `problem` says why, and skills that were fetched before stay in force."""

    address: str
    skills: list[str]
    problem: str
    tried_at: datetime


class ConfigurationDocument(Schema):
    """A stored configuration document. `text` is JSON with comments, with the keys of OpenCode's configuration;
    `instructions` is a Markdown text that every agent reads. `version` is 0 if nothing was ever saved. `notes` are the
    values that do not apply, or apply with a restriction, each with the reason. `defaults` is the configuration that
    the organisation of a team or of the site publishes. `skill_sources` are the addresses that skills were fetched
    from."""

    place: str
    text: str
    instructions: str
    version: int
    changed_by: schema.PersonView | None
    changed_at: datetime | None
    can_edit: bool
    notes: list[ConfigurationValue]
    defaults: PublishedDefaults | None
    skill_sources: list[SkillSource]


class ConfigurationChange(RequestBody):
    """A new configuration document. `base_version` is the version that you edited; 0 if there was none."""

    text: str = ""
    instructions: str = ""
    base_version: int = Field(ge=0)


class DefaultsChange(RequestBody):
    """The address of an organisation that publishes defaults, such as https://company.example. If it is empty,
    published defaults no longer apply."""

    address: str = Field(max_length=2048)


@router.get("/configurations/{place}", response=ConfigurationDocument, operation_id="get_configuration")
def get_configuration(request: HttpRequest, place: str) -> ConfigurationDocument:
    """Return a stored configuration document. `place` is "site", or the id of a team or project, or your own."""
    owner = find_owner(current_user(request), place)
    return _view(request, owner, find_configuration(owner))


@router.put("/configurations/{place}", response=ConfigurationDocument, operation_id="put_configuration")
@conditional
def put_configuration(request: HttpRequest, place: str, payload: ConfigurationChange) -> ConfigurationDocument:
    """Save a configuration document. It applies from the next step on. A document with keys or passwords is refused."""
    require_version(accepted_versions(request), str(payload.base_version))
    owner = find_owner(current_user(request), place)
    row = save_configuration(
        actor=current_user(request),
        owner=owner,
        text=payload.text,
        instructions=payload.instructions,
        base_version=payload.base_version,
    )
    return _view(request, owner, row)


@router.put("/configurations/{place}/defaults", response=ConfigurationDocument, operation_id="put_published_defaults")
def put_published_defaults(request: HttpRequest, place: str, payload: DefaultsChange) -> ConfigurationDocument:
    """Set the address at which the organisation publishes defaults for the site or a team. The site reads the defaults
    soon after, and then every hour."""
    owner = find_owner(current_user(request), place)
    return _view(request, owner, choose_defaults(actor=current_user(request), owner=owner, address=payload.address))


@router.post(
    "/configurations/{place}/defaults/read",
    response={202: ConfigurationDocument},
    operation_id="read_published_defaults",
)
def read_published_defaults(request: HttpRequest, place: str) -> Status[ConfigurationDocument]:
    """Request to read the published defaults again. `tried_at` of the defaults changes after the attempt."""
    owner = find_owner(current_user(request), place)
    return Status(202, _view(request, owner, read_again(actor=current_user(request), owner=owner)))


def _view(request: HttpRequest, owner: ConfigurationOwner, row: Configuration | None) -> ConfigurationDocument:
    row = row or Configuration(place=owner.key, version=0)
    set_version(request, str(row.version))
    return ConfigurationDocument(
        place=row.place,
        text=row.text,
        instructions=row.instructions,
        version=row.version,
        changed_by=views.person(row.changed_by),
        changed_at=row.changed_at if row.version else None,
        can_edit=owner.may_edit(current_user(request)),
        notes=[ConfigurationValue.not_applied(each) for each in row_settings(row) if each.reason],
        defaults=PublishedDefaults.of(row),
        skill_sources=[SkillSource(**each) for each in row.skill_sources],
    )
