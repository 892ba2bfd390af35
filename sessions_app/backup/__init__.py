"""A copy of a site from which it can be made again: the database, what is kept beside it, and the keys.

A backup is a folder:

    manifest.json          what it is: version, moment, migrations, and the size and SHA-256 of every other file
    database.sqlite3       or database.dump, PostgreSQL's custom format
    attachments/, archives/   the files that rows of the database own, where they lie in directories
    keys/                  with which secrets are sealed; whoever has these and the database can read them
"""
