from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sessions_app", "0070_fetched_skills"),
    ]

    operations = [
        migrations.AddField(
            model_name="pullrequest",
            name="commit_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="pullrequest",
            name="failed_at",
            field=models.DateTimeField(null=True),
        ),
    ]
