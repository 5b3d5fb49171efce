"""How grave it is that others learn a value: severity numbers over an institution's own sets of values (S18)."""
