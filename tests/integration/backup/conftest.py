"""Sites with directories and databases of their own, managed with `manage.py` as an operator does."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.own_database import take_copy
from tests.support.running_site import REPOSITORY

FILL = """
from django.contrib.sessions.backends.db import SessionStore
from agentsite.tenancy.models import Project, User
from sessions_app.storage import archives, attachments
from sessions_app.models import Attachment, Node, Session, Workspace
from django.core.files.base import ContentFile
from django.utils import timezone
project, owner = Project.objects.get(), User.objects.first()
place = Workspace.objects.create(project=project, name="main", node="local", state="running", seeded=True)
name = f"{archives.folder_of(place)}/1.tar.gz"
place.archive = archives.archive_storage().save(name, ContentFile(b"files"))
place.save()
session = Session.objects.create(project=project, workspace=place, created_by=owner, title="Tea \\u2615")
row = Attachment(session=session, name="a.txt", media_type="text/plain", size=3, sha256="0", used=True)
row.place = attachments.storage_name(session, row.public_id)
attachments.store(row.place, b"tea")
row.save()
attachments.store("nobody/owns/this", b"left over")
Node.objects.create(name="local", seen_at=timezone.now(), started_at=timezone.now())
SessionStore().create()
"""
LOOK = """
import json
from django.contrib.sessions.models import Session as SignedIn
from agentsite.tenancy.models import AuditEntry, User
from sessions_app.storage import archives, attachments
from sessions_app.models import Attachment, Node, Session, Workspace
place = Workspace.objects.get()
print(json.dumps({
    "people": User.objects.count(),
    "titles": list(Session.objects.values_list("title", flat=True)),
    "attached": [attachments.read(row.place).decode() for row in Attachment.objects.all()],
    "archive": archives.archive_storage().open(place.archive).read().decode(),
    "left_over": attachments.attachment_storage().exists("nobody/owns/this"),
    "workspace": [place.state, place.node, place.seeded, place.generation],
    "nodes": Node.objects.count(),
    "signed_in": SignedIn.objects.count(),
    "told": [entry.action for entry in AuditEntry.objects.filter(action__startswith="site.").order_by("seq")],
}))
"""


@dataclass
class Place:
    """A site's state directory and its database."""

    state: Path
    database: str = ""
    path: str = field(default_factory=lambda: os.environ["PATH"])

    def prepare(self, rows: str = "") -> None:
        """Create a site. On SQLite, its tables are copied from an earlier database with the same migrations if there is
        one.

        `rows` is a program that fills the site; it runs in the same process, because each process takes seconds to
        start.
        """
        if not self.database:
            self.state.mkdir(parents=True)
            take_copy(self.state / "db.sqlite3")
        make = "from django.core.management import call_command\ncall_command('prepare_site')\n"
        self.manage("shell", "-c", make + rows)

    def manage(self, *arguments: str, expect: int = 0) -> str:
        environment = {"PATH": self.path, "AGENTSITE_ROLE": "manage"}
        environment |= {"AGENTSITE_STATE": str(self.state), "DATABASE_URL": self.database}
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == expect, done.stderr[-3000:]
        return done.stdout if expect == 0 else done.stderr
