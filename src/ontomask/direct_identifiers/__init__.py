"""Direct identifiers in columns: the eighteen kinds of the safe harbor rule, found by names and by shapes of values."""
