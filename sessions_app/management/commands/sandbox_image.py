"""Operator commands for the images that projects may choose."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from agentsite.base.errors import SiteError
from sessions_app.actions.images import register_image, remove_image
from sessions_app.actions.nodes import names_of_nodes
from sessions_app.models import SandboxImage
from sessions_app.queries.live import query_node
from sessions_app.queries.questions import ImageQuestion

BUILD_TIMEOUT: Final = 1800.0  # seconds


class Command(BaseCommand):
    help = "Register, list, try and remove the images that projects may choose for their workspaces."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, parser_class=type(parser))
        verbs.add_parser("list", help="list the registered images")
        add = verbs.add_parser("add", help="register an image and try it on every node; one that fails is not kept")
        add.add_argument("name", help="the name for projects and policies")
        source = add.add_mutually_exclusive_group(required=True)
        source.add_argument("--tag", help="a tag or digest that the engine of every node has")
        source.add_argument("--dockerfile", type=Path, help="a Dockerfile without other files, which each node builds")
        add.add_argument("--description", default="", help="what people read where they choose")
        for verb, text in (("try", "prepare an image on every node and check it"), ("remove", "remove an image")):
            verbs.add_parser(verb, help=text).add_argument("name")

    def handle(self, *args: Any, verb: str, **options: Any) -> None:
        act: Callable[[dict[str, Any]], None] = getattr(self, f"_{verb}")
        try:
            act(options)
        except SiteError as error:
            details = "; ".join(f"{name}: {text}" for name, text in error.fields.items())
            raise CommandError(" ".join(filter(None, (error.message, details, error.hint)))) from error

    def _list(self, options: dict[str, Any]) -> None:
        for row in SandboxImage.objects.all():
            self.stdout.write(f"{row.name}  {row.kind}  {row.description}")

    def _add(self, options: dict[str, Any]) -> None:
        if SandboxImage.objects.filter(name=options["name"]).exists():
            raise CommandError("There is an image with this name. Remove it first, or choose another name.")
        file: Path | None = options["dockerfile"]
        try:
            source = file.read_text() if file else options["tag"]
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"The Dockerfile cannot be read: {error}") from error
        kind = SandboxImage.Kind.DOCKERFILE if file else SandboxImage.Kind.TAG
        row = register_image(name=options["name"], kind=kind, source=source, description=options["description"])
        try:
            self._try(options)
        except CommandError:
            remove_image(row.name)
            raise

    def _try(self, options: dict[str, Any]) -> None:
        row = SandboxImage.objects.filter(name=options["name"]).first()
        if row is None:
            raise CommandError("There is no image with this name.")
        nodes = names_of_nodes(timezone.now())
        if not nodes:
            raise CommandError("No node answers, so that the image cannot be tried. Start a sandbox worker first.")
        for node in nodes:
            try:
                found = asyncio.run(query_node(node, ImageQuestion(image=row.pk), timeout_seconds=BUILD_TIMEOUT))
            except SiteError as error:
                raise CommandError(f"{node}: {error.message}") from error
            self.stdout.write(f"{node}: {found['tag']}, {found['checks']} checks passed")

    def _remove(self, options: dict[str, Any]) -> None:
        remove_image(options["name"])
