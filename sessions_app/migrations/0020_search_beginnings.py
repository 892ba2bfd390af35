"""SQLite knows beginnings of up to six letters, so that a common one is not put together from hundreds of words."""

from django.db import migrations

WORDS = "sessions_app_searchwords"
TEXTS = "sessions_app_searchtext"


def _make_anew(schema_editor, prefix):
    """The triggers on the table of texts stay; they write to whatever has this name."""
    if schema_editor.connection.vendor != "sqlite":
        return
    columns = f"words, content='{TEXTS}', content_rowid='id', tokenize='ascii', prefix='{prefix}'"
    schema_editor.execute(f"DROP TABLE {WORDS}")
    schema_editor.execute(f"CREATE VIRTUAL TABLE {WORDS} USING fts5 ({columns})")
    schema_editor.execute(f"INSERT INTO {WORDS} ({WORDS}) VALUES ('rebuild')")  # noqa: S608 - names of ours


def know_beginnings(_apps, schema_editor):
    _make_anew(schema_editor, "1 2 3 4 5 6")


def know_fewer(_apps, schema_editor):
    _make_anew(schema_editor, "2 3 4")


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0019_operator_access")]

    operations = [migrations.RunPython(know_beginnings, know_fewer)]
