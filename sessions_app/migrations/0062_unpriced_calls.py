from typing import Any

from django.db import migrations, models
from django.db.models import Count, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce


def count_earlier_calls(apps: Any, _editor: Any) -> None:
    """Set the number of calls without a known price for existing sessions and answers."""
    calls = apps.get_model("sessions_app", "ModelCall").objects.filter(cost=None, state="settled").order_by()
    for name, key in (("Session", "session_id"), ("Message", "message_id")):
        rows = apps.get_model("sessions_app", name).objects
        having = rows.filter(pk__in=calls.exclude(**{key: None}).values(key))
        counted = calls.filter(**{key: OuterRef("pk")}).values(key).annotate(count=Count("pk")).values("count")
        having.update(unpriced_calls=Coalesce(Subquery(counted), Value(0)))


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0061_memory_notes")]

    operations = [
        migrations.AddField("session", "unpriced_calls", models.PositiveIntegerField(default=0)),
        migrations.AddField("message", "unpriced_calls", models.PositiveSmallIntegerField(default=0)),
        migrations.RunPython(count_earlier_calls, migrations.RunPython.noop),
    ]
