"""The configuration of a session as people see it: every value in force with its source, and the values that do not
apply.

In addition to the documents, this includes the levels that the site stores elsewhere: models, agents and rules of the
site, of teams and projects, the choices of the session, and the limits of the policies.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.conf import settings

from agentsite.tenancy.available_models import choices_of
from agentsite.tenancy.models import User
from sessions_app.agents import effective_agents
from sessions_app.configuration.export import exported, flattened
from sessions_app.configuration.folders import in_force
from sessions_app.configuration.keys import HIDDEN
from sessions_app.configuration.merging import Merged, merge
from sessions_app.configuration.reading import Origin, Setting, Source, read
from sessions_app.configured import Levels, in_order, session_levels, silent_defaults
from sessions_app.model_endpoints import ModelNotOffered, default_models, usable_model
from sessions_app.models import Agent, Session
from sessions_app.policy import session_layers, session_policies
from tools_app.policies.current import Policies
from tools_app.policies.documents import PolicyDocument

TIGHTENS: Final = "It can only make rules stricter: what the policies ask about or deny, it does not allow."
_PRIVATE: Final = "Only the person whose configuration this is sees the value."
_MODELS: Final = ("model", "small_model")


@dataclass(frozen=True, slots=True)
class SessionConfiguration:
    """The configuration of a session. `problems` are pairs: a phrase that names a file, pattern or agent, and a
    sentence that says why it cannot be used."""

    merged: Merged
    problems: Sequence[tuple[str, str]]


def session_configuration(session: Session, *, viewer: User) -> SessionConfiguration:
    """Return the configuration of a session for somebody who may see it. Reads `session.project`, `session.workspace`
    and `session.created_by`."""
    policies = session_policies(session)
    levels: Levels = {origin: [list(each) for each in found] for origin, found in session_levels(session).items()}
    if session.created_by_id != viewer.pk and "person" in levels:
        levels["person"] = [[_hidden(each) for each in found] for found in levels["person"]]
    for origin, document, source in _stored(session, policies):
        levels.setdefault(origin, []).insert(0, read(document, source))
    checked = [[_checked(each, session) for each in found] for found in in_order(levels)]
    merged = merge([*checked, _limits(checked, policies)])
    return SessionConfiguration(merged, _problems(session))


def _hidden(setting: Setting) -> Setting:
    return replace(setting, value=HIDDEN, reason=_PRIVATE)


def _stored(session: Session, policies: Policies) -> Iterator[tuple[Origin, dict[str, Any], Source]]:
    """Yield the settings that the site stores outside configuration documents, in the form of such documents."""
    project = session.project
    models = {choice.place: choice for choice in choices_of(project.team_id, project.pk)}
    team, own = project.team.public_id, project.public_id
    places: dict[Origin, str] = {"site": "site", "team": team, "project": own}
    agents = {place: _agents_of(place) for place in places.values()}
    rules = {"site": policies.site, "team": policies.team, "project": policies.project}
    for origin, place in places.items():
        document: dict[str, Any] = {}
        if origin == "site":
            document |= {"model": settings.MODEL_NAME, "small_model": settings.SMALL_MODEL_NAME}
        elif choice := models.get(place):
            document |= {"model": choice.default_model, "small_model": choice.small_model}
        if origin == "project" and project.default_agent != "build":
            document["default_agent"] = project.default_agent
        document |= {"agent": agents[place], "permission": _block(rules[origin])}
        yield origin, {name: value for name, value in document.items() if value}, Source(origin, place)
    yield "file", {"agent": _agents_of_files(session)}, Source("file", ".opencode")
    chosen = {"model": session.model, "default_agent": session.agent}
    yield "session", {name: value for name, value in chosen.items() if value}, Source("session", session.public_id)


def _agents_of(place: str) -> dict[str, dict[str, Any]]:
    rows = Agent.objects.filter(place=place).order_by("name")
    return {row.name: _agent(row.document, row.document.get("permission", ())) for row in rows}


def _agents_of_files(session: Session) -> dict[str, dict[str, Any]]:
    """Return the agents of Markdown files. Agents of configuration files are not included, because they are part of the
    configuration documents."""
    items = in_force(session.workspace.project_agents.get("agents", ()), session.folder)
    found = [item for item in items if item["name"] and item["path"].endswith(".md")]
    return {item["name"]: _agent(item["fields"], item["rules"]) for item in found}


def _agent(fields: Mapping[str, Any], rules: Iterable[Mapping[str, str]]) -> dict[str, Any]:
    kept = {name: value for name, value in fields.items() if name != "permission"}
    block = _rule_block(rules)
    return {**kept, "permission": block} if block else kept


def _block(document: PolicyDocument) -> dict[str, dict[str, str]]:
    return _rule_block(rule.model_dump() for rule in document.rules)


def _rule_block(rules: Iterable[Mapping[str, str]]) -> dict[str, dict[str, str]]:
    block: dict[str, dict[str, str]] = {}
    for rule in rules:
        patterns = block.pop(rule["permission"], {})
        patterns.pop(rule["pattern"], None)
        block[rule["permission"]] = {**patterns, rule["pattern"]: rule["action"]}
    return block


def _checked(setting: Setting, session: Session) -> Setting:
    """Return the setting after checks that depend on the session: whether a model is offered, an agent exists, and a
    rule can allow anything."""
    if setting.status != "applied" or setting.value == HIDDEN:
        return setting
    if setting.path[0] in _MODELS:
        return _checked_model(setting, session)
    if setting.path == ("default_agent",) and setting.source.origin != "session":
        agent = effective_agents(session).get(str(setting.value))
        if agent is None or not agent.is_selectable:
            return replace(setting, status="invalid", reason="There is no agent of this name that people can choose.")
    is_rule = "permission" in setting.path[:3:2] or setting.path[0] == "tools"
    if is_rule and setting.source.origin in ("remote", "person", "file") and setting.value in ("allow", True):
        return replace(setting, reason=TIGHTENS)
    return setting


def _checked_model(setting: Setting, session: Session) -> Setting:
    try:
        usable_model(session, setting.value)
    except ModelNotOffered as error:
        return replace(setting, status="refused", reason=error.message)
    return setting


def _limits(levels: Iterable[Sequence[Setting]], policies: Policies) -> list[Setting]:
    """Return the limits of the policies that are stricter than the values of the configuration documents."""
    merged = merge(levels)
    source = Source("policy", "")
    found: list[Setting] = []
    for path, limit in (
        (("subagent_depth",), policies.subagent_depth),
        (("tool_output", "max_lines"), policies.tool_settings.get("output_lines")),
        (("tool_output", "max_bytes"), policies.tool_settings.get("output_bytes")),
    ):
        value = merged.value(*path)
        if limit is not None and (value is None or value > limit):
            reason = "The policy's limit is stricter." if value is not None else ""
            found.append(Setting(path, limit, source, reason=reason))
    enforced = [
        rule.model_dump() for each in (policies.site, policies.team, policies.project) for rule in each.enforced
    ]
    return [*found, *(each for each in read({"permission": _rule_block(enforced)}, source) if enforced)]


def _problems(session: Session) -> list[tuple[str, str]]:
    workspace, folder = session.workspace, session.folder
    documents = in_force(workspace.configuration.get("documents", ()), folder)
    found = silent_defaults(session)
    found += [(each["path"], each["problem"]) for each in documents if each["problem"]]
    patterns = in_force(workspace.configuration.get("instructions", ()), folder)
    found += [(f"instructions: {each['pattern']}", each["problem"]) for each in patterns if each["problem"]]
    found += [(each["path"], each["problem"]) for each in in_force(workspace.project_files, folder) if each["problem"]]
    skills = in_force(workspace.skills, folder)
    found += [(f"{each['folder']}/SKILL.md", each["problem"]) for each in skills if each["problem"]]
    for item in in_force(workspace.project_agents.get("agents", ()), folder):
        found += [(item["path"], problem) for problem in item["problems"]]
    found += [(f"agent {agent.name}", text) for agent in effective_agents(session).values() for text in agent.problems]
    return list(dict.fromkeys(found))


def export_configuration(session: Session, *, viewer: User) -> str:
    """Return the configuration in force as a document that OpenCode loads."""
    merged = session_configuration(session, viewer=viewer).merged
    shown = {path: each for path, each in merged.effective.items() if each.setting.value != HIDDEN}
    default, small = default_models(session)
    agents = {name: agent for name, agent in effective_agents(session).items() if not agent.is_built_in}
    return exported(
        Merged(shown),
        agents={agent.name: _exported_agent(agent) for agent in agents.values()},
        rules=flattened(*session_layers(session)),
        defaults={"model": default, "small_model": small},
    )


def _exported_agent(agent: Any) -> dict[str, Any]:
    fields = {
        "description": agent.description, "mode": agent.mode, "model": agent.model, "variant": agent.variant,
        "prompt": agent.prompt, "temperature": agent.temperature, "top_p": agent.top_p, "steps": agent.steps,
        "color": agent.color, "hidden": agent.hidden, "options": dict(agent.options),
        "permission": _rule_block(rule.as_dict() for rule in (*agent.rules, *agent.file_rules)),
    }  # fmt: skip
    return {name: value for name, value in fields.items() if value not in ("", None, {}, False)}
