"""Git over HTTP: programs in a workspace reach the project's own repository through the door."""
