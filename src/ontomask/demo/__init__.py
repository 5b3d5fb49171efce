"""The demo: synthetic hospital discharges, and the guided tour through them."""
