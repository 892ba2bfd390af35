"""Change the audience of a session, that is, the people who can see it. Only the person who started it may do so."""

import uuid
from collections.abc import Sequence
from typing import Final

from agentsite.base.errors import BadInput, Missing, NotAllowed
from agentsite.base.ids import from_public, to_public
from agentsite.tenancy.access import require
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.roles import Act
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.events.publish import publish_new_audience
from sessions_app.models import Session, SessionGuest, SharedWith, ShareLink

MAX_GUESTS: Final = 200


def set_audience(*, actor: User, session: Session, shared_with: str, people: Sequence[str] = ()) -> Session:
    """Share the session and its sub-agents' sessions with the team, or only with `people` (ids of members).

    Only the person who started the session may do this, because an admin could otherwise gain access to private
    content. Existing share links of other people stop working for a private session. Raises BadInput for people who are
    not in the team.
    """
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    _check(session, actor)
    with session_write(session.pk, related=("project", "created_by")) as write:
        wanted = _members(write.session, people) if shared_with == SharedWith.PRIVATE else set()
        before = write.session.shared_with
        known = set(SessionGuest.objects.filter(session=write.session).values_list("user_id", flat=True))
        if (before, known) == (shared_with, wanted):
            return write.session
        _set_guests(write.session, known, wanted)
        children = _follow_root(write, SharedWith(shared_with))
        if shared_with == SharedWith.PRIVATE and before != SharedWith.PRIVATE:
            _revoke_links(write, actor)
        write.audit(
            "session.audience_changed", team_id=write.session.project.team_id, actor=actor,
            subject=write.session.public_id,
            data={"from": before, "to": shared_with, "added": _ids(wanted - known), "removed": _ids(known - wanted)},
        )  # fmt: skip
        row = write.session
        write.after_commit(lambda: publish_new_audience(row, children))
    return write.session


def _check(session: Session, actor: User) -> None:
    if session.root_id is not None:
        raise BadInput(
            "The session of a sub-agent has the same audience as the session that started it.",
            hint="Share that session instead.",
        )
    if session.created_by_id != actor.pk:
        raise NotAllowed(
            "Only the person who started this session can change who sees it.",
            hint="Ask that person, or start your own session.",
        )


def _members(session: Session, people: Sequence[str]) -> set[uuid.UUID]:
    if len(people) > MAX_GUESTS:
        raise BadInput(
            f"A private session can be shared with at most {MAX_GUESTS} people.", fields={"people": "too many"}
        )
    try:
        wanted = {from_public(User.PREFIX, public_id) for public_id in people} - {session.created_by_id}
    except Missing:
        wanted = None
    rows = Membership.objects.filter(team_id=session.project.team_id, user__in=wanted or ())
    if wanted is None or rows.count() != len(wanted):
        raise BadInput("Only members of the team can be added.", fields={"people": "not a member of the team"})
    return wanted


def _set_guests(session: Session, known: set[uuid.UUID], wanted: set[uuid.UUID]) -> None:
    SessionGuest.objects.filter(session=session, user__in=known - wanted).delete()
    SessionGuest.objects.bulk_create([SessionGuest(session=session, user_id=user_id) for user_id in wanted - known])


def _follow_root(write: SessionWrite, shared_with: SharedWith) -> list[uuid.UUID]:
    """Set `shared_with` of the locked root session and of its sub-agents' sessions, and publish an event for each of
    them. Returns the ids of the sub-agents' sessions."""
    write.session.shared_with = shared_with
    write.session_changed()
    children = list(Session.objects.filter(root=write.session).order_by("depth", "id").values_list("id", flat=True))
    for child_id in children:
        with session_write(child_id, related=("created_by",)) as inner:
            inner.session.shared_with = shared_with
            inner.session_changed()
    return children


def _revoke_links(write: SessionWrite, actor: User) -> None:
    for link in ShareLink.objects.alive(write.now).filter(session=write.session):
        ShareLink.objects.filter(pk=link.pk).update(revoked_at=write.now)
        write.audit(
            "share_link.revoked", team_id=write.session.project.team_id, actor=actor, subject=link.public_id,
            data={"session": write.session.public_id, "reach": link.reach},
        )  # fmt: skip


def _ids(people: set[uuid.UUID]) -> list[str]:
    return sorted(to_public(User.PREFIX, user_id) for user_id in people)
