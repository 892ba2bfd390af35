"""Take back the changes of agents in the workspace and hide messages, or undo such a revert.

A revert is first stored as a pending row. The sandbox worker asks the runner to make either all of the revert's file
changes or none, and then hides or shows messages in one transaction. Each step can be repeated, so whenever a process
is killed, the session and the files are in the state before or after the revert. The next prompt makes a revert final.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Stale
from agentsite.base.ids import from_public, to_public
from agentsite.tenancy.access import require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.answers import chosen_instead, require_idle
from sessions_app.actions.workspaces import require_usable
from sessions_app.agent.patches import chains_through, not_covered, shared_paths
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Message, Revert, Session, Turn
from sessions_app.queries.answer_files import turns_of_answer
from sessions_app.queries.patches import patches_of_turn, patches_since
from sessions_app.queueing import enqueue_revert

MAX_FILES: Final = 5_000  # of one revert
SHARED: Final = "a command of another session ran at the same time, and may have changed this file"


@dataclass(frozen=True, slots=True)
class RevertScope:
    """The scope of a revert: everything from `message` on, which is then hidden; the files of one `turn`; or the files
    of another `answer` to a prompt, which is then chosen.

    `paths` limits it to some files; `hunks` to some hunks (numbered from 0) of a single file. `decisions` are a
    person's decisions about conflicts: {path: {decision, seen}}, where `seen` is the state of the file that the person
    saw.
    """

    message: Message | None = None
    turn: Turn | None = None
    answer: Turn | None = None
    paths: Sequence[str] = ()
    hunks: Sequence[int] | None = None
    decisions: Mapping[str, Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class RevertPlan:
    """The file changes of a revert. `wanted` are the files that the sandbox reverts, as `WantedRevert` in JSON form.

    `shared` are the files that another session may have changed and that still need a person's decision; they are not
    in `wanted`. `not_covered` are sentences about changes that cannot be reverted.
    """

    wanted: list[dict[str, Any]]
    shared: list[str]
    not_covered: list[str]


def plan_revert(actor: User, session: Session, scope: RevertScope) -> RevertPlan:
    """Return the plan of a revert: the file changes to make, the files that need a person's decision, and the changes
    that cannot be reverted. Raises BadInput if the scope is not valid."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    _check(scope)
    patches, brought = _patches(session, scope)
    chains, decisions = chains_through(patches, brought), scope.decisions or {}
    if unknown := [path for path in scope.paths if path not in chains]:
        raise BadInput(f"The turn did not change {unknown[0][:200]}.", fields={"paths": "not changed"})
    chosen = {path: chains[path] for path in (scope.paths or sorted(chains))}
    if len(chosen) > MAX_FILES:
        raise BadInput(f"At most {MAX_FILES:,} files can be taken back at once.", fields={"paths": "too many"})
    uncertain = shared_paths([*patches, *brought])
    wanted = [
        _wanted(path, chain, scope.hunks, decisions.get(path, {}))
        for path, chain in chosen.items()
        if path not in uncertain or decisions.get(path, {}).get("decision") == "take_back"
    ]
    shared = [path for path in chosen if path in uncertain and path not in decisions]
    return RevertPlan(wanted, shared, not_covered([*patches, *brought]))


def _patches(session: Session, scope: RevertScope) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    """Return two lists: the patches that a revert takes back, and the patches that the revert applies again
    afterwards."""
    if scope.answer is not None:
        chosen_instead(session, scope.answer)
        return turns_of_answer(session, scope.answer).patches()
    return patches_of_turn(scope.turn) if scope.turn else patches_since(session, scope.message), []


def _check(scope: RevertScope) -> None:
    if sum(each is not None for each in (scope.message, scope.turn, scope.answer)) != 1:
        one = dict.fromkeys(("message_id", "turn_id", "answer_id"), "one of them")
        raise BadInput("Name either a message, a turn or an answer.", fields=one)
    if scope.turn is None and (scope.paths or scope.hunks is not None):
        raise BadInput("Single files and hunks can only be taken back from a turn.", fields={"paths": "need 'turn_id'"})
    if scope.hunks is not None and len(scope.paths) != 1:
        raise BadInput("Hunks can be chosen in exactly one path.", fields={"hunks": "need one path"})
    if scope.message is not None and scope.message.reverted_by_id is not None:
        raise Stale("This message is hidden already.", code=ErrorCode.NOTHING_TO_REVERT)


def _wanted(
    path: str, chain: Sequence[Any], hunks: Sequence[int] | None, decision: Mapping[str, Any]
) -> dict[str, Any]:
    decided = {"decision": decision.get("decision", ""), "seen": decision.get("seen")}
    return {"path": path, "chain": chain, "hunks": None if hunks is None else list(hunks), **decided}


def request_revert(*, actor: User, session: Session, scope: RevertScope) -> Revert:
    """Store a revert; the workspace's node applies it. Raises Stale if the session is not idle, or if a file needs a
    decision first."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    with session_write(session.pk, related=("workspace", "project")) as write:
        require_revertible(write)
        if scope.answer is not None:
            require_idle(write)
        plan = plan_revert(actor, write.session, scope)
        require_decided(plan)
        if not plan.wanted and scope.turn is not None:
            raise Stale("There is nothing to take back.", code=ErrorCode.NOTHING_TO_REVERT)
        row = Revert(
            session=write.session, message=scope.message, turn=scope.turn, answer=scope.answer, actor=actor,
            wanted=plan.wanted, not_covered=plan.not_covered, previous_id=_in_force(write.session),
        )  # fmt: skip
        return store_revert(write, row)


def require_decided(plan: RevertPlan) -> None:
    """Raise Stale if another session may have changed a file of the plan, and no decision about this file was made."""
    if plan.shared:
        raise Stale(
            f"Nobody can tell who changed {plan.shared[0][:200]}. Decide whether to take it back.",
            code=ErrorCode.REVERT_CONFLICT,
        )


def request_unrevert(
    *, actor: User, session: Session, revert_id: str, decisions: Mapping[str, Mapping[str, Any]] | None = None
) -> Revert:
    """Store a new revert that undoes a revert in force. Raises Stale if the revert is not in force, or the session is
    not idle."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    with session_write(session.pk, related=("workspace", "project")) as write:
        require_revertible(write)
        undone = revert_to_undo(actor, write.session, revert_id)
        row = Revert(session=write.session, undoes=undone, actor=actor, wanted=plan_unrevert(undone, decisions or {}))
        return store_revert(write, row)


def revert_to_undo(actor: User, session: Session, revert_id: str) -> Revert:
    """Return the revert with this id. Raises Stale if the revert is not in force, Missing if there is no such
    revert."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    found = Revert.objects.visible_to(actor).filter(session=session).by_public_id(revert_id)
    if found.pk != _in_force(session):
        raise Stale("There is nothing to redo. A prompt makes a revert final.", code=ErrorCode.NOTHING_TO_REVERT)
    return found


def plan_unrevert(undone: Revert, decisions: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the files that the revert `undone` changed, as a list like `RevertPlan.wanted` that restores them."""
    return [
        _wanted(file["path"], [(file["before"], file["after"])], None, decisions.get(file["path"], {}))
        for file in undone.files
        if file["before"] != file["after"]
    ]


def require_revertible(write: SessionWrite) -> None:
    """Raise Stale or BadInput unless changes can be reverted in the session now."""
    session = write.session
    if session.parent_id is not None:
        raise BadInput(
            "What a sub-agent changed is taken back in the session that started it.", hint="Open that session."
        )
    if session.archived:
        raise Stale("This session is archived.", hint="Unarchive the session first.")
    require_usable(session.workspace)
    if Turn.objects.filter(session=session, state__in=Turn.OPEN).exists():
        raise Stale("The agent is working. Wait until the turn has ended, or stop it.", code=ErrorCode.REVERT_BUSY)
    require_no_pending(session)


def require_no_pending(session: Session) -> None:
    """Raise Stale while a revert is being applied."""
    if session.revert is not None and session.revert["state"] == Revert.State.PENDING:
        raise Stale("Changes are being taken back. Wait a moment.", code=ErrorCode.REVERT_BUSY)


def _in_force(session: Session) -> uuid.UUID | None:
    if session.revert is None or session.revert["state"] != Revert.State.APPLIED:
        return None
    return from_public(Revert.PREFIX, session.revert["id"])


def store_revert(write: SessionWrite, row: Revert) -> Revert:
    """Store a pending revert, inside the session's transaction, and let the workspace's node apply it."""
    row.save(force_insert=True)
    show_revert(write, row)
    write.after_commit(partial(enqueue_revert, row.pk, node=write.session.workspace.node))
    return row


def show_revert(write: SessionWrite, row: Revert | None) -> None:
    """Set the revert that the session shows, or none if `row` is None, and emit the change of the session."""
    write.session.revert = None if row is None else summary_of(row)
    write.session_changed()


def summary_of(row: Revert) -> dict[str, Any]:
    """Return the data of a `RevertSummaryView`."""
    hidden = Message.objects.filter(reverted_by=row).count() if row.state == Revert.State.APPLIED else 0
    return {
        "id": row.public_id,
        "state": row.state,
        "message_id": None if row.message_id is None else to_public("msg", row.message_id),
        "turn_id": None if row.turn_id is None else to_public("trn", row.turn_id),
        "hidden": hidden,
        "files": sum(file["before"] != file["after"] for file in row.files),
        "undoing": row.undoes_id is not None,
        "error": row.error,
        "by": "" if row.actor is None else row.actor.name,
    }


def settle_revert(write: SessionWrite) -> None:
    """Make the current revert of a session final: it can no longer be undone, because the session continues. Raises
    Stale while a revert is being applied."""
    require_no_pending(write.session)
    show_revert(write, None)


def wake_reverts(workspace_id: uuid.UUID | None = None) -> int:
    """Enqueue at most 100 pending reverts again: of one workspace that has become ready, or of all workspaces because
    tasks may be lost. Return the number of reverts."""
    rows = Revert.objects.filter(state=Revert.State.PENDING, session__workspace__seeded=True)
    if workspace_id is not None:
        rows = rows.filter(session__workspace=workspace_id)
    found = rows.values_list("pk", "session__workspace__node")[:100]
    for revert_id, node in found:
        enqueue_revert(revert_id, node=node)
    return len(found)
