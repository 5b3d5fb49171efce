"""Files: regular ones only, written whole or not at all, read by their bytes."""
