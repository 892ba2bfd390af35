import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sessions_app", "0008_skills_of_workspaces"),
    ]

    operations = [
        migrations.AlterField(
            model_name="toolcall",
            name="part",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="call",
                to="sessions_app.part",
            ),
        ),
        migrations.AddField(
            model_name="toolcall",
            name="outer",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="inner_calls",
                to="sessions_app.toolcall",
            ),
        ),
        migrations.AddField(
            model_name="turn",
            name="output_schema",
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="turn",
            name="output",
            field=models.JSONField(blank=True, null=True),
        ),
    ]
