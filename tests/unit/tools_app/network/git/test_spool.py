"""Folders for pushes: the folders of a killed door (the network proxy) are removed, and the folders of a running door
stay."""

import os
from pathlib import Path

from tools_app.network.git.spool import PREFIX, push_folder, remove_leftovers


def test_only_folders_of_processes_that_are_gone_are_removed(tmp_path: Path) -> None:
    ended = os.posix_spawn("/bin/true", ["/bin/true"], {})
    os.waitpid(ended, 0)
    kept = [f"{PREFIX}{os.getpid()}-a", f"{PREFIX}x-a", "other"]
    for name in (f"{PREFIX}{ended}-a", *kept):
        (tmp_path / name / "pushed").mkdir(parents=True)
    (tmp_path / f"{PREFIX}{ended}-link").symlink_to(tmp_path / "other")
    assert remove_leftovers(tmp_path) == 1
    assert {each.name for each in tmp_path.iterdir()} == {*kept, f"{PREFIX}{ended}-link"}


def test_a_folder_belongs_to_this_process() -> None:
    with push_folder() as folder:
        assert Path(folder).name.startswith(f"{PREFIX}{os.getpid()}-")
    assert not Path(folder).exists()
