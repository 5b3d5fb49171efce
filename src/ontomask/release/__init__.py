"""Releases: masked, verified, written, saved, checked again."""
