"""lm-evaluation-harness: files of samples and results."""
