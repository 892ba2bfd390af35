"""`manage.py export_openapi`: write the OpenAPI document and JSON Schemas from which the API clients are generated."""

import json
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandParser

from agentsite.base.environment import REPOSITORY

FOLDER: Final = REPOSITORY / "tests" / "contract"


def documents() -> dict[str, dict[str, Any]]:
    """Return the OpenAPI document and the JSON Schemas of events and WebSocket frames, by file name."""
    from agentsite.api.root import api
    from sessions_app.events.schema import event_schema
    from sessions_app.transport.ws.frame_schemas import frame_schema

    return {
        "openapi.json": api.get_openapi_schema(path_prefix="/api/v1/"),
        "events.schema.json": event_schema(),
        "frames.schema.json": frame_schema(),
    }


def render(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


class Command(BaseCommand):
    help = "Write the OpenAPI document and the JSON Schemas of events and frames."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--folder", type=Path, default=FOLDER, help="folder to write to; default: %(default)s")

    def handle(self, *_args: Any, folder: Path, **_options: Any) -> None:
        for name, document in documents().items():
            (folder / name).write_text(render(document), encoding="utf-8")
            self.stdout.write(f"{folder / name}")
