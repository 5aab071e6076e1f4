"""Training: inputs, progress, experiments, resampling; bulk prediction."""
