"""Create the demo team. The command can be repeated: existing rows stay unchanged."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from agentsite.tenancy.actions.seeding import DemoProject, seed_demo


class Command(BaseCommand):
    help = "Create the demo team with its members and project. Existing rows stay unchanged."

    def handle(self, *_args: Any, **_options: Any) -> None:
        from django.conf import settings

        from deploy import demo_project

        if not settings.DEMO_MODE:
            raise CommandError("This site does not run in demo mode. Set AGENTSITE_DEMO=true to seed the demo team.")
        project = DemoProject(
            slug=demo_project.SLUG,
            name=demo_project.NAME,
            description=demo_project.DESCRIPTION,
            suggested_prompt=demo_project.SUGGESTED_PROMPT,
        )
        team = seed_demo(project=project)
        call_command("seed_demo_policy", team.slug, project.slug)  # by name: tenancy must not import policies
        self.stdout.write(f"The demo team '{team.slug}' exists.")
