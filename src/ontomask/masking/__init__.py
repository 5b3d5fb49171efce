"""Masking methods: an encoded table in, groups and their centroids out; no files."""
