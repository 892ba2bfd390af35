"""Finding the text that a model meant to replace. Pure functions over strings."""
