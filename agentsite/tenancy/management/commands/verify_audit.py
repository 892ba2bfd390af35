"""Check every chain of the audit log, or one team's. Exit status 1 when a chain is not what was recorded."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agentsite.tenancy.audit import verify
from agentsite.tenancy.models import AuditChain


class Command(BaseCommand):
    help = "Verify the hash chains of the audit log and print their heads, to be kept somewhere else."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", help="the team's short name; without it every chain is checked")

    def handle(self, *args: Any, **options: Any) -> None:
        chains = AuditChain.objects.select_related("team").order_by("key")
        if options["team"]:
            chains = chains.filter(team__slug=options["team"])
        broken = [chain.key for chain in chains if not self._check(chain)]
        if broken:
            raise CommandError(f"The audit log was tampered with: {', '.join(broken)}.")

    def _check(self, chain: AuditChain) -> bool:
        name = chain.team.slug if chain.team else chain.key
        faults = list(verify(chain))
        if not faults:
            self.stdout.write(f"{name}: {chain.length} entries are whole, head {chain.head or '-'}")
        for fault in faults[:10]:
            self.stdout.write(f"{name}: entry {fault.seq}: {fault.problem}")
        return not faults
