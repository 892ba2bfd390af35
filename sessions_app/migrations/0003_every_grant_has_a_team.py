import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Make `Grant.team` required. This is a migration of its own, because PostgreSQL does not alter a table in the
    transaction that has written to it."""

    dependencies = [
        ("sessions_app", "0002_approvals_and_team_grants"),
    ]

    operations = [
        migrations.AlterField(
            model_name="grant",
            name="team",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="grants", to="tenancy.team"
            ),
        ),
    ]
