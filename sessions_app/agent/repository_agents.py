"""Parse agents from a repository: Markdown files with front matter, and blocks of configuration files. Pure.

The files are untrusted and may contain anything: parsing always terminates, and reports what it did not understand.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from sessions_app.agent.definitions import unusable_options
from sessions_app.agent.overrides import AgentDocument, name_problem, read_leniently
from sessions_app.configuration.names import agent_fields, first_generation
from sessions_app.configuration.reasons import reason_of
from tools_app.front_matter import BadFrontMatter, read_front_matter
from tools_app.permission.model import BadRule, rules_from_config
from tools_app.permission.presets import HOME
from tools_app.policies import jsonc
from tools_app.policies.documents import MAX_RULES, RuleDocument
from tools_app.policies.opencode_rules import rules_of_tools
from tools_app.text import clean

FOLDERS: Final = ("agent", "agents", "mode", "modes")
"""Folders below `.opencode` and `.agentsite`. Files in the last two define agents that people can choose."""

_PRIMARY_FOLDERS: Final = frozenset({"mode", "modes"})
_FILE: Final = re.compile(r"\{file:([^{}]+)\}")
_ENVIRONMENT: Final = re.compile(r"\{env:[^{}]*\}")
_OLD_NAMES: Final = {"maxSteps": "steps", "max_steps": "steps", "topP": "top_p"}
_IGNORED_FIELDS: Final = frozenset({"name"})
_KNOWN: Final = frozenset(AgentDocument.model_fields)
MAX_PROBLEMS: Final = 10

FileOverrides = dict[str, Any]
"""{path, name, fields, rules, problems}, as JSON: one agent in one file, as stored in the workspace. An entry without a
name is not an agent and only reports problems."""


def name_of_file(folder: str, path: str) -> str:
    """Return the name of the agent that a file defines: `.opencode/agent/review/api.md` -> `review/api`."""
    return PurePosixPath(path).relative_to(folder).with_suffix("").as_posix()


def read_markdown(folder: str, path: str, text: str) -> FileOverrides:
    """Parse an agent's own file: the front matter contains the fields, and the rest is its prompt."""
    try:
        fields, body = read_front_matter(text, max_characters=len(text))
    except BadFrontMatter as error:
        return unusable_file(path, f"Its front matter was not understood: {reason_of(error)}")
    if prompt := body.strip():
        fields["prompt"] = prompt
    if PurePosixPath(folder).name in _PRIMARY_FOLDERS:
        fields["mode"] = "primary"
    return _read(path, name_of_file(folder, path), agent_fields(fields))


def read_config(path: str, text: str) -> list[FileOverrides]:
    """Return the agents that a configuration file defines. Returns an empty list for a file that cannot be parsed; its
    error is shown with the permission rules of the file."""
    try:
        content = jsonc.loads(text)
    except (ValueError, RecursionError):
        return []
    return read_blocks(path, first_generation(content)[0]) if isinstance(content, dict) else []


def read_blocks(path: str, content: Mapping[str, Any]) -> list[FileOverrides]:
    """Return the agents of a configuration document that uses the key names of OpenCode's first generation."""
    return [_read(path, name, fields) for name, fields in _blocks(content)]


def unusable_file(path: str, problem: str) -> FileOverrides:
    """Return an entry for a file that could not be used, with the reason. The file does not define an agent, because
    restrictions in it would be lost."""
    return {"path": path, "name": "", "fields": {}, "rules": [], "problems": [clean(problem[:300])]}


def included_files(overrides: FileOverrides) -> list[str]:
    """Return the paths of files that an agent's prompt includes as `{file:path}`, relative to the agent's file."""
    return list(dict.fromkeys(name.strip() for name in _FILE.findall(overrides["fields"].get("prompt", ""))))


def with_files(overrides: FileOverrides, contents: Mapping[str, str | None]) -> FileOverrides:
    """Replace each `{file:path}` in an agent's prompt by the content of the file; None means that a file could not be
    read."""
    prompt = overrides["fields"].get("prompt", "")
    missing = [name for name in included_files(overrides) if contents.get(name) is None]
    problems = [f"The file '{name[:100]}' of its prompt could not be read." for name in missing]
    if _ENVIRONMENT.search(prompt):
        problems.append("`{env:...}` is not supported: agents have no access to environment variables.")
    text = _FILE.sub(lambda found: contents.get(found[1].strip()) or "", _ENVIRONMENT.sub("", prompt))
    fields, more = read_leniently({"prompt": text})
    return {
        **overrides,
        "fields": {**overrides["fields"], "prompt": fields.get("prompt", "")},
        "problems": [*overrides["problems"], *problems, *more][:MAX_PROBLEMS],
    }


def _blocks(content: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key in ("mode", "agent"):
        block = content.get(key)
        for name, fields in block.items() if isinstance(block, dict) else ():
            if isinstance(fields, dict):
                yield name, {**fields, **({"mode": "primary"} if key == "mode" else {})}


def _read(path: str, name: str, given: Mapping[str, Any]) -> FileOverrides:
    if problem := name_problem(name):
        return unusable_file(path, f"The agent '{clean(name[:60])}' is left out: {problem}.")
    fields = {_OLD_NAMES.get(key, key): value for key, value in given.items() if key not in _IGNORED_FIELDS}
    rules, problems = _rules(fields.pop("tools", None), fields.pop("permission", None))
    options, more = _options(fields)
    overrides, bad = read_leniently({key: value for key, value in fields.items() if key in _KNOWN} | options)
    kept = [clean(problem) for problem in (*problems, *more, *bad)][:MAX_PROBLEMS]
    return {"path": path, "name": name, "fields": overrides, "rules": rules, "problems": kept}


def _options(fields: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the provider options of an agent's file, and sentences about options that are not used.

    Options are the entries of `options` and all unknown top-level fields.
    """
    given = fields.pop("options", None)
    loose = {key: value for key, value in fields.items() if key not in _KNOWN}
    options = {**({str(name): value for name, value in given.items()} if isinstance(given, dict) else {}), **loose}
    bad = {name: problems for name, value in options.items() if (problems := unusable_options({name: value}))}
    usable = {name: value for name, value in options.items() if name not in bad}
    sentences = [f"{problem[0].upper()}{problem[1:]}." for problems in bad.values() for problem in problems]
    return ({"options": usable} if usable else {}), sentences


def _rules(tools: Any, permission: Any) -> tuple[list[dict[str, str]], list[str]]:
    """Return the rules of an agent's blocks `tools` and `permission`, in this order. If a block cannot be parsed, the
    only rule denies everything, because the block was meant to restrict."""
    block = {"*": permission} if isinstance(permission, str) else permission
    try:
        old = rules_from_config(rules_of_tools(tools), home=HOME)
        rules = (*old, *rules_from_config(block or {}, home=HOME))
        if len(rules) > MAX_RULES:
            raise BadRule(f"more than {MAX_RULES} rules.")
        return [RuleDocument.of(rule).model_dump() for rule in rules], []
    except (ValueError, AttributeError, TypeError) as error:
        problem = f"Its permissions were not understood, so it may do nothing: {reason_of(error)}"
        return [{"permission": "*", "pattern": "*", "action": "deny"}], [problem]
