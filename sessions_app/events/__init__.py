"""The event log: a session as views, events, a snapshot and a live stream."""
