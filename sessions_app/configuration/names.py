"""Translate the key names of OpenCode's second generation into first-generation names, which this site uses. Pure.

Both generations may stand in one file. A key of the first generation wins over its newer name.
"""

from collections.abc import Mapping
from typing import Any, Final

from tools_app.policies.opencode_rules import rules_block

PLURALS: Final[Mapping[str, str]] = {
    "agents": "agent",
    "commands": "command",
    "providers": "provider",
    "plugins": "plugin",
    "permissions": "permission",
    "snapshots": "snapshot",
    "attachments": "attachment",
    "media": "attachment",
    "reference": "references",
}
"""Newer or older name -> the name that the site works with."""

_AGENT_FIELDS: Final[Mapping[str, str]] = {"system": "prompt", "disabled": "disable", "permissions": "permission"}


def first_generation(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values under the key names of OpenCode's first generation, and {first-generation name: name in the
    file} for each renamed top-level key. The order of the keys is kept."""
    renamed: dict[str, str] = {}
    found: dict[str, Any] = {}
    for written, value in values.items():
        name = PLURALS.get(written, written)
        if name != written:
            if name in values:
                continue
            renamed[name] = written
        found[name] = _READERS[name](value) if name in _READERS else value
    _lift_depth(found, renamed)
    return found, renamed


def model_name(value: Any) -> Any:
    """Return a model as `provider/model`, without the variant that may follow a `#`.

    A model that is written as an object is converted; a value of any other type is returned unchanged.
    """
    if isinstance(value, dict) and isinstance(value.get("providerID"), str) and isinstance(value.get("model"), str):
        return f"{value['providerID']}/{value['model']}"
    return value.partition("#")[0] if isinstance(value, str) else value


def _agents(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: agent_fields(fields) for name, fields in value.items()}


def agent_fields(fields: Any) -> Any:
    """Return the fields of an agent under the names of OpenCode's first generation."""
    if not isinstance(fields, dict):
        return fields
    named = {_AGENT_FIELDS.get(name, name): item for name, item in fields.items()}
    if "permission" in named:
        named["permission"] = rules_block(named["permission"])
    if "model" in named:
        named["model"] = model_name(named["model"])
    request = named.pop("request", None)
    if isinstance(request, dict) and isinstance(request.get("body"), dict):
        named["options"] = {**request["body"], **(named.get("options") or {})}
    return named


def _commands(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        name: {**fields, "model": model_name(fields["model"])}
        if isinstance(fields, dict) and "model" in fields
        else fields
        for name, fields in value.items()
    }


def _skills(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    remote = [each for each in value if isinstance(each, str) and each.lower().startswith(("http://", "https://"))]
    return {"paths": [each for each in value if each not in remote], "urls": remote}


def _compaction(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    found = {name: item for name, item in value.items() if name not in ("keep", "buffer")}
    keep = value.get("keep")
    if isinstance(keep, dict) and "tokens" in keep:
        found.setdefault("preserve_recent_tokens", keep["tokens"])
    if "buffer" in value:
        found.setdefault("reserved", value["buffer"])
    return found


def _servers(value: Any) -> Any:
    if not isinstance(value, dict) or not isinstance(value.get("servers"), dict):
        return value
    others = {name: item for name, item in value.items() if name not in ("servers", "timeout")}
    return {**others, **{name: _server(fields) for name, fields in value["servers"].items()}}


def _server(fields: Any) -> Any:
    if not isinstance(fields, dict) or not isinstance(fields.get("disabled"), bool):
        return fields
    others = {name: item for name, item in fields.items() if name != "disabled"}
    return {**others, "enabled": not fields["disabled"]}


def _lift_depth(found: dict[str, Any], renamed: dict[str, str]) -> None:
    """Move the value of `experimental.subagent_depth` to the top level of the document."""
    block = found.get("experimental")
    if isinstance(block, dict) and "subagent_depth" in block:
        found["experimental"] = {name: item for name, item in block.items() if name != "subagent_depth"}
        if "subagent_depth" not in found:
            found["subagent_depth"] = block["subagent_depth"]
            renamed["subagent_depth"] = "experimental.subagent_depth"


_READERS: Final = {
    "agent": _agents, "mode": _agents, "command": _commands, "permission": rules_block, "skills": _skills,
    "compaction": _compaction, "mcp": _servers, "model": model_name, "small_model": model_name,
}  # fmt: skip
