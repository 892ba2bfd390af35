"""Index prefixes of one to six letters in SQLite, so that a search for a common prefix need not merge the index entries
of hundreds of words."""

from django.db import migrations

from ._search_tables import WORDS, table_of_words


def _make_anew(schema_editor, prefix):
    """Create SQLite's search table again, with indexes for prefixes of the given lengths. The triggers on the table of
    texts remain valid, because they refer to the search table by name."""
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
