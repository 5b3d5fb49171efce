"""Column names: their words, their topics, keys, and keys that several records share."""
