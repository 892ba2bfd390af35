"""Pull requests of sessions. The door opens and updates them at the forge; the site stores the state that the forge
reported."""
