"""Rebuild the search index from the conversations."""

from itertools import islice
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from agentsite.base.sqlite_lock import sqlite_write_lock
from sessions_app.models import SearchText, Session
from sessions_app.search.indexing import save_texts, texts_of

BATCH_SIZE = 500  # rows per insert


class Command(BaseCommand):
    help = "Rebuild the search index, session by session. The site can keep running."

    def handle(self, *_args: Any, **_options: Any) -> None:
        count = 0
        for session in Session.objects.order_by("id").iterator(chunk_size=500):
            count += self._rebuild(session)
        self.stdout.write(f"{count} texts indexed.")

    def _rebuild(self, session: Session) -> int:
        with sqlite_write_lock(), transaction.atomic():
            if not Session.objects.select_for_update().filter(pk=session.pk).exists():
                return 0
            SearchText.objects.filter(session=session).delete()
            texts = iter(texts_of(session))
            while rows := list(islice(texts, BATCH_SIZE)):
                save_texts(rows)
            return SearchText.objects.filter(session=session).count()
