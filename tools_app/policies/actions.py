"""Changes of policies: save and roll back. Both create a new version; existing versions never change."""

import uuid
from typing import Final

from django.db import IntegrityError, transaction

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, Stale
from agentsite.base.ids import new_id
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.models import User
from agentsite.tenancy.rights_changes import announce_rights_change
from tools_app.models import PolicyVersion
from tools_app.policies.current import Policies, current_policies
from tools_app.policies.documents import PolicyDocument, stored
from tools_app.policies.expectations import check_expectations
from tools_app.policies.scopes import PolicyScope, policy_group, require_edit
from tools_app.policies.text import diff_of

MAX_REASON_CHARS: Final = 500
MAX_AUDITED_DIFF_CHARS: Final = 20_000  # in the audit log; both versions are stored completely


def save_policy(
    *, actor: User, place: PolicyScope, document: PolicyDocument, base_version: int, reason: str = ""
) -> PolicyVersion:
    """Save the document as the next version of the policy. It applies to the next call of every session in `place`.

    `base_version` is the version that the actor edited, 0 if there was none. Raises Stale if another version is in
    force now, and BadInput if a setting is not allowed in `place` or an expectation is not met.
    """
    require_edit(actor, place)
    _check_reason(reason)
    _check_document(place, document)
    _require_current(place, base_version)
    return _add(actor, place, document, base_version, reason=reason.strip())


def rollback_policy(
    *, actor: User, place: PolicyScope, version: int, base_version: int, reason: str = ""
) -> PolicyVersion:
    """Save a copy of the policy's `version` as its next version. Raises Missing if there is no such version, Stale and
    BadInput as `save_policy` does."""
    require_edit(actor, place)
    _check_reason(reason)
    document = document_of(place, version)
    _require_current(place, base_version)
    return _add(actor, place, document, base_version, reason=reason.strip(), restored_from=version)


def seed_policy(*, place: PolicyScope, document: PolicyDocument, reason: str) -> None:
    """Create the first version of a policy, without an author. Does nothing if there is a policy already."""
    with sqlite_write_lock(), transaction.atomic():
        if newest_version(place) is None:
            row = _insert(None, place, document, None, reason=reason, restored_from=None)
            _audit(None, place, row, diff_of(PolicyDocument(), document))


def newest_version(place: PolicyScope) -> PolicyVersion | None:
    """Return the version in force; None if no policy was ever saved."""
    return PolicyVersion.objects.filter(place=place.key).select_related("author").order_by("-version").first()


def document_of(place: PolicyScope, version: int) -> PolicyDocument:
    """Return the document of a version; version 0 is an empty document. Raises Missing."""
    if version == 0:
        return PolicyDocument()
    row = PolicyVersion.objects.filter(place=place.key, version=version).first()
    if row is None:
        raise Missing(f"There is no version {version} of this policy.")
    return stored(row)


def policies_with(place: PolicyScope, draft: PolicyDocument) -> Policies:
    """Return the policies for `place` as if `draft` were in force, without policies of scopes below `place`."""
    return current_policies(team_id=place.team_id, project_id=place.project_id).with_draft(place.kind, draft)


def document_problems(place: PolicyScope, document: PolicyDocument) -> dict[str, str]:
    """Return the settings that are valid but not allowed in `place`: field -> problem."""
    problems = {}
    if document.options.loosenable and place.kind != "team":
        problems["options.loosenable"] = "only a team's policy may set what project files may loosen"
    if document.options.sandbox.workspaces is not None and place.kind == "project":
        problems["options.sandbox.workspaces"] = "a project's policy may not set the number of workspaces of its team"
    return problems


def _add(
    actor: User,
    place: PolicyScope,
    document: PolicyDocument,
    base: int,
    *,
    reason: str,
    restored_from: int | None = None,
) -> PolicyVersion:
    _check_expectations(place, document)
    try:
        with sqlite_write_lock(), transaction.atomic():
            before = _require_current(place, base)
            row = _insert(actor, place, document, before, reason=reason, restored_from=restored_from)
            _audit(actor, place, row, diff_of(stored(before) if before else PolicyDocument(), document))
    except IntegrityError:  # another request saved this version number at the same time
        raise _stale(newest_version(place)) from None
    transaction.on_commit(lambda: announce_rights_change([policy_group(place.key)]))
    return row


def _require_current(place: PolicyScope, base_version: int) -> PolicyVersion | None:
    newest = newest_version(place)
    if base_version != (newest.version if newest else 0):
        raise _stale(newest)
    return newest


def _insert(
    actor: User | None,
    place: PolicyScope,
    document: PolicyDocument,
    before: PolicyVersion | None,
    *,
    reason: str,
    restored_from: int | None,
) -> PolicyVersion:
    after: uuid.UUID | None = before.pk if before else None
    return PolicyVersion.objects.create(
        id=new_id(after=after),
        place=place.key,
        version=before.version + 1 if before else 1,
        team_id=place.team_id if place.kind == "team" else None,
        project_id=place.project_id,
        author=actor,
        reason=reason,
        restored_from=restored_from,
        **document.model_dump(mode="json"),
    )


def _audit(actor: User | None, place: PolicyScope, row: PolicyVersion, diff: str) -> None:
    kept = diff if len(diff) <= MAX_AUDITED_DIFF_CHARS else f"{diff[:MAX_AUDITED_DIFF_CHARS]}\n(the rest is not shown)"
    data = {"place": place.key, "version": row.version, "reason": row.reason, "diff": kept}
    if row.restored_from is not None:
        data["restored_from"] = row.restored_from
    action = "policy.saved" if row.restored_from is None else "policy.rolled_back"
    audit.record(
        team_id=place.team_id,
        actor=actor,
        action=action,
        subject=row.public_id,
        data=data,
        project_id=place.project_id,
    )


def _check_reason(reason: str) -> None:
    if len(reason) > MAX_REASON_CHARS:
        raise BadInput(f"The reason may have at most {MAX_REASON_CHARS} characters.", fields={"reason": "too long"})


def _check_document(place: PolicyScope, document: PolicyDocument) -> None:
    if problems := document_problems(place, document):
        raise BadInput("The policy contains settings that are not allowed here.", fields=problems)


def _check_expectations(place: PolicyScope, document: PolicyDocument) -> None:
    results = check_expectations(document.expectations, policies_with(place, document))
    failed = {f"expectations.{result.index}": result.problem for result in results if not result.ok}
    if failed:
        raise BadInput(
            "The policy does not meet its own expectations. It was not saved.",
            code=ErrorCode.EXPECTATION_FAILED,
            hint="Change the rules or the expectations, then save again.",
            fields=failed,
        )


def _stale(newest: PolicyVersion | None) -> Stale:
    version = newest.version if newest else 0
    return Stale(
        f"Somebody else has changed this policy: it is now at version {version}.",
        code=ErrorCode.STALE_POLICY,
        hint="Review their changes, then save again based on that version.",
        fields={"version": str(version)},
    )
