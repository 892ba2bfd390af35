"""REST endpoints: JSON Schemas of the events and the WebSocket frames, which the OpenAPI document does not contain."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, Literal

from django.http import HttpRequest
from ninja import Router, Schema

from sessions_app.events.schema import event_schema
from sessions_app.transport.ws.frame_schemas import frame_schema

router = Router(tags=["events"], auth=None)

SchemaName = Literal["events", "frames"]
SCHEMAS: Final[Mapping[SchemaName, Callable[[], dict[str, Any]]]] = {
    "events": cache(event_schema),
    "frames": cache(frame_schema),
}


class SchemaNames(Schema):
    items: list[SchemaName]


@router.get("/schemas", response=SchemaNames, operation_id="list_schemas")
def list_schemas(request: HttpRequest) -> SchemaNames:
    """List the names of the JSON Schemas that supplement this document."""
    return SchemaNames(items=list(SCHEMAS))


@router.get("/schemas/{name}", response=dict[str, Any], operation_id="get_schema")
def get_schema(request: HttpRequest, name: SchemaName) -> dict[str, Any]:
    """Return a JSON Schema. `events` describes the data of each event type and the snapshot; `frames` describes what
    client and server send over the session socket and the personal socket."""
    return SCHEMAS[name]()
