"""lm-evaluation-harness: samples and results."""
