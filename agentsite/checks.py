"""System checks: what production refuses to start with. Each message says what to set."""
