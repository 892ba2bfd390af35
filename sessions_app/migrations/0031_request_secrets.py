from typing import Any

from django.db import migrations, models

import agentsite.tenancy.base


def keep_secrets_for_setup(apps: Any, _schema_editor: Any) -> None:
    """Mark existing secrets as used only for set-up, their only use before this column was added."""
    apps.get_model("sessions_app", "Variable").objects.filter(secret=True).update(used_for="setup")


class Migration(migrations.Migration):
    dependencies = [
        ("sessions_app", "0030_repositories"),
    ]

    operations = [
        migrations.AddField(
            model_name="variable",
            name="added_as",
            field=models.CharField(blank=True, default="", max_length=8),
        ),
        migrations.AddField(
            model_name="variable",
            name="added_name",
            field=models.CharField(blank=True, default="", max_length=100),
        ),
        migrations.AddField(
            model_name="variable",
            name="hosts",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name="variable",
            name="sealed_for_door",
            field=agentsite.tenancy.base.SealedDoorField(blank=True, default=""),
        ),
        migrations.AddField(
            model_name="variable",
            name="used_for",
            field=models.CharField(
                choices=[
                    ("setup", "given to set-up"),
                    ("commands", "given to commands and set-up"),
                    ("requests", "added to requests for hosts"),
                ],
                default="commands",
                max_length=8,
            ),
        ),
        migrations.AddIndex(
            model_name="variable",
            index=models.Index(
                condition=models.Q(("used_for", "requests")), fields=["id"], name="variables_added_to_requests"
            ),
        ),
        migrations.RunPython(keep_secrets_for_setup, migrations.RunPython.noop),
    ]
