"""Fork a session: continue a copy of the conversation up to a message in a new session."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from django.db import transaction

from agentsite.base.errors import BadInput, NotAllowed, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.projects import require_usable_project
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.alternatives import StoredPrompt, mentions_in, stored_prompt
from sessions_app.actions.attachments import take_attachments
from sessions_app.actions.conversation_copy import copy_conversation, copy_files, whole_messages
from sessions_app.actions.fork_files import next_message, revert_in_fork
from sessions_app.actions.opening import add_opening, reading_calls
from sessions_app.actions.prompts import add_message, start_turn
from sessions_app.actions.workspaces import create_workspace, require_usable
from sessions_app.audience import require_seen
from sessions_app.events import views
from sessions_app.events.log import session_write
from sessions_app.models import Message, Revert, Session, SharedWith, Turn, Workspace
from sessions_app.queueing import enqueue_workspace
from sessions_app.search.indexing import save_texts, texts_of

Files = Literal["copied", "fresh", "shared"]


@dataclass(frozen=True, slots=True)
class Fork:
    """A new session that continues another one.

    `files` is the source of the new workspace's files: the original session's last archive (made at `files_at`), the
    project's initial files if there is no archive, or the original's workspace, which both sessions share. `revert`
    undoes the changes after the message where the fork begins.
    """

    session: Session
    files: Files
    files_at: datetime | None = None
    revert: Revert | None = None

    @property
    def revert_id(self) -> str | None:
        """Return the public id of `revert`, or None."""
        return None if self.revert is None else self.revert.public_id


def fork_session(
    *,
    actor: User,
    session: Session,
    message: Message | None = None,
    before: bool = False,
    may_be_empty: bool = False,
    title: str = "",
    same_workspace: bool = False,
    files_then: bool = False,
) -> Fork:
    """Create a session of the same project with the conversation up to and including `message`, or up to the last
    complete message. With `before`, the message itself is left out. With `may_be_empty`, a session without messages can
    be forked too. With `files_then`, changes of files after `message` are taken back in the fork's workspace. Grants of
    the original are not copied.

    Raises Stale if there is nothing to fork or the message is not finished, BadInput for a sub-agent's session,
    NotAllowed for somebody else's private session.
    """
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    require_usable_project(session.project)
    _check(actor, session)
    if same_workspace:
        _require_newest(files_then=files_then)
        require_usable(session.workspace)
    with sqlite_write_lock(), transaction.atomic():
        workspace = session.workspace if same_workspace else _copy_workspace(actor, session.workspace)
        with session_write(session.pk, related=("project",)) as write:
            require_seen(actor, write.session)
            _check(actor, write.session)  # it may have become private since it was loaded
            messages = _up_to(whole_messages(write.session), message, before=before)
            if not messages and not may_be_empty:
                raise Stale("This session has no messages to fork yet.", hint="Send a message first.")
            row = _new_session(actor, write.session, workspace, title, whole=message is None)
            copy_conversation(messages, row, now=write.now)
        _emit_forked(row)
        transaction.on_commit(lambda: enqueue_workspace(workspace.pk, node=workspace.node))
        if same_workspace:
            return Fork(row, "shared")
        fork = Fork(row, "copied" if workspace.archive else "fresh", workspace.archived_at)
        return _with_files_of(fork, actor, session, message) if files_then and not before else fork


def _require_newest(*, files_then: bool) -> None:
    if files_then:
        raise BadInput(
            "In the same workspace, the files stay as they are.",
            fields={"files": "need a workspace of its own"},
            hint="Fork with separate files to get those of the message.",
        )


def _with_files_of(fork: Fork, actor: User, source: Session, message: Message | None) -> Fork:
    """Store a revert of the changes after the message, for a fork that has its own copy of the files.

    Returns the fork with this revert; the fork unchanged if there is nothing to revert.
    """
    if message is None or fork.files != "copied":
        return fork
    revert = revert_in_fork(actor=actor, source=source, fork=fork.session, first=next_message(message))
    return replace(fork, revert=revert)


def _check(actor: User, session: Session) -> None:
    if session.parent_id is not None:
        raise BadInput("The session of a sub-agent cannot be forked.", hint="Fork the session that started it instead.")
    if session.shared_with == SharedWith.PRIVATE and session.created_by_id != actor.pk:
        raise NotAllowed(
            "Only the person who started this private session can fork it.", hint="Ask that person to fork or share it."
        )


def fork_edited(
    *, actor: User, message: Message, text: str, same_workspace: bool = False, files_then: bool = False
) -> tuple[Fork, Turn]:
    """Fork the session before a prompt, and send the prompt to the fork with another text and the same attachments.
    With `files_then`, the turn waits until the changes since the prompt are reverted. Raises the errors of
    `fork_session`."""
    require(actor, Act.PROMPT, team_id=message.session.project.team_id)
    if message.role != Message.Role.USER:
        raise BadInput("Only a prompt can be edited.", hint="Choose a message that a person wrote.")
    called = mentions_in(message.session, text)
    with sqlite_write_lock(), transaction.atomic():
        fork = fork_session(
            actor=actor, session=message.session, message=message, before=True, may_be_empty=True,
            same_workspace=same_workspace, files_then=files_then,
        )  # fmt: skip
        sent = stored_prompt(message).edited(actor, text, called)
        turn = send_in_fork(actor, message.session, fork, sent)
        if files_then and fork.files == "copied":
            revert = revert_in_fork(actor=actor, source=message.session, fork=fork.session, first=message)
            fork = replace(fork, revert=revert)
        return fork, turn


def send_in_fork(actor: User, source: Session, fork: Fork, prompt: StoredPrompt, *, model: str = "") -> Turn:
    """Send a prompt to the idle session of a fork, with copies of the prompt's attached files from the session
    `source`. If `model` is given, the session uses it from now on."""
    files = copy_files(prompt.files, source, fork.session)
    with session_write(fork.session.pk, related=("workspace", "created_by")) as write:
        if model:
            write.session.model = model
        turn = start_turn(write, Turn(started_by=actor, payer=actor))
        message = add_message(
            write, turn, author=actor, text=prompt.text, called=prompt.called, files=take_attachments(write, files),
            paths=prompt.paths,
        )  # fmt: skip
        if prompt.paths:
            add_opening(turn, reading_calls(prompt.paths, person=actor.public_id), of=message)
        write.session_changed()
    return turn


def _up_to(messages: list[Message], last: Message | None, *, before: bool) -> list[Message]:
    if last is not None and last.turn.hidden_with_id is not None:
        raise Stale("Another answer is chosen instead of this one.", hint="Choose this answer first, then fork.")
    if last is not None and last.pk not in {message.pk for message in messages}:
        raise Stale(
            "This message is not finished yet.", hint="Fork at an earlier message, or wait until the turn has ended."
        )
    chosen = [message for message in messages if last is None or message.pk <= last.pk]
    return [message for message in chosen if last is None or message.pk != last.pk] if before else chosen


def _copy_workspace(actor: User, source: Workspace) -> Workspace:
    """Create the workspace of a fork. It gets the files of the last archive of `source` before anything runs in it."""
    row = create_workspace(actor=actor, project=source.project, name=f"{source.name[:90]} (fork)", ref=source.ref)
    source.refresh_from_db(fields=["archive", "archive_size", "archived_at"])
    if source.archive:
        row.archive, row.archive_size, row.archived_at = source.archive, source.archive_size, source.archived_at
        row.save(update_fields=["archive", "archive_size", "archived_at"])
    return row


def _new_session(actor: User, source: Session, workspace: Workspace, title: str, *, whole: bool) -> Session:
    return Session.objects.create(
        project=source.project, workspace=workspace, forked_from=source, created_by=actor, agent=source.agent,
        model=source.model, effort=source.effort, rules=source.rules, shared_with=source.shared_with,
        todos=source.todos if whole else [],
        found_tools=source.found_tools, configuration=source.configuration, folder=source.folder,
        title=title.strip()[:200] or (source.title and f"{source.title[:193]} (fork)"),
        last_seq=1,  # copied rows have no events: clients that read from the start get a snapshot
    )  # fmt: skip


def _emit_forked(row: Session) -> None:
    save_texts(texts_of(row))
    with session_write(row.pk, related=("created_by",)) as write:
        write.emit("session.created", views.session(write.session).model_copy(update={"last_seq": 2}))
    row.last_seq = write.session.last_seq
