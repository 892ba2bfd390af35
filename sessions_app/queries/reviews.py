"""Read the data of a review: the comments with the agent's answers, and the changes of a turn."""

from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery

from agentsite.tenancy.models import User
from sessions_app.agent.patches import chains_of
from sessions_app.events import schema, views
from sessions_app.models import Message, Part, ReviewComment, Session, Turn


def comments_of(user: User, session: Session) -> QuerySet[ReviewComment]:
    """Return the comments that the user may see, with the relations that `comment_view` reads and with `answer`, the
    last message of the turn to which the comment was sent."""
    answers = Message.objects.filter(turn=OuterRef("turn"), role=Message.Role.ASSISTANT, id__gt=OuterRef("message"))
    rows = ReviewComment.objects.visible_to(user).filter(session=session).select_related("author", "settled_by", "turn")
    return rows.annotate(answer=Subquery(answers.order_by("-id").values("id")[:1]))


def comment_view(row: ReviewComment) -> schema.ReviewCommentView:
    """Return a row of `comments_of` as the API shows it."""
    return views.review_comment(row, answer_id=getattr(row, "answer", None))


def changes_of_turn(session: Session, turn_id: str) -> list[tuple[str, Any, Any]]:
    """Return [(path, state before the turn, state after it)] of the files that a turn and its sub-agents changed.
    Changes that other turns made to these files in between are included. Raises Missing if the session has no such
    turn."""
    turn = Turn.objects.filter(session=session).by_public_id(turn_id)
    of_turn = Q(message__turn=turn) | Q(message__turn__root=turn)
    parts = Part.objects.filter(of_turn, type=Part.Type.PATCH).order_by("id")
    patches = list(parts.values_list("data", flat=True))
    return [(path, chain[0][0], chain[-1][1]) for path, chain in sorted(chains_of(patches).items())]
