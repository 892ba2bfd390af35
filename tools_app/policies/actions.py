"""Every write of a policy: saving makes a new version, going back does too. Versions themselves never change."""

import uuid
from typing import Any, Final

from django.db import IntegrityError, transaction

from agentsite.errors import BadInput, Missing, Stale
from agentsite.ids import new_id
from agentsite.tenancy import audit
from agentsite.writers import writers_turn
from tools_app.models import PolicyVersion
from tools_app.policies.current import Policies, current_policies
from tools_app.policies.documents import PolicyDocument, stored
from tools_app.policies.expectations import check_expectations
from tools_app.policies.scopes import Place, require_edit
from tools_app.policies.text import diff_of

LONGEST_REASON: Final = 500
LONGEST_AUDITED_DIFF: Final = 20_000  # characters; both versions are kept whole


def save_policy(
    *, actor: Any, place: Place, document: PolicyDocument, base_version: int, reason: str = ""
) -> PolicyVersion:
    """The document as the place's next version, in force for the next call of every session there.

    `base_version` is the version that the actor looked at, 0 where there was none. Raises Stale when another is in
    force by now, BadInput for what means nothing here and when an expectation does not hold.
    """
    require_edit(actor, place)
    _check_reason(reason)
    _check_document(place, document)
    _require_current(place, base_version)
    return _add(actor, place, document, base_version, reason=reason.strip())


def rollback_policy(*, actor: Any, place: Place, version: int, base_version: int, reason: str = "") -> PolicyVersion:
    """A new version that says what `version` said. Raises Missing when there is no such version."""
    require_edit(actor, place)
    _check_reason(reason)
    document = document_of(place, version)
    _require_current(place, base_version)
    return _add(actor, place, document, base_version, reason=reason.strip(), restored_from=version)


def seed_policy(*, place: Place, document: PolicyDocument, reason: str) -> None:
    """The first version of a place's policy, by nobody. Does nothing where there is a policy already."""
    with writers_turn(), transaction.atomic():
        if newest_version(place) is None:
            row = _insert(None, place, document, None, reason=reason, restored_from=None)
            _audit(None, place, row, diff_of(PolicyDocument(), document))


def newest_version(place: Place) -> PolicyVersion | None:
    """The version in force; None where nothing was ever saved."""
    return PolicyVersion.objects.filter(place=place.key).select_related("author").order_by("-version").first()


def document_of(place: Place, version: int) -> PolicyDocument:
    """What a version says; version 0 says nothing. Raises Missing."""
    if version == 0:
        return PolicyDocument()
    row = PolicyVersion.objects.filter(place=place.key, version=version).first()
    if row is None:
        raise Missing(f"There is no version {version} of this policy.")
    return stored(row)


def policies_with(place: Place, draft: PolicyDocument) -> Policies:
    """What would hold in the place if the draft were in force. Places below it are left out: they may differ."""
    return current_policies(team_id=place.team_id, project_id=place.project_id).with_draft(place.kind, draft)


def document_problems(place: Place, document: PolicyDocument) -> dict[str, str]:
    """What is well formed and would still mean nothing in this place, by field."""
    problems = {}
    if document.options.loosenable and place.kind != "team":
        problems["options.loosenable"] = "what project files may loosen is decided in the team's policy"
    if document.options.sandbox.workspaces is not None and place.kind == "project":
        problems["options.sandbox.workspaces"] = "how many workspaces a team may have is not for a project to decide"
    return problems


def _add(
    actor: Any, place: Place, document: PolicyDocument, base: int, *, reason: str, restored_from: int | None = None
) -> PolicyVersion:
    _check_expectations(place, document)
    try:
        with writers_turn(), transaction.atomic():
            before = _require_current(place, base)
            row = _insert(actor, place, document, before, reason=reason, restored_from=restored_from)
            _audit(actor, place, row, diff_of(stored(before) if before else PolicyDocument(), document))
    except IntegrityError:  # somebody took the number at the same moment
        raise _stale(newest_version(place)) from None
    return row


def _require_current(place: Place, base_version: int) -> PolicyVersion | None:
    newest = newest_version(place)
    if base_version != (newest.version if newest else 0):
        raise _stale(newest)
    return newest


def _insert(
    actor: Any,
    place: Place,
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


def _audit(actor: Any, place: Place, row: PolicyVersion, diff: str) -> None:
    kept = diff if len(diff) <= LONGEST_AUDITED_DIFF else f"{diff[:LONGEST_AUDITED_DIFF]}\n(the rest is not shown)"
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
    if len(reason) > LONGEST_REASON:
        raise BadInput(f"A reason may have {LONGEST_REASON} characters at most.", fields={"reason": "too long"})


def _check_document(place: Place, document: PolicyDocument) -> None:
    if problems := document_problems(place, document):
        raise BadInput("The policy holds what means nothing here.", fields=problems)


def _check_expectations(place: Place, document: PolicyDocument) -> None:
    results = check_expectations(document.expectations, policies_with(place, document))
    failed = {f"expectations.{result.index}": result.problem for result in results if not result.ok}
    if failed:
        raise BadInput(
            "The policy does not do what its own expectations say. Nothing was saved.",
            code="expectation_failed",
            hint="Change the rules or the expectations, then save again.",
            fields=failed,
        )


def _stale(newest: PolicyVersion | None) -> Stale:
    version = newest.version if newest else 0
    return Stale(
        f"Somebody else changed this policy meanwhile: it is at version {version} now.",
        code="stale_policy",
        hint="Look at what they changed, then save again on top of it.",
        fields={"version": str(version)},
    )
