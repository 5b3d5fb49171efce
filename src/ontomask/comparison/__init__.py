"""Ways of masking one table, side by side: runs, the table of their figures, and what they speak for."""
