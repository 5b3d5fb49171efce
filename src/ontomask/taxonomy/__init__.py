"""Concepts and is-a: the taxonomy itself, its readers, the built-in ones, and the way from values to concepts."""
