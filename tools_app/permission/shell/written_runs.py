"""check_runs(): mark the analysis as incomplete if a shell text writes a file and then runs it."""

from tools_app.permission.shell import paths
from tools_app.permission.shell.model import PathUse
from tools_app.permission.shell.record import Record


def check_runs(record: Record) -> None:
    """Mark the analysis as incomplete for each file that one command writes and another command runs as a program or
    as a task file."""
    written = {paths.normal(use.path): number for use, number in record.paths.items() if use.mode == "write"}
    if not written:
        return
    runs = dict(record.runs)
    for folders, files, number in record.task_files:
        runs |= {paths.normal(paths.join(folder, each)): number for folder in folders for each in files}
    filled = {(paths.normal(use.path), number) for use, number in record.paths.items() if _writes_any_name(use)}
    for path, number in record.runs.items():
        if any(its != number and paths.is_under(path, folder) for folder, its in filled):
            record.doubt(f"{path} may be written and then run")
    for path, number in runs.items():
        if written.get(path, number) != number or any(each.startswith(f"{path}/") for each in written):
            record.doubt(f"{path} is written and then run")


def _writes_any_name(use: PathUse) -> bool:
    """Return whether a use writes files with unknown names into a folder, as `split` does."""
    return use.mode == "write" and use.directory and (use.known == "nothing" or not use.recursive)
