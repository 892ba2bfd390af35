"""`manage.py seed_demo_policy TEAM PROJECT`: make the demo project ask before running tests. Called by `seed_demo`."""

from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agentsite.tenancy.models import Project
from tools_app.policies.actions import seed_policy
from tools_app.policies.documents import PolicyDocument, RuleDocument
from tools_app.policies.scopes import PolicyScope

COMMANDS_TO_ASK: Final = ("pytest *", "python -m pytest *", "python3 -m pytest *")
REASON: Final = "The demo shows what a permission request looks like."


class Command(BaseCommand):
    help = "Create a policy for the demo project that asks before tests are run, unless it already has a policy."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("team", help="the team's short name")
        parser.add_argument("project", help="the project's short name")

    def handle(self, *_args: Any, **options: Any) -> None:
        project = Project.objects.filter(team__slug=options["team"], slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project '{options['project']}' in a team '{options['team']}'.")
        rules = [RuleDocument(permission="bash", pattern=pattern, action="ask") for pattern in COMMANDS_TO_ASK]
        seed_policy(place=PolicyScope("project", project), document=PolicyDocument(rules=rules), reason=REASON)
