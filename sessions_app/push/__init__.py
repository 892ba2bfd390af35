"""Push notices: short messages that a browser shows although no page of the site is open."""
