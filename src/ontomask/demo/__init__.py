"""Demo: synthetic hospital discharges, and the guided tour with them."""
