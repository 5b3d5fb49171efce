"""HTML report of a release: one self-contained file for a data steward or an ethics board."""
