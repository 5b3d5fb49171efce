"""Privacy models, checked on the finished table and independent of how it was made."""
