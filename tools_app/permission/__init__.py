"""The permission engine: pure functions over rules. No Django, no I/O."""
