"""The Django admin for operators: the state of the site, but no conversations, keys or hashes."""
