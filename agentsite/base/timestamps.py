"""The type of timestamps in requests: they need an offset from UTC, and lie between the years 2000 and 2200.

All databases and calendars can represent this range.
"""

from datetime import UTC, datetime
from typing import Annotated, Final

from annotated_types import Ge, Lt
from pydantic import AwareDatetime

_EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)
_LATEST: Final = datetime(2200, 1, 1, tzinfo=UTC)
Timestamp = Annotated[AwareDatetime, Ge(_EARLIEST), Lt(_LATEST)]
