"""The texts of e-mails and push notices. They name the session and its project, and contain nothing of its
conversation."""

from collections.abc import Collection, Sequence
from typing import Final

from django.conf import settings

from sessions_app.actions.notice_items import Notice, address_of, place_of
from sessions_app.actions.reminder_batches import Item
from sessions_app.models import Question
from sessions_app.push.outbox import Message

MAX_LINES: Final = 20
INBOX: Final = "inbox"
NEWS: Final = "news"
HOME: Final = ""


def waiting_notice(item: Item) -> Notice:
    """Return the notice of a permission request or question that waits for an answer."""
    asks = "has a question" if isinstance(item, Question) else "asks for permission"
    address = address_of(item.session, f"#{item.public_id}")
    return Notice(item.public_id, f"An agent {asks} in {place_of(item.session)}.", address)


def mail_subject(due: Sequence[Notice], waiting: Collection[str]) -> str:
    """Return the subject of an e-mail about these notices. `waiting` are the keys of items that wait for an answer."""
    open_ones = sum(each.key in waiting for each in due)
    if open_ones < len(due):
        others = f"{len(due)} things happened in your sessions" if len(due) > 1 else due[0].text
        verb = "waits" if open_ones == 1 else "wait"
        return f"{others}, {open_ones} of them {verb} for your answer" if open_ones else others
    return (
        "An agent is waiting for your answer" if open_ones == 1 else f"{open_ones} requests are waiting for your answer"
    )


def mail_text(due: Sequence[Notice]) -> str:
    lines = [f"{each.text}\n{each.address}\n" for each in due[:MAX_LINES]]
    if len(due) > MAX_LINES:
        lines.append(f"And {len(due) - MAX_LINES} more: {settings.SITE_URL}/\n")
    chosen = f"Change which e-mails you get: {settings.SITE_URL}/account/notifications\n"
    return "\n".join([*lines, chosen])


def push_message(due: Sequence[Notice], waiting: Collection[str]) -> Message:
    """Return one push notice for all of these notices. If there are several, it opens the inbox when one of the notices
    waits for an answer, and otherwise Home, which lists the sessions that are ready for review."""
    is_urgent = any(each.key in waiting for each in due)
    if len(due) > 1:
        tag, path = (INBOX, INBOX) if is_urgent else (NEWS, HOME)
        return Message(tag, mail_subject(due, waiting), due[-1].text, path, is_urgent)
    (only,) = due
    title = mail_subject(due, waiting) if is_urgent else "News from your session"
    return Message(only.key, title, only.text, only.address.removeprefix(f"{settings.SITE_URL}/"), is_urgent)
