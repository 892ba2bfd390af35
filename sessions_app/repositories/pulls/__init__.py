"""Pull requests of sessions: opened and updated at the forge by the door, and stored with the state it reported."""
