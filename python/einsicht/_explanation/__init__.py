"""Explanation of a model: its subgraphs, attributions of its outputs, surrogate trees."""
