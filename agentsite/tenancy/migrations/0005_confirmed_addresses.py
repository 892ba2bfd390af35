"""Mark the e-mail addresses of existing accounts as confirmed, so that their owners can still sign in.

Operators created all of these accounts.
"""

from typing import Any

from django.db import migrations


def confirm_all(apps: Any, _editor: Any) -> None:
    address_model = apps.get_model("account.EmailAddress")
    people = apps.get_model("tenancy.User").objects.exclude(pk__in=address_model.objects.values("user_id"))
    address_model.objects.bulk_create(
        [
            address_model(user_id=pk, email=email, verified=True, primary=True)
            for pk, email in people.values_list("pk", "email")
        ],
        batch_size=500,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0004_remembered_answers"),
        ("account", "0009_emailaddress_unique_primary_email"),
    ]

    operations = [migrations.RunPython(confirm_all, migrations.RunPython.noop)]
