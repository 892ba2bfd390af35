"""SQLite knows beginnings of up to six letters, so that a common one is not put together from hundreds of words."""

from django.db import migrations

from ._search_tables import WORDS, table_of_words


def _make_anew(schema_editor, prefix):
    """The triggers on the table of texts stay; they write to whatever has this name."""
    if schema_editor.connection.vendor != "sqlite":
        return
    schema_editor.execute(f"DROP TABLE {WORDS}")
    schema_editor.execute(table_of_words(prefix))
    schema_editor.execute(f"INSERT INTO {WORDS} ({WORDS}) VALUES ('rebuild')")  # noqa: S608 - names of ours


def know_beginnings(_apps, schema_editor):
    _make_anew(schema_editor, "1 2 3 4 5 6")


def know_fewer(_apps, schema_editor):
    _make_anew(schema_editor, "2 3 4")


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0019_operator_access")]

    operations = [migrations.RunPython(know_beginnings, know_fewer)]
