"""Random releases, written to files and judged by code that shares nothing with the product."""
