"""Generate docs/errors.md and the error codes of both clients from `ErrorCode`: `python -m deploy.error_codes`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from agentsite.base.environment import REPOSITORY
from agentsite.base.error_codes import ErrorCode

GENERATED: Final = "Generated from agentsite/base/error_codes.py by `make openapi`."
DOCS_HEADER: Final = f"""# Error codes

<!-- {GENERATED} -->

Every failed request answers with `{{"error": {{code, message, hint, fields, request_id}}}}`; a refused socket frame and
a turn that failed carry the same `code`, `message` and `hint`. Programs decide by `code`, which never changes. New
codes can be added at any time: treat a code that you do not know like the others of its status. An error can have a
more precise `message` and `hint` than this table.
"""
TABLE_HEADER: Final = "| code | HTTP status | what it means | what to do |\n| --- | --- | --- | --- |"


def error_code_files() -> Mapping[Path, str]:
    """Return the content of every generated file by its path."""
    return {
        REPOSITORY / "docs" / "errors.md": _docs(),
        REPOSITORY / "agentsite" / "client" / "error_codes.py": _python(),
        REPOSITORY / "frontend" / "src" / "api" / "errorCodes.ts": _typescript(),
    }


def _docs() -> str:
    requests = sorted((code for code in ErrorCode if code.status is not None), key=lambda code: (code.status, code))
    turns = sorted(code for code in ErrorCode if code.status is None)
    return (
        f"{DOCS_HEADER}\n## Requests and frames\n\n{TABLE_HEADER}\n{_rows(requests)}\n"
        f"\n## Turns only\n\nWhy a turn failed, stopped or waits. No request is answered with these codes.\n"
        f"\n{TABLE_HEADER}\n{_rows(turns)}\n"
    )


def _rows(codes: list[ErrorCode]) -> str:
    return "\n".join(f"| `{code}` | {code.status or '-'} | {code.meaning} | {code.hint} |" for code in codes)


def _python() -> str:
    members = "\n".join(f'    {code.name} = "{code}"' for code in sorted(ErrorCode))
    return (
        f'"""The error codes of the API. {GENERATED}"""\n\nfrom enum import StrEnum\n\n\nclass ErrorCode(StrEnum):\n'
        '    """The codes that this version of the client knows. Compare them with `ApiError.code`, which is a `str`,\n'
        '    because a newer site can send a code that is not listed here."""\n'
        f"\n{members}\n"
    )


def _typescript() -> str:
    codes = "\n".join(f'  | "{code}"' for code in sorted(ErrorCode))
    meaning = "/** The error codes of the API. A newer site can answer others. */"
    return f"// {GENERATED}\n\n{meaning}\nexport type ErrorCode =\n{codes};\n"


if __name__ == "__main__":
    for path, content in error_code_files().items():
        path.write_text(content, encoding="utf-8")
