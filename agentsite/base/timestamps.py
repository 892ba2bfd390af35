"""Points in time that somebody may name: with an offset from UTC, and within what every database and calendar holds."""

from datetime import UTC, datetime
from typing import Annotated, Final

from annotated_types import Ge, Lt
from pydantic import AwareDatetime

_EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)
_LATEST: Final = datetime(2200, 1, 1, tzinfo=UTC)
Timestamp = Annotated[AwareDatetime, Ge(_EARLIEST), Lt(_LATEST)]
