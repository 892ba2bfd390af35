"""The configuration of a session: one document with the keys of OpenCode, merged from all levels. Pure."""
