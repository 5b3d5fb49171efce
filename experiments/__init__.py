"""The experiments of the thesis (T12) on data at hand: `python -m experiments` writes docs/experiments.md.

Each module runs by itself, too: `python -m experiments.recoding` prints its tables.
"""
