"""Statistics of nominal data: centres, marginality, dependence, all on counts of categories."""
