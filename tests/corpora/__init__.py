"""Collections of cases as data, with what reads them."""
