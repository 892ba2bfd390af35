"""The event log of sessions: API schemas, stored events, the snapshot of a session, and its live stream."""
