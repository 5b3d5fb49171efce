"""Releases: result, verification of the written file, saving, manifest."""
