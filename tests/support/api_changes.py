"""Find changes of the API document that break clients of an older one."""

from collections.abc import Iterator, Mapping
from typing import Any

Document = Mapping[str, Any]


def breaking_changes(old: Document, new: Document) -> Iterator[str]:
    """Yield each breaking change as "operation: change". New operations, optional parameters and response fields break
    no client."""
    before, now = _operations(old), _operations(new)
    for name, operation in before.items():
        if name not in now:
            yield f"{name}: is not there any more"
            continue
        if operation["route"] != now[name]["route"]:
            yield f"{name}: is at {now[name]['route']}, was at {operation['route']}"
        yield from (f"{name}: {what}" for what in _of_operation(_Pair(old, new), operation, now[name]))


def _operations(document: Document) -> dict[str, Any]:
    return {
        operation["operationId"]: {**operation, "route": f"{method} {path}"}
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


class _Pair:
    """The old and the new API document, with their references resolved."""

    def __init__(self, old: Document, new: Document) -> None:
        self.old, self.new = old, new


def _of_operation(pair: _Pair, old: Document, new: Document) -> Iterator[str]:
    known = {(one["in"], one["name"]): one for one in old.get("parameters", ())}
    given = {(one["in"], one["name"]): one for one in new.get("parameters", ())}
    for place, one in known.items():
        if place not in given:
            yield f"takes no {one['name']} any more"
    for place, one in given.items():
        if one.get("required") and not known.get(place, {}).get("required"):
            yield f"insists on {one['name']}"
    if "requestBody" in new:
        yield from _of_bodies(pair, old.get("requestBody"), new["requestBody"], "request")
    for status, answer in old["responses"].items():
        if _succeeds(status) and status not in new["responses"]:
            yield f"does not answer {status} any more"
        elif _succeeds(status):
            yield from _of_bodies(pair, answer, new["responses"][status], "answer")


def _succeeds(status: str) -> bool:
    return str(status).startswith("2")


def _of_bodies(pair: _Pair, old: Document | None, new: Document, role: str) -> Iterator[str]:
    if old is None:
        if new.get("required"):
            yield "insists on a body"
        return
    for media_type, content in old.get("content", {}).items():
        if media_type not in new.get("content", {}):
            yield f"has no {media_type} in its {role} any more"
        elif "schema" in content:
            yield from _of_schemas(
                pair, content["schema"], new["content"][media_type]["schema"], role, path="", seen=()
            )


def _of_schemas(
    pair: _Pair, old: Document, new: Document, role: str, *, path: str, seen: tuple[str, ...]
) -> Iterator[str]:
    name = old.get("$ref", "")
    if name and name in seen:
        return
    seen = (*seen, name)
    old, new = _resolved(pair.old, old), _resolved(pair.new, new)
    yield from _of_kinds(old, new, role, path)
    was, now = old.get("properties", {}), new.get("properties", {})
    for field in was:
        at = f"{path}.{field}".strip(".")
        if field not in now:
            yield f"the {role} has no {at} any more"
        else:
            yield from _of_schemas(pair, was[field], now[field], role, path=at, seen=seen)
    if role == "request":
        for field in sorted(set(new.get("required", ())) - set(old.get("required", ()))):
            yield f"the request must have {path}.{field}".replace(" .", " ")
    elif was:
        for field in sorted(set(old.get("required", ())) & set(now) - set(new.get("required", ()))):
            yield f"the answer need not have {path}.{field}".replace(" .", " ")
    if "items" in old and "items" in new:
        yield from _of_schemas(pair, old["items"], new["items"], role, path=f"{path}[]", seen=seen)


def _of_kinds(old: Document, new: Document, role: str, path: str) -> Iterator[str]:
    place = path or "body"
    was, now = _kinds(old), _kinds(new)
    lost, added = was - now, now - was
    if was and now and (lost if role == "request" else added):
        yield f"{place} of the {role} is {sorted(now)}, was {sorted(was)}"
    taken, told = set(map(str, old.get("enum", ()))), set(map(str, new.get("enum", ())))
    if role == "request" and told and taken - told:
        yield f"{place} of the request may not be {sorted(taken - told)} any more"


def _kinds(schema: Document) -> set[str]:
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return set().union(*map(_kinds, choices))
    kind = schema.get("type")
    return {kind} if isinstance(kind, str) else set(kind or ())


def _resolved(document: Document, schema: Document) -> Document:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: Document = document["components"]["schemas"][name] if name else schema
    return found
