"""Back up and restore a site: the database, the files that belong to it, and the keys.

A backup is a folder:

    manifest.json          version, time, migrations, and the size and SHA-256 of every other file
    database.sqlite3       or database.dump, PostgreSQL's custom format
    attachments/, archives/   the files that rows of the database own, where they lie in directories
    keys/                  the sealing keys; with these and the database, all secrets can be read
"""
