from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0014_revisions")]

    operations = [
        migrations.AddField("provider", "timeout_seconds", models.PositiveIntegerField(null=True)),
        migrations.AddField("provider", "retries", models.PositiveSmallIntegerField(null=True)),
        migrations.AddField("modelchoice", "fallbacks", models.JSONField(default=list)),
    ]
