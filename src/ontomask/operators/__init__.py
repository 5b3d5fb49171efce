"""Operators on encoded tables: distances, centroids and order of values and records."""
