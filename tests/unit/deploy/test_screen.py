import io
from pathlib import Path

from deploy.launcher.screen import Screen


def test_lines_go_to_the_log_at_once_and_what_is_said_to_the_terminal_too(tmp_path: Path) -> None:
    terminal = io.StringIO()
    screen = Screen(tmp_path / "logs" / "site.log", terminal)

    screen.log("web", "a quiet line, ü")
    screen.say("site", "stopping")

    assert [line[20:] for line in (tmp_path / "logs" / "site.log").read_text().splitlines()] == [
        "web      a quiet line, ü",
        "site     stopping",
    ]
    assert terminal.getvalue().endswith("site      stopping\n")
    screen.close()


def test_a_log_on_a_full_disk_keeps_nobody_from_stopping() -> None:
    terminal = io.StringIO()
    screen = Screen(Path("/dev/full"), terminal)

    screen.say("site", "stopping")
    screen.close()

    assert "stopping" in terminal.getvalue()


class ClosedTerminal(io.StringIO):
    def write(self, _: str) -> int:
        raise BrokenPipeError


def test_a_terminal_that_was_closed_keeps_nobody_from_stopping(tmp_path: Path) -> None:
    screen = Screen(tmp_path / "site.log", ClosedTerminal())

    screen.say("site", "stopping")
    screen.close()

    assert "stopping" in (tmp_path / "site.log").read_text()
