"""The built-in tools: one module per tool, with its description in a .txt file of the same name."""
