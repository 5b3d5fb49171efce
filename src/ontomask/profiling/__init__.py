"""Profiling: facts about the columns of a file, and a policy proposed from them."""
