from django.db import migrations, models

from agentsite.tenancy.base import SealedField


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0015_timeouts_and_fallbacks")]

    operations = [
        migrations.AddField("provider", "sealed_sign_in", SealedField(blank=True, default="")),
        migrations.AddField("provider", "sign_in_until", models.DateTimeField(null=True)),
    ]
