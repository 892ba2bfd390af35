"""REST endpoints: the configuration of a session with the source of every value, and its export as a file."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from ninja import Router, Schema

from agentsite.tenancy.authentication import current_user
from sessions_app.configuration.keys import Status, shown
from sessions_app.configuration.merging import Effective
from sessions_app.configuration.reading import Origin, Setting, Source
from sessions_app.queries.configuration import export_configuration, session_configuration
from sessions_app.queries.sessions import find_session

router = Router(tags=["configuration"])

MAX_SHOWN = 5_000  # values in one answer


class ConfigurationSource(Schema):
    """The source of a value: the level, and the path of a file in the workspace, or the id of the team, project, person
    or session."""

    origin: Origin
    name: str

    @classmethod
    def of(cls, source: Source) -> "ConfigurationSource":
        return cls(origin=source.origin, name=source.name)


class OverriddenValue(ConfigurationSource):
    """A value of a weaker configuration level that the value of a stronger level replaces."""

    value: Any


class ConfigurationValue(Schema):
    """One value of the configuration. `path` are the steps to it in the document, `key` the same steps in one text.
    `status` says whether the value is in force (`applied`); `reason` says why not, or adds a remark. `written` is the
    name in the file if it differs. `sources` are the levels that the value comes from: several if lists were joined.
    Keys and passwords are shown as "(hidden)"."""

    key: str
    path: list[str]
    value: Any
    status: Status
    reason: str
    written: str
    sources: list[ConfigurationSource]
    overridden: list[OverriddenValue]

    @classmethod
    def in_force(cls, found: Effective) -> "ConfigurationValue":
        replaced = [
            OverriddenValue(origin=each.source.origin, name=each.source.name, value=shown(each.path, each.value))
            for each in found.overridden
        ]
        return cls._of(found.setting, found.sources, replaced)

    @classmethod
    def not_applied(cls, setting: Setting) -> "ConfigurationValue":
        return cls._of(setting, (setting.source,), [])

    @classmethod
    def _of(
        cls, setting: Setting, sources: tuple[Source, ...], overridden: list[OverriddenValue]
    ) -> "ConfigurationValue":
        return cls(
            key=setting.key,
            path=list(setting.path),
            value=shown(setting.path, setting.value),
            status=setting.status,
            reason=setting.reason,
            written=setting.written,
            sources=[ConfigurationSource.of(each) for each in sources],
            overridden=overridden,
        )


class ConfigurationProblem(Schema):
    """A file, a pattern or an agent that could not be used at all. `place` names it."""

    place: str
    problem: str


class SessionConfigurationView(Schema):
    """The configuration of a session: the values in force, then those that do not apply, each with the reason."""

    items: list[ConfigurationValue]
    problems: list[ConfigurationProblem]


@router.get("/sessions/{session_id}/config", response=SessionConfigurationView, operation_id="get_session_config")
def get_session_config(request: HttpRequest, session_id: str) -> SessionConfigurationView:
    """Return the configuration of a session: each value with its source and the values that it replaced, and every key
    that does not apply, with the reason."""
    found = session_configuration(find_session(request, session_id), viewer=current_user(request))
    items = [ConfigurationValue.in_force(each) for each in found.merged.effective.values()]
    items += [ConfigurationValue.not_applied(each) for each in found.merged.unapplied]
    problems = [ConfigurationProblem(place=place, problem=problem) for place, problem in found.problems]
    return SessionConfigurationView(items=items[:MAX_SHOWN], problems=problems[:MAX_SHOWN])


@router.get(
    "/sessions/{session_id}/config/export",
    operation_id="export_session_config",
    response={200: None},
    openapi_extra={"responses": {200: {"content": {"application/json": {"schema": {"type": "object"}}}}}},
)
def get_config_export(request: HttpRequest, session_id: str) -> HttpResponse:
    """Download the configuration in force as an `opencode.json` that OpenCode itself loads. Keys and passwords are left
    out."""
    text = export_configuration(find_session(request, session_id), viewer=current_user(request))
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename="opencode.json") or ""
    response["X-Content-Type-Options"] = "nosniff"
    return response
