"""Semantic distances: the measures, information content, and distance matrices."""
