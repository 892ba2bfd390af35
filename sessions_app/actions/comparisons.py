"""Several attempts at one prompt, side by side: start them in workspaces of their own, and keep one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import BadInput, NotAllowed, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import can, require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.alternatives import StoredPrompt, mentions_in
from sessions_app.actions.forking import Fork, fork_session, send_in_fork
from sessions_app.actions.prompts import abort_turn
from sessions_app.actions.sessions import check_model
from sessions_app.actions.workspace_deletion import schedule_workspace_deletion
from sessions_app.events.log import session_write
from sessions_app.models import Comparison, Session
from tools_app.policies.current import current_policies

MIN_ATTEMPTS: Final = 2
MAX_ATTEMPTS: Final = 4


@dataclass(frozen=True, slots=True)
class AttemptsPrompt:
    """The input of all attempts of a comparison: the prompt, the ids of files uploaded to the session, and a command
    that tests the outcome."""

    text: str
    attachments: Sequence[str] = ()
    test_command: str = ""

    @property
    def full_text(self) -> str:
        """Return the text to send: the prompt and, if there is a test command, the request to run the command."""
        if not self.test_command:
            return self.text
        return f"{self.text}\n\nWhen you are done, run exactly this command, and make it pass:\n\n{self.test_command}"


def start_comparison(*, actor: User, session: Session, prompt: AttemptsPrompt, models: Sequence[str]) -> Comparison:
    """Fork the session once for each of the models ("" for the session's own) and send the prompt to every fork. All
    workspaces start from the same archive. Either all attempts start or none.

    Raises BadInput for a wrong number of attempts or an unknown model, Stale if the team has no room for the workspaces
    (`workspace_limit`), and the errors of `fork_session`.
    """
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    if not MIN_ATTEMPTS <= len(models) <= MAX_ATTEMPTS:
        raise BadInput(
            f"A comparison has {MIN_ATTEMPTS} to {MAX_ATTEMPTS} attempts.", fields={"models": "wrong number"}
        )
    for model in filter(None, models):
        check_model(session, model)
    sent = StoredPrompt(actor, prompt.full_text, mentions_in(session, prompt.text), prompt.attachments)
    with sqlite_write_lock(), transaction.atomic():
        row = Comparison.objects.create(
            session=session, prompt=prompt.text, test_command=prompt.test_command, created_by=actor
        )
        for number, model in enumerate(models, start=1):
            fork = _start_attempt(actor, row, number, model, sent)
            row.files_at = fork.files_at
        row.save(update_fields=["files_at"])
        _record(actor, row, "comparison.started", {"attempts": len(models)})
    return row


def _start_attempt(actor: User, row: Comparison, number: int, model: str, sent: StoredPrompt) -> Fork:
    title = f"{(row.session.title or row.prompt.strip())[:180]} (attempt {number})"
    fork = fork_session(actor=actor, session=row.session, title=title, may_be_empty=True)
    Session.objects.filter(pk=fork.session.pk).update(comparison=row)
    send_in_fork(actor, row.session, fork, sent, model=model)
    return fork


def keep_attempt(*, actor: User, comparison: Comparison, session_id: str) -> Comparison:
    """Keep the attempt whose session has this public id. The other attempts are stopped and archived.

    Their workspaces are deleted after the grace period and can be restored until then, except workspaces in which
    somebody has opened another session.

    Raises BadInput if the session is not an attempt of this comparison, Stale if another attempt was kept, NotAllowed
    for people who neither started the comparison nor manage sessions.
    """
    team_id = comparison.session.project.team_id
    require(actor, Act.PROMPT, team_id=team_id)
    if comparison.created_by_id != actor.pk and not can(actor, Act.MANAGE_SESSIONS, team_id=team_id):
        raise NotAllowed(
            "Only the person who started the attempts can keep one.", hint="Ask that person or an admin of the team."
        )
    attempt = Session.objects.visible_to(actor).by_public_id(session_id)
    if attempt.comparison_id != comparison.pk:
        raise BadInput("This session is not one of the attempts.", fields={"session_id": "not an attempt"})
    with sqlite_write_lock(), transaction.atomic():
        row = Comparison.objects.select_for_update().get(pk=comparison.pk)
        if row.kept_id not in (None, attempt.pk):
            raise Stale("Another attempt was kept already.", hint="Its workspace and those of the others are listed.")
        if row.kept_id is None:
            row.kept = attempt
            row.save(update_fields=["kept"])
            _record(actor, row, "comparison.kept", {"session_id": attempt.public_id})
    others = Session.objects.filter(comparison=row).exclude(pk=attempt.pk).select_related("project", "workspace")
    for other in others:
        _archive_attempt(actor, other)
    return row


def _archive_attempt(actor: User, attempt: Session) -> None:
    """Stop and archive the attempt, and schedule the deletion of its workspace unless other sessions use it."""
    abort_turn(actor=actor, session=attempt)
    with session_write(attempt.pk, related=("created_by",)) as write:
        if not write.session.archived:
            write.session.archived = True
            write.session_changed()
    workspace = attempt.workspace
    shared = Session.objects.filter(workspace=workspace, parent=None).exclude(pk=attempt.pk)
    if shared.exists():
        return
    policies = current_policies(team_id=attempt.project.team_id, project_id=attempt.project_id)
    until = timezone.now() + timedelta(days=policies.sandbox().keep_days)
    schedule_workspace_deletion(workspace, actor=actor, until=until)


def _record(actor: User, row: Comparison, action: str, data: dict[str, Any]) -> None:
    session = row.session
    audit.record(
        team_id=session.project.team_id, actor=actor, action=action, subject=row.public_id,
        data={"session_id": session.public_id, **data}, project_id=session.project_id, private_to=session.private_to,
    )  # fmt: skip
