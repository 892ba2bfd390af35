class BackupProblem(Exception):
    """Why there is no backup, or none was restored, in a sentence for the people who run the site."""
