from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sessions_app", "0069_notification_kinds"),
    ]

    operations = [
        migrations.AddField(
            model_name="configuration",
            name="skill_sources",
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name="configuration",
            name="skills_tried_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="skillpackage",
            name="address",
            field=models.CharField(blank=True, default="", max_length=500),
        ),
    ]
