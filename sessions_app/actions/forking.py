"""Fork a session: continue a copy of the conversation up to a message in a new session."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db import transaction

from agentsite.base.errors import BadInput, NotAllowed, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.projects import require_usable_project
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.conversation_copy import copy_conversation, whole_messages
from sessions_app.actions.workspaces import create_workspace, require_usable
from sessions_app.audience import require_seen
from sessions_app.events import views
from sessions_app.events.log import session_write
from sessions_app.models import Message, Session, SharedWith, Workspace
from sessions_app.queueing import enqueue_workspace
from sessions_app.search.indexing import save_texts, texts_of

Files = Literal["copied", "fresh", "shared"]


@dataclass(frozen=True, slots=True)
class Fork:
    """A new session. `files` says what its workspace contains: the files of the original's last archive (made at
    `files_at`), the project's initial files if there is no archive, or the same workspace."""

    session: Session
    files: Files
    files_at: datetime | None = None


def fork_session(
    *, actor: User, session: Session, message: Message | None = None, title: str = "", same_workspace: bool = False
) -> Fork:
    """Create a session of the same project with the conversation up to and including `message`, or up to the last
    complete message. Grants of the original are not copied.

    Raises Stale if there is nothing to fork or the message is not finished, BadInput for a sub-agent's session,
    NotAllowed for somebody else's private session.
    """
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    require_usable_project(session.project)
    _check(actor, session)
    if same_workspace:
        require_usable(session.workspace)
    with sqlite_write_lock(), transaction.atomic():
        workspace = session.workspace if same_workspace else _copy_workspace(actor, session.workspace)
        with session_write(session.pk, related=("project",)) as write:
            require_seen(actor, write.session)
            _check(actor, write.session)  # it may have become private since it was loaded
            messages = _up_to(whole_messages(write.session), message)
            row = _new_session(actor, write.session, workspace, title, whole=message is None)
            copy_conversation(messages, row, now=write.now)
        _emit_forked(row)
        transaction.on_commit(lambda: enqueue_workspace(workspace.pk, node=workspace.node))
    if same_workspace:
        return Fork(row, "shared")
    return Fork(row, "copied" if workspace.archive else "fresh", workspace.archived_at)


def _check(actor: User, session: Session) -> None:
    if session.parent_id is not None:
        raise BadInput("The session of a sub-agent cannot be forked.", hint="Fork the session that started it instead.")
    if session.shared_with == SharedWith.PRIVATE and session.created_by_id != actor.pk:
        raise NotAllowed(
            "Only the person who started this private session can fork it.", hint="Ask that person to fork or share it."
        )


def _up_to(messages: list[Message], last: Message | None) -> list[Message]:
    if last is not None and last.pk not in {message.pk for message in messages}:
        raise Stale(
            "This message is not finished yet.", hint="Fork at an earlier message, or wait until the turn has ended."
        )
    chosen = [message for message in messages if last is None or message.pk <= last.pk]
    if not chosen:
        raise Stale("This session has no messages to fork yet.", hint="Send a message first.")
    return chosen


def _copy_workspace(actor: User, source: Workspace) -> Workspace:
    """Create a workspace that gets the files of the source's last archive before anything runs in it."""
    row = create_workspace(actor=actor, project=source.project, name=f"{source.name[:90]} (fork)")
    source.refresh_from_db(fields=["archive", "archive_size", "archived_at"])
    if source.archive:
        row.archive, row.archive_size, row.archived_at = source.archive, source.archive_size, source.archived_at
        row.save(update_fields=["archive", "archive_size", "archived_at"])
    return row


def _new_session(actor: User, source: Session, workspace: Workspace, title: str, *, whole: bool) -> Session:
    return Session.objects.create(
        project=source.project, workspace=workspace, forked_from=source, created_by=actor, agent=source.agent,
        model=source.model, rules=source.rules, shared_with=source.shared_with, todos=source.todos if whole else [],
        title=title.strip()[:200] or (source.title and f"{source.title[:193]} (fork)"),
        last_seq=1,  # copied rows have no events: clients that read from the start get a snapshot
    )  # fmt: skip


def _emit_forked(row: Session) -> None:
    save_texts(texts_of(row))
    with session_write(row.pk, related=("created_by",)) as write:
        write.emit("session.created", views.session(write.session).model_copy(update={"last_seq": 2}))
    row.last_seq = write.session.last_seq
