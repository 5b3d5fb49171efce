"""The masking methods: each takes an encoded table and gives groups and their centres; none knows of files."""
