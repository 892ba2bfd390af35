"""`?fields=id,title`: only these fields of what is read; of a list, of each of its items."""

from typing import Any

from django.http import HttpRequest

from agentsite.base.errors import BadInput


def select_fields(request: HttpRequest, data: Any) -> Any:
    """The data of a GET with the fields that it names; unknown ones are refused. Others are as they were."""
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
            f"There is no field '{unknown[0][:60]}' here.",
            hint=f"There are {', '.join(item)}.",
            fields={"fields": "names a field that is not there"},
        )
    return {name: value for name, value in item.items() if name in names}
