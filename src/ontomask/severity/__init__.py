"""Severity numbers of values: how much harm their disclosure does, by an institution's own sets of values (S18)."""
