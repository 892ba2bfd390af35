"""Text editing for the tools `edit`, `multiedit` and `apply_patch`. Pure functions over strings."""
