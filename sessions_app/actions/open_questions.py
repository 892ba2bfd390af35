"""Withdraw questions that nobody has answered yet, because their calls no longer wait for an answer."""

from django.db.models import QuerySet

from sessions_app.events import views
from sessions_app.events.log import SessionWrite
from sessions_app.models import Question
from sessions_app.models.base import move


def withdraw_questions(write: SessionWrite, questions: QuerySet[Question]) -> None:
    """Close the questions that are still open, because their calls no longer wait for an answer."""
    for question in questions.filter(state=Question.State.OPEN):
        if move(question, source=Question.State.OPEN, target=Question.State.CANCELLED, settled_at=write.now):
            write.emit("question.settled", views.question(question))
