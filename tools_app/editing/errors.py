"""The errors of edits and patches.

ToolError
└── EditError
    ├── NothingToChange     the old and the new text are the same
    ├── TextNotFound        the text was not found, not even approximately; the message shows the closest lines
    ├── TextAmbiguous       the text matches several places
    ├── SpanTooLarge        the only match is far larger than the text that was given
    ├── ResultTooLarge      the file would become larger than the sandbox can write at once
    ├── TooMuchWork         the search exceeds its budget, because the file is very repetitive
    ├── PatchUnreadable     the patch has a syntax error
    └── PatchMisplaced      a section does not fit the files: it would overwrite a file, or names a missing one
"""

from tools_app.spec import ToolError


class EditError(ToolError):
    pass


class NothingToChange(EditError):
    pass


class TextNotFound(EditError):
    pass


class TextAmbiguous(EditError):
    pass


class SpanTooLarge(EditError):
    pass


class ResultTooLarge(EditError):
    pass


class TooMuchWork(EditError):
    pass


class PatchUnreadable(EditError):
    pass


class PatchMisplaced(EditError):
    pass
