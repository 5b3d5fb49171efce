"""Statistics of nominal data: centroids, marginality, dependence, all on counts of categories."""
