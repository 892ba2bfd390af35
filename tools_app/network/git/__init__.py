"""Git over HTTP: the project's own repository, which programs in a workspace reach through the door."""
