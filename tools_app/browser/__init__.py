"""The browser of an agent: a Chromium inside the workspace's container, driven over the DevTools protocol."""
