"""What masking cost and who could still be found: loss and linkage, on distinct tuples."""
