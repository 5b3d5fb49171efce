"""Engines that run a policy: all steps in their order, wherever the records are."""
