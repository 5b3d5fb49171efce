"""Policies: the object, its YAML file, the files it names, prepared data, verification."""
