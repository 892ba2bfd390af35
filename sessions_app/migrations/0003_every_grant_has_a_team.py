import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Apart from the migration that fills the column: PostgreSQL does not alter a table it has just written to."""

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
