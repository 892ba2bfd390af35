from datetime import timedelta

from django.db import migrations
from django.db.models import F


def set_ends(apps, _schema_editor):
    """Let existing questions expire after a day, and let open permission requests without scopes offer the scopes
    session and project."""
    Question = apps.get_model("sessions_app", "Question")
    Question.objects.filter(expires_at=None).update(expires_at=F("created_at") + timedelta(hours=24))
    PermissionRequest = apps.get_model("sessions_app", "PermissionRequest")
    PermissionRequest.objects.filter(state="open", scopes=[]).update(scopes=["session", "project"])


class Migration(migrations.Migration):
    dependencies = [
        ("sessions_app", "0003_every_grant_has_a_team"),
    ]

    operations = [
        migrations.RunPython(set_ends, migrations.RunPython.noop),
    ]
