"""check_runs(): files that a text writes and then runs may contain any command."""

from tools_app.permission.shell import paths
from tools_app.permission.shell.record import Record


def check_runs(record: Record) -> None:
    """Add a doubt for each file that the text writes and that another command runs, or may find its tasks in."""
    written = {paths.normal(use.path): number for use, number in record.paths.items() if use.mode == "write"}
    if not written:
        return
    runs = dict(record.runs)
    for folders, files, number in record.task_files:
        runs |= {paths.normal(paths.join(folder, each)): number for folder in folders for each in files}
    for path, number in runs.items():
        if written.get(path, number) != number or any(each.startswith(f"{path}/") for each in written):
            record.doubt(f"{path} is written and then run")
