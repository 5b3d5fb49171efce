"""The kinds of columns: nominal, flat, ordinal, numeric, date; one file holds all that differs by kind."""
