"""The query parameter `fields`, which selects the fields of a response.

`?fields=id,title` returns only these fields of an object, or of each item of a list.
"""

from typing import Any

from django.http import HttpRequest

from agentsite.base.errors import BadInput


def select_fields(request: HttpRequest, data: Any) -> Any:
    """Return the data of a GET with only the fields that it names; data of other methods is returned unchanged.

    Raises BadInput for unknown fields.
    """
    names = _names(request)
    if not names or not isinstance(data, dict):
        return data
    items = data.get("items")
    if not isinstance(items, list):
        return _only(data, names)
    return data | {"items": [_only(item, names) if isinstance(item, dict) else item for item in items]}


def _names(request: HttpRequest) -> list[str]:
    if request.method != "GET":
        return []
    words = request.GET.get("fields", "").split(",")
    return [word.strip() for word in words if word.strip()]


def _only(item: dict[str, Any], names: list[str]) -> dict[str, Any]:
    unknown = [name for name in names if name not in item]
    if unknown:
        raise BadInput(
            f"The response has no field '{unknown[0][:60]}'.",
            hint=f"The fields are {', '.join(item)}.",
            fields={"fields": "names a field that does not exist"},
        )
    return {name: value for name, value in item.items() if name in names}
