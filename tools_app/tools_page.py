"""Generate the tool tables of docs/tools.md from the tool classes. Pure functions."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tools_app.model_families import PATCH_FAMILIES, TOOLS_OF_STYLE
from tools_app.registry import Catalogue
from tools_app.spec import OfferContext, Tool

BEGIN: Final = "<!-- made by `manage.py export_tools`: begin -->"
END: Final = "<!-- made by `manage.py export_tools`: end -->"
NO_CONTEXT: Final = OfferContext(output_schema=None)  # schemas are shown as they are without any session


def with_tools(page: str, tools: Catalogue) -> str:
    """Return the page with the tables and parameters of the tools between the markers BEGIN and END generated again.

    Raises ValueError if a marker is missing.
    """
    before, _, rest = page.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise ValueError(f"The page has no line {BEGIN} with a line {END} after it.")
    return f"{before}{BEGIN}\n\n{_generated(tools)}\n\n{END}{after}"


def _generated(tools: Catalogue) -> str:
    rows = [_row(tool) for tool in tools.values()]
    table = [
        "| tool | parameters (optional ones in brackets) | permission | time limit | what it does |",
        "|---|---|---|---|---|",
    ]
    sections = [section for tool in tools.values() if (section := _section(tool))]
    return "\n\n".join(["\n".join([*table, *rows]), "### Parameters", *sections])


def _row(tool: Tool[Any]) -> str:
    names = " or ".join(f"`{name}`" for name in (tool.id, *tool.aliases))
    seconds = "set by the tool" if tool.timeout is None else f"{tool.timeout:g} s"
    asks = f"`{tool.permission}`" if tool.permission else "-"
    return f"| {names} | {_parameter_names(tool)} | {asks} | {seconds} | {_first_sentence(tool)}{_restriction(tool)} |"


def _parameter_names(tool: Tool[Any]) -> str:
    schema = tool.schema(NO_CONTEXT)
    required = [name for name in schema["properties"] if name in schema.get("required", ())]
    optional = [name for name in schema["properties"] if name not in required]
    return ", ".join([*required, *([f"[{', '.join(optional)}]"] if optional else [])])


def _first_sentence(tool: Tool[Any]) -> str:
    first = tool.description.split("\n", 1)[0]
    head, dot, _ = first.partition(". ")
    return head + dot.strip() if dot else first


def _restriction(tool: Tool[Any]) -> str:
    if not tool.offered:
        return " Never offered."
    families = ", ".join(sorted(PATCH_FAMILIES))
    if tool.id in TOOLS_OF_STYLE["patch"]:
        return f" Only for models of the family {families}."
    if tool.id in TOOLS_OF_STYLE["replace"]:
        return f" Not for models of the family {families}."
    return ""


def _section(tool: Tool[Any]) -> str:
    lines = list(_parameters(tool.schema(NO_CONTEXT), ""))
    if not lines:
        return ""
    head = [f"**`{tool.id}`**", "", "| parameter | kind | meaning |", "|---|---|---|"]
    return "\n".join([*head, *lines])


def _parameters(schema: Mapping[str, Any], before: str) -> Iterator[str]:
    for name, value in schema["properties"].items():
        here = f"{before}{name}"
        must = "" if name in schema.get("required", ()) else ", optional"
        yield f"| `{here}` | {_kind(value)}{must} | {_cell(value.get('description', ''))} |"
        inner = value.get("items", value)
        if isinstance(inner, Mapping) and inner.get("properties"):
            yield from _parameters(inner, f"{here}[]." if "items" in value else f"{here}.")


def _kind(value: Mapping[str, Any]) -> str:
    if "enum" in value:
        return " or ".join(f"`{each}`" for each in value["enum"])
    if "anyOf" in value:
        return " or ".join(_kind(each) for each in value["anyOf"])
    kind = {"string": "text", "integer": "whole number", "boolean": "true or false", "array": "list"}.get(
        value.get("type", ""), value.get("type", "anything")
    )
    return " ".join(filter(None, (kind, _bounds(value))))


def _bounds(value: Mapping[str, Any]) -> str:
    low = value.get("minimum", value.get("minLength", value.get("minItems")))
    if "exclusiveMinimum" in value:
        low = f"more than {value['exclusiveMinimum']:,}"
    high = value.get("maximum", value.get("maxLength", value.get("maxItems")))
    unit = " characters" if "maxLength" in value or "minLength" in value else ""
    if low is None and high is None:
        return ""
    if high is None:
        return f"(from {low}{unit})" if low != 1 or not unit else "(not empty)"
    return f"({low if low is not None else 0} to {high:,}{unit})"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
