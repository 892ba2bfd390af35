"""Check the sums of every budget against its model calls. Exits with status 1 if a sum is wrong."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from agentsite.base.sqlite_lock import sqlite_write_lock
from sessions_app.models import Budget
from sessions_app.spending.ledger import lock_team, recalculate_sums, save_sums, sums_of


class Command(BaseCommand):
    help = "Compare the spent and reserved sums of all budgets with the model calls."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repair", action="store_true", help="correct wrong sums from the model calls")

    def handle(self, *_args: Any, repair: bool, **_options: Any) -> None:
        budgets = Budget.objects.order_by("team_id", "id")
        wrong = [budget.public_id for budget in budgets.iterator() if not self._check(budget, repair=repair)]
        if wrong and not repair:
            raise CommandError(f"The sums of {', '.join(wrong)} are wrong. Use --repair to correct them.")

    def _check(self, budget: Budget, *, repair: bool) -> bool:
        """Check the sums of one budget, and correct them if `repair` is set. Returns whether they were correct.

        The team is locked meanwhile, so that no call is reserved or settled.
        """
        with sqlite_write_lock(), transaction.atomic():
            lock_team(budget.team_id)
            row = Budget.objects.select_for_update(of=("self",)).get(pk=budget.pk)
            sums = sums_of(row)
            if (row.spent, row.reserved, row.unpriced_calls) == (sums.spent, sums.reserved, sums.unpriced_calls):
                self.stdout.write(f"{row.public_id}: {row.spent} spent and {row.reserved} reserved are correct")
                return True
            self.stdout.write(
                f"{row.public_id}: {row.spent} spent, {row.reserved} reserved; the calls add up to {sums.spent} and "
                f"{sums.reserved}"
            )
            if repair:
                recalculate_sums(row)
                save_sums([row])
            return False
