"""Create the full-text index of the search: an index in PostgreSQL, or in SQLite a table that triggers update with the
texts."""

from typing import Any, Final

WORDS: Final = "sessions_app_searchwords"
TEXTS: Final = "sessions_app_searchtext"
_FOLLOWS: Final = "GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, words)) STORED"
_POSTGRES: Final = (
    f"ALTER TABLE {TEXTS} ADD COLUMN vector tsvector {_FOLLOWS}",
    f"CREATE INDEX sessions_app_searchtext_vector ON {TEXTS} USING gin (vector)",
)
_FORGET: Final = f"INSERT INTO {WORDS} ({WORDS}, rowid, words) VALUES ('delete', old.id, old.words);"  # noqa: S608 - names of ours
_KEEP: Final = f"INSERT INTO {WORDS} (rowid, words) VALUES (new.id, new.words);"  # noqa: S608 - names of ours
_TRIGGERS: Final = (
    f"CREATE TRIGGER {WORDS}_added AFTER INSERT ON {TEXTS} BEGIN {_KEEP} END",
    f"CREATE TRIGGER {WORDS}_gone AFTER DELETE ON {TEXTS} BEGIN {_FORGET} END",
    f"CREATE TRIGGER {WORDS}_changed AFTER UPDATE OF words ON {TEXTS} BEGIN {_FORGET} {_KEEP} END",
)


def table_of_words(prefix: str) -> str:
    """Return the statement that creates SQLite's search table. `prefix` lists the lengths of the word prefixes to
    index."""
    columns = f"words, content='{TEXTS}', content_rowid='id', tokenize='ascii', prefix='{prefix}'"
    return f"CREATE VIRTUAL TABLE {WORDS} USING fts5 ({columns})"


def make_words(schema_editor: Any, *, prefix: str) -> None:
    """Create the database's full-text index of the table of texts. The database keeps the index up to date by
    itself."""
    is_postgres = schema_editor.connection.vendor == "postgresql"
    for statement in _POSTGRES if is_postgres else (table_of_words(prefix), *_TRIGGERS):
        schema_editor.execute(statement)


def forget_words(_apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"DROP TABLE {WORDS}")
