"""Support for programming languages: language servers, formatters, and a client of the Language Server Protocol."""
