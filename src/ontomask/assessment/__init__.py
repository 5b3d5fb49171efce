"""Assessment of a release: information loss, disclosure risk, record linkage, preserved statistics."""
