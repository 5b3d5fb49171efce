"""The kinds of columns: nominal, flat, ordinal, numeric; one file holds all that differs by kind."""
