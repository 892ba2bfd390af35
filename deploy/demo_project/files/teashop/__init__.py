"""The checkout of a small tea shop."""
