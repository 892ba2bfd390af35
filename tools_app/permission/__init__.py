"""The permission engine: pure functions that decide requests by rules, without Django and without I/O."""
