"""Graphs, labels and targets on their way into the native part."""
