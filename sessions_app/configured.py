"""The configuration of a session: the merged documents of all levels, and the values that parts of the site read from
them."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agentsite.base.ids import to_public
from agentsite.tenancy.base import SITE_PLACE
from agentsite.tenancy.models import Project, Team, User
from sessions_app.configuration.folders import in_force
from sessions_app.configuration.merging import Merged, merge
from sessions_app.configuration.reading import BadDocument, Origin, Setting, Source, as_stored, parse, read
from sessions_app.models import Configuration, Session, SkillPackage, Workspace
from sessions_app.revisions import per_revision, revision_of
from tools_app.permission.model import Rule, rules_from_config
from tools_app.permission.presets import HOME
from tools_app.policies.opencode_rules import rules_of_tools
from tools_app.sandbox_paths import folder_of_skill

Levels = dict[Origin, list[list[Setting]]]
"""The settings of each document, by level, the weakest first."""

STRENGTH: Final[tuple[Origin, ...]] = ("remote", "site", "team", "person", "file", "project", "session")


@per_revision
def configuration_of(session: Session) -> Merged:
    """Return the merged documents of the session. Runs one database statement after each change of a configuration, and
    none otherwise. Reads `session.project` and `session.workspace`."""
    return merge(in_order(session_levels(session)))


def in_order(levels: Mapping[Origin, list[list[Setting]]]) -> Iterator[list[Setting]]:
    """Yield the settings of each document, from the weakest document to the strongest."""
    for origin in STRENGTH:
        yield from levels.get(origin, ())


@per_revision
def session_levels(session: Session) -> Levels:
    """Return the settings of all documents that apply to a session. Callers must not change them."""
    levels = row_levels(_rows_of_session(session))
    levels["file"] = file_levels(session.workspace, session.folder)
    if session.configuration:
        source = Source("session", session.public_id)
        levels["session"] = [[as_stored(each) for each in _settings(session.configuration, source)]]
    return levels


def _rows_of_session(session: Session) -> list[Configuration]:
    """Return the stored configuration documents that apply to a session.

    They are cached on the session instance, because deciding about one tool call reads them several times. A session
    that was loaded with a revision does not cache them.
    """
    kept: list[Configuration] | None = session.__dict__.get("_documents")
    if kept is None:
        team_id, project_id = session.project.team_id, session.project_id
        kept = rows_of(team_id=team_id, project_id=project_id, person_id=session.created_by_id)
        if revision_of(session) is None:
            session.__dict__["_documents"] = kept
    return kept


def rows_of(
    *, team_id: uuid.UUID | None = None, project_id: uuid.UUID | None = None, person_id: uuid.UUID | None = None
) -> list[Configuration]:
    """Return the stored documents of the site, a team, a project and a person. Runs one database query."""
    return list(Configuration.objects.filter(place__in=_places(team_id, project_id, person_id)))


def _places(team_id: uuid.UUID | None, project_id: uuid.UUID | None, person_id: uuid.UUID | None) -> list[str]:
    owners = ((Team.PREFIX, team_id), (Project.PREFIX, project_id), (User.PREFIX, person_id))
    return [SITE_PLACE, *(to_public(prefix, pk) for prefix, pk in owners if pk is not None)]


def row_levels(rows: Iterable[Configuration]) -> Levels:
    levels: Levels = {}
    for row in by_strength(rows):
        if row.defaults_text:
            levels.setdefault("remote", []).append(default_settings(row))
        levels.setdefault(origin_of(row), []).append(row_settings(row))
    return levels


def by_strength(rows: Iterable[Configuration]) -> list[Configuration]:
    return sorted(rows, key=lambda row: STRENGTH.index(origin_of(row)))


def default_settings(row: Configuration) -> list[Setting]:
    """Return the settings of the default configuration that was last downloaded for a site or team, each with its
    status."""
    return [as_stored(each) for each in _settings(row.defaults_text, Source("remote", row.defaults_address))]


def row_settings(row: Configuration) -> list[Setting]:
    """Return the settings of a stored document. Settings that do not apply have a reason."""
    source = Source(origin_of(row), row.place)
    return [as_stored(each) for each in _settings(row.text, source)]


@per_revision
def instructions_of(session: Session) -> list[dict[str, str]]:
    """Return the instructions that apply to a session as {path, text}: first the instructions of stored documents, then
    the instructions from the workspace's files."""
    return [*stored_instructions(session), *in_force(session.workspace.instructions, session.folder)]


@per_revision
def stored_instructions(session: Session) -> list[dict[str, str]]:
    """Return the instructions of the stored documents that apply to a session, from the weakest level to the strongest,
    as {path, text}. `path` is a phrase for people, such as "the configuration of the team"."""
    return [
        {"path": place_in_words(Source(origin_of(row), row.place)), "text": row.instructions}
        for row in by_strength(_rows_of_session(session))
        if row.instructions.strip()
    ]


@per_revision
def stored_skills(session: Session) -> list[tuple[Origin, dict[str, str]]]:
    """Return the uploaded skills that are in force in a session, from the weakest configuration level to the strongest.

    They have the same keys as skills of a workspace, and `package`, the id of the version. Runs one database statement
    after each change of the configuration.
    """
    places = _places(session.project.team_id, session.project_id, session.created_by_id)
    rows = SkillPackage.objects.filter(place__in=places, in_force__isnull=False).select_related("in_force")
    found = [(origin_of(row), row.name, row.in_force) for row in rows.defer("in_force__content")]
    found.sort(key=lambda each: (STRENGTH.index(each[0]), each[1]))
    return [
        (
            origin,
            {
                "name": name,
                "description": version.description,
                "folder": folder_of_skill(name, version.sha256),
                "problem": "",
                "package": version.public_id,
            },
        )
        for origin, name, version in found
        if version is not None
    ]


def origin_of(row: Configuration | SkillPackage) -> Origin:
    if row.person_id is not None:
        return "person"
    if row.project_id is not None:
        return "project"
    return "site" if row.team_id is None else "team"


def file_levels(workspace: Workspace, folder: str) -> list[list[Setting]]:
    """Return the settings of the workspace's configuration files that apply to a folder: one list for each file, from
    the workspace's root down to the folder."""
    return [
        _settings(item["text"], Source("file", item["path"]))
        for item in in_force(workspace.configuration.get("documents", ()), folder)
        if item["text"]
    ]


def _settings(text: str, source: Source) -> list[Setting]:
    try:
        return read(parse(text), source) if text.strip() else []
    except BadDocument as error:
        return [Setting(("$",), None, source, "invalid", str(error))]


def provider_refusal(merged: Merged, model: str) -> str:
    """Return why configuration documents disable the provider of a model, or "". The provider is the part before the
    first slash."""
    provider, slash, _ = model.partition("/")
    if not slash:
        return ""
    if provider in (merged.value("disabled_providers") or ()):
        return f"`disabled_providers` in {places_of(merged, 'disabled_providers')} names '{provider[:60]}'"
    enabled = merged.value("enabled_providers")
    if enabled is not None and provider not in enabled:
        return f"`enabled_providers` in {places_of(merged, 'enabled_providers')} does not name '{provider[:60]}'"
    return ""


def places_of(merged: Merged, *path: str) -> str:
    """Return a phrase for people that names all documents that set a key, such as "the configuration of the team"."""
    sources = merged.effective[path].sources
    return " and ".join(dict.fromkeys(place_in_words(source) for source in sources))


def place_in_words(source: Source) -> str:
    """Return a phrase for people that names the source of a value, such as "the configuration of the team" or
    "opencode.json"."""
    if source.origin == "file":
        return source.name
    return (
        f"the defaults of {source.name}" if source.origin == "remote" else f"the configuration of the {source.origin}"
    )


def silent_defaults(session: Session) -> list[tuple[str, str]]:
    """Return the addresses whose default configurations could not be downloaded at the last attempt, each with a
    sentence that says why, and which defaults are used instead."""
    return [
        (row.defaults_address, f"{row.defaults_problem} {_standing_defaults(row)}")
        for row in by_strength(_rows_of_session(session))
        if row.defaults_problem
    ]


def _standing_defaults(row: Configuration) -> str:
    if row.defaults_read_at is None:
        return "Its defaults have never been read, so none apply."
    return f"Its defaults of {row.defaults_read_at:%Y-%m-%d %H:%M} UTC still apply."


@dataclass(frozen=True, slots=True)
class CompactionSettings:
    """Settings for compacting a session's conversation. None means the site's default. `auto`: compact before the
    conversation becomes too long."""

    auto: bool = True
    prune: bool = True
    tail_turns: int | None = None
    preserve_recent_tokens: int | None = None
    reserved: int | None = None


@per_revision
def compaction_of(session: Session) -> CompactionSettings:
    """Return the settings for compacting the session's conversation."""
    fields = configuration_of(session).below("compaction")
    return CompactionSettings(**fields)


def continues_after_rejection(session: Session) -> bool:
    """Return whether a turn continues when a person rejects a call without a message."""
    return configuration_of(session).value("experimental", "continue_loop_on_deny") is True


def document_rules(session: Session) -> list[Rule]:
    """Return the permission rules in configuration documents that no admin reviews: published defaults, a person's and
    a session's document. These rules can only make other rules stricter."""
    levels = session_levels(session)
    chosen = [settings for origin in ("remote", "person", "session") for settings in levels.get(origin, ())]
    tree = merge(chosen).tree
    block = {**rules_of_tools(tree.get("tools")), **tree.get("permission", {})}
    try:
        return list(rules_from_config(block, home=HOME))
    except (ValueError, TypeError, AttributeError):
        return [Rule("*", "*", "ask")]


def tool_settings_of(session: Session) -> dict[str, Any]:
    """Return the settings for tools from the configuration documents of a session.

    `output_lines` and `output_bytes` are limits. `formatter_off` and `lsp_off` are the names of disabled formatters and
    language servers ("*" stands for all), `cursor_rules` the rules of Cursor with patterns, and `formatters` the
    formatters that have a command.
    """
    merged = configuration_of(session)
    limits = {
        "output_lines": merged.value("tool_output", "max_lines"),
        "output_bytes": merged.value("tool_output", "max_bytes"),
    }
    off = {f"{name}_off": _switched_off(merged, name) for name in ("formatter", "lsp")}
    rules = in_force(session.workspace.configuration.get("cursor_rules", ()), session.folder)
    formatters = {name: fields for name, fields in merged.below("formatter").items() if fields.get("command")}
    settings = limits | off | {"cursor_rules": rules, "formatters": formatters}
    return {name: value for name, value in settings.items() if value}


def _switched_off(merged: Merged, name: str) -> frozenset[str]:
    if merged.value(name) is False:
        return frozenset({"*"})
    return frozenset(entry for entry, fields in merged.below(name).items() if fields.get("disabled") is True)
