"""Pages of the preview server itself, which say why no preview is shown."""

from html import escape
from typing import Final

_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
{refresh}<style>
:root {{ color-scheme: light dark; }}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 18vh auto 0; padding: 0 20px;
  color: light-dark(#161a20, #e6e9ee); background: light-dark(#fff, #14171c); }}
h1 {{ font-size: 18px; }}
p {{ color: light-dark(#535d6b, #a3adba); }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{text}</p>
</body>
</html>
"""
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(title: str, text: str, *, again_after: int = 0) -> bytes:
    """Return a page as HTML. With `again_after`, browsers load the page again after so many seconds."""
    refresh = f'<meta http-equiv="refresh" content="{again_after}">\n' if again_after else ""
    return _PAGE.format(title=escape(title), text=escape(text), refresh=refresh).encode()


NOT_THERE: Final = page(
    "There is no preview here",
    "It does not exist, or is not open in this browser, or has ended. Open it again from the tab Preview of its"
    " session.",
)


def not_running() -> bytes:
    return page(
        "The workspace does not run",
        "It starts with the next message to its agent, or with Start on the page of the workspace.",
        again_after=5,
    )


def no_answer(port: int) -> bytes:
    return page(
        f"The program on port {port} did not answer",
        "It closed the connection, or does not speak HTTP there. Its output may say why.",
    )


def nothing_listens(port: int) -> bytes:
    return page(
        f"Nothing answers on port {port}",
        "No program of the workspace listens there now. This page shows it as soon as one does.",
        again_after=1,
    )
