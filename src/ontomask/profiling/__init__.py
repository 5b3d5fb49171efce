"""Profiling: what the columns of a file look like, and a policy proposed from it."""
