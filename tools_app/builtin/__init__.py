"""The built-in tools: one module per tool, with its description in a text file of the same name beside it."""
