"""Addresses that must never be reached: data for `tests/integration/tools_app/test_ssrf.py`."""
