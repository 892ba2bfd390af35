from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0062_unpriced_calls")]

    operations = [
        migrations.AddField("turn", "fallback_model", models.CharField(blank=True, default="", max_length=250)),
    ]
