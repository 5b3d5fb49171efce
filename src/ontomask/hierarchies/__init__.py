"""Generalization hierarchies of columns: what replaces a value at each level."""
