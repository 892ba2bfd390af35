"""Notify people when a budget is nearly or fully used: once for each threshold and period, in the interface, by e-mail,
as push notice and by webhook."""

import uuid
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agentsite.base.ids import to_public
from agentsite.tenancy.mail import send_mail_after, send_mail_later
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.roles import PERMITTED, Act
from sessions_app.events.publish import notices_group, publisher
from sessions_app.models import Budget, MailChoice
from sessions_app.push.outbox import Message, push
from sessions_app.queries.quiet_hours import end_of_quiet_hours
from sessions_app.spending.texts import dollars, name_of, period_words
from sessions_app.webhooks import event_types
from sessions_app.webhooks.outbox import queue_webhook_deliveries


def notify_share(budget: Budget, share: int) -> None:
    """Notify the people who can raise a budget, and the person whose budget it is, that `share` per cent of it are
    used. Also queues webhook deliveries. Runs in the current transaction."""
    whose = name_of(budget)
    if share >= 100:
        summary = f"The budget of {whose} is used up: {dollars(budget.limit)} {period_words(budget.period)}."
    else:
        summary = (
            f"{share} % of the budget of {whose} is used: {dollars(budget.spent)} of {dollars(budget.limit)} "
            f"{period_words(budget.period)}."
        )
    address = f"{settings.SITE_URL}{_page(budget)}"
    data = {"id": budget.public_id, "team_id": to_public("tea", budget.team_id), "share": share, "message": summary}
    _queue_webhooks(event_types.BUDGET_USED_UP if share >= 100 else event_types.BUDGET_NEARLY_USED, budget, share)
    people = _recipients(budget)
    choices = MailChoice.objects.in_bulk([user.pk for user in people])
    for user in people:
        choice = choices.get(user.pk) or MailChoice()
        quiet_until = end_of_quiet_hours(choice, timezone.now())
        if "budget" in choice.push_news:
            message = Message(
                f"{budget.public_id}:{share}", "News of a budget", summary, _page(budget).removeprefix("/")
            )
            push(user.pk, message, due_at=quiet_until)
        if "budget" in choice.news:
            text = f"{summary}\n\n{_meaning(budget, share)}\n\n{address}\n"
            send = send_mail_later if quiet_until is None else partial(send_mail_after, quiet_until)
            send(to=user.email, subject=summary, text=text)
        transaction.on_commit(partial(_publish, user.pk, data))


def publish_raised_limit(budget: Budget) -> None:
    """Queue the webhook deliveries about a raised limit of a budget. No other notice is sent."""
    _queue_webhooks(event_types.BUDGET_RAISED, budget, budget.noticed)


def publish_budget_change(team_id: uuid.UUID, budget_id: str) -> None:
    """Publish that a budget has changed, so that open pages reload the budgets."""
    data = {"id": budget_id, "team_id": to_public("tea", team_id), "share": 0, "message": ""}
    for user_id in Membership.objects.filter(team_id=team_id).values_list("user_id", flat=True):
        transaction.on_commit(partial(_publish, user_id, data))


def _queue_webhooks(kind: str, budget: Budget, share: int) -> None:
    """Queue webhook deliveries about a budget, except for budgets of private sessions. The deliveries contain no
    amounts, because receivers may show them to anybody."""
    if budget.session is not None and budget.session.is_private:
        return
    facts = {"scope": budget.scope, "target": budget.target, "period": budget.period, "hard": budget.hard}
    queue_webhook_deliveries(
        kind,
        team_id=budget.team_id,
        project_id=budget.project_id if budget.session is None else budget.session.project_id,
        data={"budget_id": budget.public_id, **facts, "share": share},
        path=_page(budget),
    )


def _page(budget: Budget) -> str:
    return f"/teams/{to_public('tea', budget.team_id)}/budgets"


def _meaning(budget: Budget, share: int) -> str:
    if not budget.hard:
        return "This budget only notifies; nothing is stopped."
    if share >= 100:
        return "Agents that need it wait until the budget is raised or its next period begins. Nothing is lost."
    return "When it is used up, agents that need it wait until the budget is raised or its next period begins."


def _recipients(budget: Budget) -> list[User]:
    """Return the people to notify about a budget: those who can raise it, and the person whose budget it is."""
    rules = Q(memberships__team=budget.team_id, memberships__role__in=PERMITTED[Act.MANAGE_BUDGETS])
    owner = budget.person_id if budget.session is None else budget.session.created_by_id
    mine = Q(pk=owner, memberships__team=budget.team_id)
    return list(User.objects.filter(rules | mine, is_active=True).distinct())


def _publish(user_id: uuid.UUID, data: dict[str, Any]) -> None:
    publisher.send(
        notices_group(user_id),
        {"type": "project.notices", "session_id": "", "items": [{"kind": "budget.updated", "data": data}]},
    )
