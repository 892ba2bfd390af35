"""Add scopes and restrictions to API tokens, and service accounts to teams. Existing tokens get every scope."""

import django.db.models.deletion
from django.db import migrations, models

ALL = ["read", "sessions:write", "answer", "admin", "tokens"]


def keep_all(apps, _schema_editor):
    apps.get_model("tenancy.ApiToken").objects.update(scopes=ALL)


def to(model, name):
    return models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name=name, to=model)


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0007_invitations_and_endings")]

    operations = [
        migrations.CreateModel(
            name="ServiceAccount",
            fields=[],
            options={"proxy": True, "indexes": [], "constraints": []},
            bases=("tenancy.user",),
        ),
        migrations.AddField("apitoken", "project", to("tenancy.project", "api_tokens")),
        migrations.AddField("apitoken", "team", to("tenancy.team", "api_tokens")),
        migrations.AddField("apitoken", "scopes", models.JSONField(default=list)),
        migrations.AddField("socketticket", "token", to("tenancy.apitoken", "socket_tickets")),
        migrations.AddField("user", "service_team", to("tenancy.team", "service_users")),
        migrations.RunPython(keep_all, migrations.RunPython.noop),
    ]
