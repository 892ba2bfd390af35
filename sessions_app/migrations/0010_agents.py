import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import agentsite.base.ids


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("sessions_app", "0009_inner_calls_and_answers_in_a_given_form"),
    ]

    operations = [
        migrations.AddField("workspace", "project_agents", models.JSONField(default=dict)),
        migrations.CreateModel(
            name="Agent",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=agentsite.base.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("place", models.CharField(max_length=64)),
                ("name", models.CharField(max_length=64)),
                ("document", models.JSONField(default=dict)),
                ("version", models.PositiveIntegerField(default=1)),
                ("changed_at", models.DateTimeField()),
                (
                    "changed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="agents",
                        to="tenancy.project",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="agents", to="tenancy.team"
                    ),
                ),
            ],
            options={"ordering": ("name",)},
        ),
        migrations.AddConstraint(
            model_name="agent",
            constraint=models.UniqueConstraint(fields=("place", "name"), name="one_agent_per_place_and_name"),
        ),
    ]
