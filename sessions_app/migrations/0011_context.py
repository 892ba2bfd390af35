from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sessions_app", "0010_agents"),
    ]

    operations = [
        migrations.AddField("session", "summary", models.TextField(blank=True, default="")),
        migrations.AddField("session", "context_tokens", models.PositiveIntegerField(default=0)),
        migrations.AddField("session", "context_limit", models.PositiveIntegerField(default=0)),
        migrations.AddField("session", "context_version", models.PositiveIntegerField(default=0)),
        migrations.AddField("turn", "compact", models.BooleanField(default=False)),
        migrations.AddField("toolcall", "pruned", models.BooleanField(default=False)),
        migrations.AlterField(
            "part",
            "type",
            models.CharField(
                choices=[
                    ("text", "Text"),
                    ("agent", "Agent"),
                    ("reasoning", "Reasoning"),
                    ("tool", "Tool"),
                    ("retry", "Retry"),
                    ("file", "File"),
                    ("compaction", "Compaction"),
                ],
                max_length=16,
            ),
        ),
    ]
