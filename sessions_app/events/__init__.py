"""The event log: what a client sees of a session, as views, events, snapshot and live stream."""
