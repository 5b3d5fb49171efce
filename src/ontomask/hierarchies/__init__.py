"""Generalization hierarchies of columns: what stands for a value at each level."""
