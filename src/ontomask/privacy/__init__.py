"""Privacy models: what a table must satisfy, checked on the table itself and independent of how it was made."""
