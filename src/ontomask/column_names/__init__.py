"""What the names of columns say: their words, their topics, keys, and keys that several records share."""
