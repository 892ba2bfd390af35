from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0007_sub_agents")]

    operations = [
        migrations.AddField(model_name="workspace", name="skills", field=models.JSONField(default=list)),
    ]
