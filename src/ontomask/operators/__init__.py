"""Operators on encoded tables: how far apart values and records are, their centre and their order."""
