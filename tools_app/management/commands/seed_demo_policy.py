"""`manage.py seed_demo_policy TEAM PROJECT`: the demo project asks before it runs tests; `seed_demo` calls it."""

from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agentsite.tenancy.models import Project
from tools_app.policies.actions import seed_policy
from tools_app.policies.documents import PolicyDocument, RuleDocument
from tools_app.policies.scopes import Place

ASKED: Final = ("pytest *", "python -m pytest *", "python3 -m pytest *")
REASON: Final = "The demo shows how a question looks."


class Command(BaseCommand):
    help = "Give the demo project a policy that asks before tests are run, unless it has a policy."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("team", help="the team's short name")
        parser.add_argument("project", help="the project's short name")

    def handle(self, *_args: Any, **options: Any) -> None:
        project = Project.objects.filter(team__slug=options["team"], slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project '{options['project']}' in a team '{options['team']}'.")
        rules = [RuleDocument(permission="bash", pattern=pattern, action="ask") for pattern in ASKED]
        seed_policy(place=Place("project", project), document=PolicyDocument(rules=rules), reason=REASON)
