"""Comparison of candidate releases of one table: runs, figures, scores, recommendation."""
