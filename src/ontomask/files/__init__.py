"""File access: regular files only, atomic writing, encodings, fingerprints."""
