"""Policies: the object, the YAML file, the files it names."""
