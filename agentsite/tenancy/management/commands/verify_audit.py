"""Verify the hash chains of the audit log, or the chain of one team. The exit status is 1 if a chain has a fault."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agentsite.tenancy.audit import verify
from agentsite.tenancy.models import AuditChain, AuditEntry, Team


class Command(BaseCommand):
    help = "Verify the hash chains of the audit log and print their heads (last digests). Store the heads elsewhere."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", help="short name of the only team to verify; by default, all chains are verified")
        parser.add_argument(
            "--head",
            action="append",
            default=[],
            help="a head that was printed earlier and must still be in a chain; can be repeated",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        chains = AuditChain.objects.select_related("team").order_by("key")
        if options["team"]:
            chains = chains.filter(team__slug=options["team"])
            if not Team.objects.filter(slug=options["team"]).exists():
                raise CommandError(f"There is no team '{options['team']}'.")
        broken = [chain.key for chain in chains if not self._check(chain)]
        known = AuditEntry.objects.filter(chain__in=chains, digest__in=options["head"])
        lost = sorted(set(options["head"]) - set(known.values_list("digest", flat=True)))
        for head in lost:
            self.stdout.write(f"no chain contains the head {head}: entries were removed, or a chain was rewritten")
        if broken or lost:
            raise CommandError(f"The audit log was tampered with: {', '.join(broken) or 'an earlier head is missing'}.")

    def _check(self, chain: AuditChain) -> bool:
        name = chain.team.slug if chain.team else chain.key
        faults = list(verify(chain))
        if not faults:
            self.stdout.write(f"{name}: {chain.length} entries verified, head {chain.head or '-'}")
        for fault in faults[:10]:
            self.stdout.write(f"{name}: entry {fault.seq}: {fault.problem}")
        return not faults
