from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sessions_app", "0006_attachments"),
    ]

    operations = [
        migrations.AddField(
            model_name="session",
            name="depth",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="turn",
            name="caller",
            field=models.ForeignKey(
                null=True,
                on_delete=models.deletion.SET_NULL,
                related_name="child_turns",
                to="sessions_app.toolcall",
            ),
        ),
        migrations.AddField(
            model_name="turn",
            name="root",
            field=models.ForeignKey(
                null=True,
                on_delete=models.deletion.SET_NULL,
                related_name="branches",
                to="sessions_app.turn",
            ),
        ),
    ]
