"""The demo project's one mistake and its correction, as data for the demo model.

`files()` does not include this module, so the workspace does not contain it.
"""

from typing import Final

PATH: Final = "teashop/pricing.py"
OLD: Final = "    if quantity > BULK_QUANTITY:"
NEW: Final = "    if quantity >= BULK_QUANTITY:"
FAILING_TEST: Final = ("tests/test_pricing.py", "test_ten_packets_get_the_bulk_discount")  # path, function name
WHY: Final = "the README promises the bulk discount for ten or more packets, and `>` leaves out exactly ten"
