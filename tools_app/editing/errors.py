"""Why an edit cannot be made.

ToolError
└── EditError
    ├── NothingToChange     old and new are the same
    ├── TextNotFound        no place fits, not even nearly; names the closest one
    ├── TextAmbiguous       several places fit
    ├── SpanTooLarge        the place that fits is far larger than the text that was asked for
    ├── ResultTooLarge      the file would grow beyond what can be written at once
    ├── TooMuchWork         the file repeats itself so much that looking for the text would take too long
    ├── PatchUnreadable     a patch is not written as a patch is
    └── PatchMisplaced      a section of a patch does not suit the files: added twice, moved onto another, gone
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
