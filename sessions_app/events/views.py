"""Convert database rows to the API schemas of `events.schema`. Makes no queries, except for relations that the caller
has not loaded."""

import uuid
from collections import Counter
from collections.abc import Iterable
from typing import Any

from agentsite.base.ids import to_public
from agentsite.tenancy.models import User
from sessions_app.events import schema
from sessions_app.models import (
    Attachment,
    FileApproval,
    Message,
    Part,
    PermissionRequest,
    PullRequest,
    Question,
    ReviewComment,
    Session,
    ToolCall,
    Turn,
    Workspace,
    WorkspaceNote,
)
from sessions_app.models.base import public_id_of


def person(user: User | None) -> schema.PersonView | None:
    if user is None:
        return None
    return schema.PersonView(id=to_public("usr", user.id), email=user.email, name=user.name)


def error(data: dict[str, str] | None) -> schema.ErrorView | None:
    return None if data is None else schema.ErrorView(**data)


def workspace(row: Workspace) -> schema.WorkspaceView:
    return schema.WorkspaceView(
        id=row.public_id,
        project_id=to_public("prj", row.project_id),
        name=row.name,
        state=row.state,
        detail=row.detail,
        runtime=row.runtime,
        remove_at=row.remove_at,
        created_at=row.created_at,
    )


def workspace_note(row: WorkspaceNote) -> schema.WorkspaceNoteView:
    return schema.WorkspaceNoteView(
        id=row.public_id,
        session_id=to_public("ses", row.session_id),
        workspace_id=to_public("wsp", row.workspace_id),
        kind=row.kind,
        text=row.text,
        call_id=row.call_id,
        data=row.data,
        created_at=row.created_at,
    )


def session(row: Session) -> schema.SessionView:
    return schema.SessionView(
        id=row.public_id,
        project_id=to_public("prj", row.project_id),
        workspace_id=to_public("wsp", row.workspace_id),
        parent_id=public_id_of("ses", row.parent_id),
        forked_from_id=public_id_of("ses", row.forked_from_id),
        title=row.title,
        summary=row.summary,
        agent=row.agent,
        model=row.model,
        effort=row.effort,
        folder=row.folder,
        status=row.status,
        last_seq=row.last_seq,
        cost=float(row.cost),
        unpriced_calls=row.unpriced_calls,
        tokens=schema.TokensView(**row.tokens),
        context_tokens=row.context_tokens,
        context_limit=row.context_limit,
        archived=row.archived,
        labels=row.label_list,
        revert=None if row.revert is None else schema.RevertSummaryView(**row.revert),
        shared_with=row.shared_with,
        created_by=person(row.created_by),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def turn(row: Turn) -> schema.TurnView:
    return schema.TurnView(
        id=row.public_id,
        session_id=to_public("ses", row.session_id),
        state=row.state,
        error=error(row.error),
        waits_for=row.waits_for,
        step_count=row.step_count,
        caller_id=public_id_of("call", row.caller_id),
        output=row.output,
        created_at=row.created_at,
        ended_at=row.ended_at,
    )


def alternatives(row: Turn) -> schema.AlternativesView:
    return schema.AlternativesView(
        id=row.public_id, turn_ids=row.alternatives, hidden_with_id=public_id_of("trn", row.hidden_with_id)
    )


def message(row: Message) -> schema.MessageView:
    return schema.MessageView(
        id=row.public_id,
        session_id=to_public("ses", row.session_id),
        turn_id=to_public("trn", row.turn_id),
        role=row.role,
        author=None if row.author_id is None else person(row.author),
        agent=row.agent,
        model=row.model,
        effort=row.effort,
        state=row.state,
        finish=row.finish,
        error=error(row.error),
        tokens=schema.TokensView(**row.tokens),
        cost=float(row.cost),
        unpriced_calls=row.unpriced_calls,
        created_at=row.created_at,
        completed_at=row.completed_at,
        reverted=row.reverted_by_id is not None,
    )


def attachment(row: Attachment) -> schema.AttachmentView:
    return schema.AttachmentView(
        id=row.public_id,
        name=row.name,
        media_type=row.media_type,
        size=row.size,
        width=row.width,
        height=row.height,
    )


def part(row: Part) -> schema.PartView:
    call_id = row.data.get("call_id")
    return schema.PartView(
        id=row.public_id,
        message_id=to_public("msg", row.message_id),
        index=row.index,
        type=row.type,
        text=row.text,
        call_id=call_id,
        data={key: value for key, value in row.data.items() if key != "call_id"},
    )


def call(row: ToolCall) -> schema.ToolCallView:
    return schema.ToolCallView(
        id=row.public_id,
        message_id=to_public("msg", row.message_id),
        turn_id=to_public("trn", row.turn_id),
        part_id=public_id_of("prt", row.part_id),
        outer_id=public_id_of("call", row.outer_id),
        tool=row.tool,
        arguments=row.arguments,
        raw_arguments=row.raw_arguments,
        title=row.title,
        state=row.state,
        waits_for=row.waits_for,
        output=row.output,
        live_output=row.live_output,
        metadata=row.metadata,
        attachments=[schema.AttachmentView(**attached) for attached in row.attachments if "id" in attached],
        pruned=row.pruned,
        decision=None if row.decision is None else schema.DecisionView(**row.decision),
        created_at=row.created_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
    )


def pruned(call_ids: Iterable[uuid.UUID]) -> schema.PrunedView:
    return schema.PrunedView(call_ids=[to_public("call", call_id) for call_id in call_ids])


def removed(message_ids: Iterable[uuid.UUID], part_ids: Iterable[uuid.UUID]) -> schema.RemovedView:
    return schema.RemovedView(
        message_ids=[to_public("msg", message_id) for message_id in message_ids],
        part_ids=[to_public("prt", part_id) for part_id in part_ids],
    )


def messages_reverted(message_ids: Iterable[uuid.UUID], *, reverted: bool) -> schema.MessagesRevertedView:
    ids = [to_public("msg", message_id) for message_id in message_ids]
    return schema.MessagesRevertedView(message_ids=ids, reverted=reverted)


def permission_request(row: PermissionRequest, *, tool: str) -> schema.PermissionRequestView:
    can_grant = any(need["always"] for need in row.needs)
    return schema.PermissionRequestView(
        id=row.public_id,
        session_id=to_public("ses", row.session_id),
        turn_id=to_public("trn", row.turn_id),
        call_id=to_public("call", row.call_id),
        tool=tool,
        title=row.title,
        needs=[schema.NeedView(**need) for need in row.needs],
        reasons=[schema.DecisionView(**reason) for reason in row.reasons],
        scopes=row.scopes if can_grant else [],
        state=row.state,
        scope=row.scope,
        message=row.message,
        approvers=row.approvers,
        approvals=[
            schema.ApprovalView(person=given["person"], reply=given["reply"], at=given["at"]) for given in row.approvals
        ],
        started_by_id=public_id_of("usr", row.started_by_id),
        answered_by=person(row.answered_by),
        created_at=row.created_at,
        expires_at=row.expires_at,
        settled_at=row.settled_at,
    )


def question(row: Question) -> schema.QuestionView:
    return schema.QuestionView(
        id=row.public_id,
        session_id=to_public("ses", row.session_id),
        turn_id=to_public("trn", row.turn_id),
        call_id=public_id_of("call", row.call_id) or "",
        questions=[schema.AskedQuestionView(**asked) for asked in row.questions],
        server=row.form and _asking_server(row.form),
        state=row.state,
        answers=row.answers,
        created_at=row.created_at,
        expires_at=row.expires_at,
        settled_at=row.settled_at,
    )


def _asking_server(form: dict[str, Any]) -> schema.AskingServerView:
    return schema.AskingServerView(name=form["server"], message=form["message"], url=form["url"])


def todos(items: list[dict[str, Any]]) -> schema.TodosView:
    return schema.TodosView(todos=[schema.TodoView(**item) for item in items])


def pull_request(row: PullRequest) -> schema.PullRequestSummaryView:
    states = Counter(check["state"] for check in row.checks)
    return schema.PullRequestSummaryView(
        repository=row.repository,
        number=row.number,
        url=row.url,
        title=row.title,
        draft=row.draft,
        state=row.state,
        branch=row.branch,
        base=row.base,
        commit=row.commit,
        checks_passed=states["success"],
        checks_failed=states["failure"],
        checks_pending=states["pending"],
        comments=len(row.comments),
    )


def review_comment(
    row: ReviewComment, *, answer_id: uuid.UUID | None = None, deleted: bool = False
) -> schema.ReviewCommentView:
    """Convert a review comment to its API schema. Reads `author`, `settled_by` and `turn`. `answer_id` is the last
    message of a completed turn."""
    return schema.ReviewCommentView(
        id=row.public_id,
        session_id=to_public("ses", row.session_id),
        author=person(row.author),
        path=row.path,
        side=row.side,
        first_line=row.first_line,
        last_line=row.last_line,
        quote=row.quote,
        text=row.text,
        version=row.version,
        state="deleted" if deleted else _state_of_comment(row),
        turn_id=public_id_of("trn", row.turn_id),
        message_id=public_id_of("msg", row.message_id),
        answer_id=public_id_of("msg", answer_id),
        settled_by=person(row.settled_by),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _state_of_comment(row: ReviewComment) -> Any:
    if row.state != ReviewComment.State.SENT or row.turn is None or row.turn.state in Turn.OPEN:
        return row.state
    return "done" if row.turn.state == Turn.State.COMPLETED else "open"


def file_approval(row: FileApproval, *, withdrawn: bool = False) -> schema.FileApprovalView:
    return schema.FileApprovalView(
        session_id=to_public("ses", row.session_id),
        person=schema.PersonView(id=to_public("usr", row.person_id), email=row.person.email, name=row.person.name),
        path=row.path,
        version=row.version,
        approved_at=row.approved_at,
        withdrawn=withdrawn,
    )
