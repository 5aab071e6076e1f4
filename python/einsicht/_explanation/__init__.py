"""What a model has learnt: its subgraphs, attributions of its outputs, surrogate trees."""
