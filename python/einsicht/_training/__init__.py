"""Training and what runs it many times: inputs, progress, experiments, resampling, bulk prediction."""
