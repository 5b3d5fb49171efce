"""Taxonomies: concepts and is-a links, readers, built-in taxonomies, matching of values to concepts."""
