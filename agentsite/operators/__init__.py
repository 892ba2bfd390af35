"""The Django admin, for the people who run the site: how the site is, and never a conversation, a key or a hash."""
