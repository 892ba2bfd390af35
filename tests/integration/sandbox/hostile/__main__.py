"""Write the table of attempts into docs/threat-model.md: `python -m tests.integration.sandbox.hostile report`."""

import sys

from tests.integration.sandbox.hostile.report import DOCUMENT, with_table

if sys.argv[1:] != ["report"]:
    sys.exit("usage: python -m tests.integration.sandbox.hostile report")
DOCUMENT.write_text(with_table(DOCUMENT.read_text()))
