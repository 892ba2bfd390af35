class BackupProblem(Exception):
    """A backup or restore failed; the message is for operators."""
